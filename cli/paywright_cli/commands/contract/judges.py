"""Run the validators of any contract: render them as the generator does, and load them without writing files."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from itertools import count
from typing import TYPE_CHECKING

from paywright_runtime.contract.violations import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType

    from paywright_codegen.diff.witness import Judge
    from paywright_codegen.model.contract import Contract

__all__ = ["judge_of"]

_numbers = count(1)


class _Texts(MetaPathFinder, Loader):
    """Imports modules from texts."""

    def __init__(self, texts: Mapping[str, str], packages: Sequence[str]) -> None:
        self._texts, self._packages = texts, packages

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Find a module among the texts."""
        if fullname not in self._texts:
            return None
        return ModuleSpec(fullname, self, is_package=fullname in self._packages)

    def create_module(self, spec: ModuleSpec) -> None:
        """Let Python make the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the text of a module."""
        exec(compile(self._texts[module.__name__], f"<{module.__name__}>", "exec"), vars(module))


def judge_of(contract: Contract) -> Judge:
    """Return a function that judges a document by the validator of a struct."""
    from paywright_codegen.render.renderer import render_validators

    package = f"_paywright_compared_{next(_numbers)}"
    packages = (package, f"{package}.validators")
    texts = dict.fromkeys(packages, "")
    texts |= {one.path.removesuffix(".py").replace("/", "."): one.text for one in render_validators(contract, package)}
    finder = _Texts(texts, packages)
    sys.meta_path.insert(0, finder)
    table: dict[str, Callable[[dict[str, object], str, Report], None]] = {}
    try:
        for name in texts:
            table |= getattr(import_module(name), "VALIDATORS", {})
    finally:
        sys.meta_path.remove(finder)
        for name in texts:
            sys.modules.pop(name, None)

    def judge(struct: str, body: dict[str, object]) -> Sequence[tuple[str, str]]:
        report = Report()
        table[struct](body, "@header" if struct.endswith(".headers") else "", report)
        return [(pointer, code) for pointer, code, _ in report.found]

    return judge

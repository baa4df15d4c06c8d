"""Define the package `paywright` that is generated, and run the validators of any contract, imported once."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from functools import cache
from importlib import import_module, invalidate_caches, metadata
from importlib.util import find_spec
from itertools import count
from keyword import iskeyword, issoftkeyword
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from paywright_codegen.generation.writing import Project
from paywright_runtime.contract.value_checks import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paywright_codegen.diff.witnesses import Judge
    from paywright_codegen.model.contract import Contract

_numbers = count(1)


def judge_of(contract: Contract) -> Judge:
    """Return a function that judges a document by the validator of an object; without a name, it may have all members.

    It knows headers in any letters, as HTTP does.
    """
    from paywright_codegen.documents.machine import machine_documents
    from paywright_codegen.generation.writing import write_files
    from paywright_codegen.lookup import header_structs
    from paywright_codegen.render.renderer import render_validators
    from paywright_runtime.contract.index import Contract as Facts

    package = f"_paywright_compared_{next(_numbers)}"
    table: dict[str, Callable[[dict[str, object], str, Report], None]] = {"": lambda body, pointer, report: None}
    rendered = render_validators(contract, package)
    with TemporaryDirectory() as folder:
        files = {one.path: one.text for one in rendered} | {f"{package}/contract.py": "CONTRACT = None"}
        write_files({Path(folder) / path: text for path, text in files.items()})
        sys.path.insert(0, folder)
        invalidate_caches()
        try:
            facts = Facts(package, json.loads(json.dumps(machine_documents(contract))))
            vars(import_module(f"{package}.contract"))["CONTRACT"] = facts
            for one in rendered:
                table |= getattr(import_module(one.path.removesuffix(".py").replace("/", ".")), "VALIDATORS", {})
        finally:
            sys.path.remove(folder)
            for name in [name for name in sys.modules if name.startswith(package)]:
                del sys.modules[name]
    spelled = {
        struct.name: {field.wire.lower(): field.wire for field in struct.fields}
        for struct in header_structs(contract).values()
    }

    def judge(struct: str, body: dict[str, object]) -> Sequence[tuple[str, str]]:
        report, names = Report(), spelled.get(struct)
        if names is not None:
            body = {names.get(name.lower(), name): value for name, value in body.items()}
        table[struct](body, "" if names is None else "@header", report)
        return [(pointer, code) for pointer, code, _ in report.found]

    return judge


def project(top: Path) -> Project:
    """Return the settings of the generation in the checkout at `top`."""
    return Project(spec=top / "spec", out=top / "generated", package="paywright", cache=top / ".cache" / "black")


def another_project(spec: Path, out: Path, package: str, cache: Path | None = None) -> Project:
    """Return the settings of the generation for the contract of another gateway, with the folder of what may be deleted."""
    return replace(project(spec), spec=spec, out=out, package=package, cache=cache, manifest=True)


def refusal(package: str) -> str | None:
    """Return why a package may not have a name; None if it may."""
    parts = package.split(".")
    if not all(_NAME(part) and not iskeyword(part) and not issoftkeyword(part) for part in parts):
        return f"{package!r} is no name of a package: write small letters, digits and underscores, such as acmepay"
    first = parts[0]
    if first.startswith("paywright") or first in sys.stdlib_module_names or first in _AT_START or _needed(first):
        return f"{first!r} is the name of an existing package: choose another one"
    return None


_NAME: Final = re.compile("[a-z][a-z0-9_]*").fullmatch
_AT_START: Final = ("sitecustomize", "usercustomize", "pip", "setuptools", "wheel", "pkg_resources")
"""Modules that Python imports when it starts, and that install packages."""
_REQUIREMENT: Final = re.compile(r"[A-Za-z0-9._-]+").match


_distributions = cache(metadata.packages_distributions)


def _needed(module: str) -> bool:
    """Return whether ours need a module, with all extras, or theirs in turn: the package must not shadow it.

    A distribution that is not installed counts by its name. Which ones have the module is asked only where there is one:
    reading all that is installed takes half a second.
    """
    having = _distributions().get(module, ()) if find_spec(module) is not None else ()
    return not _required().isdisjoint((module, *map(_normal, having)))


@cache
def _required() -> set[str]:
    """Return the names of the distributions that ours requires, with all extras, and of theirs in turn."""
    waiting, seen = ["paywright"], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            required = metadata.requires(name) or ()
        except metadata.PackageNotFoundError:
            continue
        for one in required:
            match = _REQUIREMENT(one)
            if match is not None and (name == "paywright" or "extra ==" not in one):
                waiting.append(_normal(match[0]))
    return seen


def _normal(distribution: str) -> str:
    return re.sub("[-_.]+", "_", distribution).lower()

"""Run the validators of any contract: render them as the generator does, and import them once."""

from __future__ import annotations

import json
import sys
from importlib import import_module, invalidate_caches
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from paywright_runtime.contract.violations import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paywright_codegen.diff.search import Judge
    from paywright_codegen.model.contract import Contract

__all__ = ["judge_of"]

_numbers = count(1)


def judge_of(contract: Contract) -> Judge:
    """Return a function that judges a document by the validator of an object. It knows headers in any letters, as HTTP does."""
    from paywright_codegen.documents.machine import machine_documents
    from paywright_codegen.generation.writing import write_files
    from paywright_codegen.lookup import header_structs
    from paywright_codegen.render.renderer import render_validators
    from paywright_runtime.contract.index import Contract as Facts

    package = f"_paywright_compared_{next(_numbers)}"
    table: dict[str, Callable[[dict[str, object], str, Report], None]] = {}
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

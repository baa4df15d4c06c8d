"""Run the programs of the reference, and keep what each printed and both messages of its last exchange."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from docs.building.programs import HANDLERS, PROGRAMS, SEEN, program
from paywright_codegen.reference.operation_page import RunExample

__all__ = ["run_examples"]

_KEPT = re.compile('"\0([^\0]+)\0"')


def run_examples(names: Iterable[str]) -> dict[str, RunExample]:
    """Run the program of each operation and each kind of notification that has one."""
    known = {**PROGRAMS, **HANDLERS, **SEEN}
    return {name: _run(program(name)) for name in names if name in known}


def _run(text: str) -> RunExample:
    log: list[bytes] = []
    names: dict[str, Any] = {"kept": log.append}
    printed = StringIO()
    calls = "with in_process_sandbox(" in text
    with redirect_stdout(printed):
        exec(compile(f"{text}    kept(sandbox.log())\n" if calls else text, "reference", "exec"), names)
    if "sent" in names:
        bodies = [names["sent"]["raw"].encode(), b"{}"]
    elif calls:
        last = json.loads(log[0].splitlines()[-1])
        bodies = [b64decode(last[one]["body"]["base64"]) for one in ("request", "response")]
    else:
        bodies = [names["raw"], names["reply"].body]
    return RunExample(text.rstrip("\n"), printed.getvalue().rstrip("\n"), *map(_as_sent, bodies))


def _as_sent(raw: bytes) -> str:
    """Return JSON with a member a line; its numbers keep their digits."""
    parsed = json.loads(raw, parse_float=lambda digits: f"\0{digits}\0")
    return _KEPT.sub(r"\1", json.dumps(parsed, indent=1, ensure_ascii=False).replace("\\u0000", "\0"))

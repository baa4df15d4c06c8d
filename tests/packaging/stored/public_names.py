"""What is public in this version, names with their members and arguments, and what of an earlier one it breaks."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Iterator, Mapping, Sequence
from enum import EnumType
from importlib import import_module

from docs.building.python_api import MODULES
from paywright_audit.judging.findings import RULES
from paywright_cli.common.exit_codes import AuditExit, CallExit, Exit
from paywright_cli.main import build_parser
from paywright_receiver.webhooks.reply import OUTCOMES
from paywright_runtime.attempts import REASONS
from paywright_runtime.client.settings import COMMON

Names = Mapping[str, Sequence[str]]
_OF_PYTHON = {name for kind in (BaseException, tuple, str, int, dict) for name in dir(kind)}


def public_names() -> dict[str, list[str]]:
    """Each public name and public member of a class, with its arguments (`?` before those that may be left out); commands; words."""
    found: dict[str, list[str]] = {}
    for module in MODULES:
        try:
            loaded = import_module(module)
        except ImportError:  # an extra that is not installed
            continue
        for name in loaded.__all__:
            value = getattr(loaded, name)
            found[f"{module}.{name}"] = _arguments(value)
            if isinstance(value, type):
                for member in sorted(set(dir(value)) - _OF_PYTHON):
                    if not member.startswith("_"):
                        found[f"{module}.{name}.{member}"] = _arguments(getattr(value, member))
    return found | _commands() | {word: [] for word in _words()}


def _commands() -> dict[str, list[str]]:
    """Each command with its options and arguments."""
    found, waiting = {}, [build_parser()]
    while waiting:
        parser = waiting.pop()
        found[parser.prog] = [f"?{word}" for one in parser._actions for word in one.option_strings or [one.dest]]
        for one in parser._actions:
            if isinstance(one, argparse._SubParsersAction):
                waiting += one.choices.values()
    return found


def _words() -> Iterator[str]:
    """Exit codes, reasons of errors, outcomes of notifications, codes of findings, names of settings."""
    for kind in (Exit, CallExit, AuditExit):
        yield from (f"exit code {kind.__name__} {one.name} {one.value}" for one in kind)
    for what, words in (("reason", REASONS), ("outcome", OUTCOMES), ("finding", RULES), ("setting", COMMON)):
        yield from (f"{what} {word}" for word in words)


def _arguments(value: object) -> list[str]:
    if not callable(value) or isinstance(value, EnumType):  # each Python says otherwise what an enumeration takes
        return []
    try:
        given = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return []
    return [("" if one.default is one.empty and one.kind < 4 and one.kind != 2 else "?") + one.name for one in given]


def broken(before: Names, now: Names) -> Iterator[str]:
    """What code that was written for `before` misses `now`. Classes and modules of extras that are not installed are left out."""
    there = {name.rpartition(".")[0] for name in now}
    for name, arguments in before.items():
        if name not in now:
            yield from [f"{name} is gone"] if name.rpartition(".")[0] in there else []
            continue
        old, new = ({one.removeprefix("?"): one for one in each} for each in (arguments, now[name]))
        yield from (f"{name} takes no {one} any more" for one in old if one not in new)
        yield from (f"{name} needs {one}" for one in new if new[one] == one and old.get(one, "?") != one)

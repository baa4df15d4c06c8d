"""Read the audit's configuration in TOML: severities by rule, and suppressions, each with a reason and an end date.

And read and write baselines: groups of known findings with their counts, so that only new ones fail.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from datetime import date, datetime
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from paywright.contract import CONTRACT
from paywright_audit.input.errors import AuditSetupError
from paywright_audit.judging.findings import RULES, VALIDATORS, GroupKey, Severity, severity_of

_MOST: Final = 1 << 20
_MOST_KNOWN: Final = 1 << 26
_VERSION: Final = 1


class Suppress(NamedTuple):
    """A suppression of the findings of a code, until the end of the day `until`.

    It may be limited to an operation, a message and a pointer (`*` for indexes).
    """

    code: str
    operation: str | None
    part: str | None
    pointer: str | None
    reason: str
    until: date

    def covers(self, key: GroupKey) -> bool:
        """Return whether the suppression applies to a group."""
        return (
            key.code == self.code
            and self.operation in (None, key.operation)
            and self.part in (None, key.part)
            and self.pointer in (None, key.pattern)
        )


class Config(NamedTuple):
    """A configuration. The keys of `severities` are a code, or an operation and a code with a space between."""

    severities: Mapping[str, Severity] = {}
    suppressions: tuple[Suppress, ...] = ()

    def severity(self, key: GroupKey) -> Severity:
        """Return the severity of a group: the entry for its operation and code, else for its code, else the default."""
        for name in (f"{key.operation} {key.code}", key.code):
            if name in self.severities:
                return self.severities[name]
        return severity_of(key.code)


@cache
def known_codes() -> frozenset[str]:
    """Return every code that a finding can have."""
    rules = {rule.id for name in CONTRACT.structs() for rule in CONTRACT.struct(name).rules}
    return frozenset({*VALIDATORS, *RULES, *rules})


def load_config(file: Path) -> Config:
    """Read a configuration. Raises `AuditSetupError`, which names the error in it."""
    try:
        with file.open("rb") as source:
            raw = source.read(_MOST + 1)
        found = tomllib.loads(raw.decode())
    except OSError as error:
        raise AuditSetupError(f"{file}: {error.strerror or 'it cannot be read'}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AuditSetupError(f"{file}: it is not TOML: {error}") from None
    unknown = found.keys() - {"severity", "suppress"}
    if unknown or len(raw) > _MOST:
        raise AuditSetupError(
            f"{file}: there is no table {min(unknown, default='')!r}; there are [severity] and [[suppress]]"
        )
    severities, suppressions = found.get("severity", {}), found.get("suppress", [])
    if not isinstance(severities, dict) or not isinstance(suppressions, list):
        raise AuditSetupError(f"{file}: [severity] must be a table, [[suppress]] a list of tables")
    return Config(
        {str(name): _severity(file, str(name), value) for name, value in severities.items()},
        tuple(_suppress(file, number, entry) for number, entry in enumerate(suppressions, 1)),
    )


def _severity(file: Path, name: str, value: object) -> Severity:
    operation, space, code = name.rpartition(" ")
    _code(file, code)
    if space:
        CONTRACT.operation(operation)  # raises InvalidArgument, with the nearest names
    if value not in tuple(Severity):
        raise AuditSetupError(f"{file}: {name} must be one of {', '.join(Severity)}")
    return Severity(str(value))


def _suppress(file: Path, number: int, entry: object) -> Suppress:
    where = f"{file}: suppression {number}"
    if not isinstance(entry, dict):
        raise AuditSetupError(f"{where} is not a table")
    unknown = entry.keys() - {"rule", "operation", "part", "pointer", "reason", "until"}
    if unknown:
        raise AuditSetupError(f"{where}: there is no {min(unknown)!r}")
    rule, reason, until = entry.get("rule"), entry.get("reason"), entry.get("until")
    if not isinstance(rule, str):
        raise AuditSetupError(f"{where}: `rule`, the code of the findings, is missing")
    _code(file, rule)
    if not isinstance(reason, str) or not reason.strip():
        raise AuditSetupError(f"{where}: `reason` is missing: say why the findings may be ignored")
    if not isinstance(until, date) or isinstance(until, datetime):
        raise AuditSetupError(f"{where}: `until`, its last day, is missing or not a date such as 2026-12-31")
    others = [entry.get(name) for name in ("operation", "part", "pointer")]
    texts = [one if isinstance(one, str) else None for one in others]
    if texts != others:
        raise AuditSetupError(f"{where}: operation, part and pointer must be texts")
    if texts[0]:
        CONTRACT.operation(texts[0])
    return Suppress(rule, texts[0], texts[1], texts[2], reason.strip(), until)


def _code(file: Path, code: str) -> None:
    if code not in known_codes():
        near = get_close_matches(code, known_codes(), 3)
        raise AuditSetupError(
            f"{file}: there is no rule {code!r}.{f' Did you mean {chr(32).join(near)}?' if near else ''}"
        )


def load_baseline(file: Path) -> Mapping[str, int]:
    """Read a baseline: the number of known findings by the id of their group. Raises `AuditSetupError`."""
    try:
        found = json.loads(file.read_bytes()[:_MOST_KNOWN])
    except OSError as error:
        raise AuditSetupError(f"{file}: {error.strerror or 'it cannot be read'}") from None
    except (ValueError, RecursionError):
        raise AuditSetupError(f"{file}: it is not a baseline: it is not JSON") from None
    version, groups = (found.get("v"), found.get("groups")) if isinstance(found, dict) else (None, None)
    if type(version) is int and _VERSION < version < 1_000:
        raise AuditSetupError(
            f"{file}: its v is {version}, and this paywright reads {_VERSION}: use the newer paywright that wrote it, or write it "
            "anew with --write-baseline"
        )
    if (
        version != _VERSION
        or not isinstance(groups, dict)
        or not all(type(one) is int and one > 0 for one in groups.values())
    ):
        raise AuditSetupError(f"{file}: it is not a baseline of this version: write it with --write-baseline")
    return groups


def write_baseline(file: Path, groups: Mapping[str, int]) -> None:
    """Write ids and counts, one a line, so that diffs of the file are readable. Raises `AuditSetupError`."""
    text = json.dumps({"v": _VERSION, "groups": dict(sorted(groups.items()))}, indent=1)
    try:
        file.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise AuditSetupError(f"{file}: {error.strerror or 'it cannot be written'}") from None

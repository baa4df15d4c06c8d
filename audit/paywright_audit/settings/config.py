"""Read the audit's configuration in TOML: severities by rule.

And read and write baselines: groups of known findings with their counts, so that only new ones fail.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.input.errors import AuditSetupError
from paywright_audit.judging.findings import RULES, VALIDATORS, GroupKey, Severity, severity_of
from paywright_audit.settings.whole_files import whole_file

_MOST: Final = 1 << 20
_MOST_KNOWN: Final = 1 << 26
_VERSION: Final = 1


Severities = Mapping[str, Severity]
"""Severities by a code, or by an operation and a code with a space between."""


def severity_in(severities: Severities, key: GroupKey) -> Severity:
    """Return the severity of a group: the entry for its operation and code, else for its code, else the default."""
    for name in (f"{key.operation} {key.code}", key.code):
        if name in severities:
            return severities[name]
    return severity_of(key.code)


@cache
def known_codes() -> frozenset[str]:
    """Return every code that a finding can have."""
    rules = {rule.id for name in CONTRACT.structs() for rule in CONTRACT.struct(name).rules}
    return frozenset({*VALIDATORS, *RULES, *rules})


def load_config(file: Path) -> Severities:
    """Read a configuration: severities by the code of a rule. Raises `AuditSetupError`, which names the error in it."""
    try:
        with file.open("rb") as source:
            raw = source.read(_MOST + 1)
        found = tomllib.loads(raw.decode())
    except OSError as error:
        raise AuditSetupError(f"{file}: {error.strerror or 'it cannot be read'}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise AuditSetupError(f"{file}: it is not TOML: {error}") from None
    unknown, severities = found.keys() - {"severity"}, found.get("severity", {})
    if unknown or len(raw) > _MOST or not isinstance(severities, dict):
        raise AuditSetupError(f"{file}: there is no {min(unknown, default='')!r}; there is a table [severity]")
    return {str(name): _severity(file, str(name), value) for name, value in severities.items()}


def _severity(file: Path, name: str, value: object) -> Severity:
    operation, space, code = name.rpartition(" ")
    if code not in known_codes():
        near = get_close_matches(code, known_codes(), 3)
        raise AuditSetupError(
            f"{file}: there is no rule {code!r}.{f' Did you mean {chr(32).join(near)}?' if near else ''}"
        )
    if space:
        CONTRACT.operation(operation)  # raises InvalidArgument, with the nearest names
    if value not in tuple(Severity):
        raise AuditSetupError(f"{file}: {name} must be one of {', '.join(Severity)}")
    return Severity(str(value))


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
    """Write ids and counts, one a line, so that diffs of the file are readable; whole, or the file stays. Raises `AuditSetupError`."""
    text = json.dumps({"v": _VERSION, "groups": dict(sorted(groups.items()))}, indent=1)
    with whole_file(file, private=False) as half:
        half.write_text(text + "\n", encoding="utf-8")

"""Read and write baselines: groups of known findings with their counts, so that only new ones fail."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from paywright_audit.input.errors import AuditSetupError
from paywright_audit.result.partial_result import GroupKey

_MOST: Final = 1 << 26
_VERSION: Final = 1


def group_id(key: GroupKey) -> str:
    """Return the id of a group, which is the same in every run."""
    return f"{key.operation or '-'} {key.part or '-'} {key.pattern or '-'} {key.code}"


def load_baseline(file: Path) -> Mapping[str, int]:
    """Read a baseline: the number of known findings by the id of their group. Raises `AuditSetupError`."""
    try:
        found = json.loads(file.read_bytes()[:_MOST])
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

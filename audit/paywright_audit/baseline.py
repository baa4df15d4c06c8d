"""The baseline: the groups of findings that are known and how many, so that only new ones fail."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from paywright_tools.audit.partial import GroupKey
from paywright_tools.terminal import Usage

__all__ = ["group_id", "load_baseline", "write_baseline"]

_MOST: Final = 1 << 26


def group_id(key: GroupKey) -> str:
    """How a group is named: what it is about, in words that stay the same from run to run."""
    return f"{key.operation or '-'} {key.part or '-'} {key.pattern or '-'} {key.code}"


def load_baseline(file: Path) -> Mapping[str, int]:
    """The ids of a baseline, and how many findings of each are known. Raises `Usage`."""
    try:
        found = json.loads(file.read_bytes()[:_MOST])
    except OSError as error:
        raise Usage(f"{file}: {error.strerror or 'it cannot be read'}") from None
    except (ValueError, RecursionError):
        raise Usage(f"{file}: it is no baseline: it is not JSON") from None
    groups = found.get("groups") if isinstance(found, dict) and found.get("v") == 2 else None
    if not isinstance(groups, dict) or not all(type(one) is int and one > 0 for one in groups.values()):
        raise Usage(f"{file}: it is no baseline of this version: write it with --write-baseline")
    return groups


def write_baseline(file: Path, groups: Mapping[str, int]) -> None:
    """Writes the ids and counts, one a line, so that a change of the file reads well. Raises `Usage`."""
    text = json.dumps({"v": 2, "groups": dict(sorted(groups.items()))}, indent=1)
    try:
        file.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise Usage(f"{file}: {error.strerror or 'it cannot be written'}") from None

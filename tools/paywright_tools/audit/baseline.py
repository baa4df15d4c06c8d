"""The baseline: the groups of findings that are known, so that only new ones fail."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from paywright_tools.audit.partial import GroupKey
from paywright_tools.terminal import Usage

__all__ = ["group_id", "load_baseline", "write_baseline"]

_MOST: Final = 1 << 26


def group_id(key: GroupKey) -> str:
    """How a group is named: what it is about, in words that stay the same from run to run."""
    return f"{key.operation or '-'} {key.part or '-'} {key.pattern or '-'} {key.code}"


def load_baseline(file: Path) -> frozenset[str]:
    """The ids of a baseline. Raises `Usage`."""
    try:
        found = json.loads(file.read_bytes()[:_MOST])
    except OSError as error:
        raise Usage(f"{file}: {error.strerror or 'it cannot be read'}") from None
    except (ValueError, RecursionError):
        raise Usage(f"{file}: it is no baseline: it is not JSON") from None
    groups = found.get("groups") if isinstance(found, dict) and found.get("v") == 1 else None
    if not isinstance(groups, list) or not all(isinstance(one, str) for one in groups):
        raise Usage(f"{file}: it is no baseline of this version: write it with --write-baseline")
    return frozenset(groups)


def write_baseline(file: Path, groups: Iterable[str]) -> None:
    """Writes the ids, one a line, so that a change of the file reads well."""
    text = json.dumps({"v": 1, "groups": sorted(groups)}, indent=1)
    file.write_text(text + "\n", encoding="utf-8")

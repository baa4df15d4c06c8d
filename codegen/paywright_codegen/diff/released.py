"""Compare a version and a changelog with what changed since the last release."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from paywright_codegen.diff.claims import Level
from paywright_codegen.diff.report import DiffReport
from paywright_codegen.diff.verdicts import verdict_of

__all__ = ["RELEASED", "last_release", "too_little"]

RELEASED: Final = "released"
"""Folder beside the files of the contract: a folder a version, with the contract as it was released."""

_Version = tuple[int, int, int]
_VERSION: Final = re.compile(r"([0-9]+)\.([0-9]+)\.([0-9]+)")


def last_release(spec: Path) -> tuple[str, Path] | None:
    """Return the newest released version and its folder; None if there is none. Raises ValueError for a folder of another name."""
    folder = spec / RELEASED
    found = [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    versions = {_read(path.name): path for path in found}
    return (versions[max(versions)].name, versions[max(versions)]) if versions else None


def too_little(report: DiffReport, released: str, version: str, changelog: str) -> Sequence[str]:
    """Return what version and changelog leave out of what changed since a release."""
    level, least = verdict_of(*report), _read(released)
    wanted = _raised(least, level)
    missing: list[str] = []
    if _read(version) < wanted:
        told = ".".join(map(str, wanted))
        missing.append(f"the version is {version}, and {level} changes since {released} need at least {told}")
    part = _part(changelog, version)
    for one in report[0]:
        if one.level > Level.PATCH and f"`{one.change.subject}`" not in part:
            missing.append(f"CHANGELOG.md does not name `{one.change.subject}` under {version}, which is {one.level}")
    return missing


def _read(version: str) -> _Version:
    match = _VERSION.fullmatch(version)
    if match is None:
        raise ValueError(f"{version!r} is no version such as 0.1.0")
    return int(match[1]), int(match[2]), int(match[3])


def _raised(version: _Version, level: Level) -> _Version:
    """Return the least version after a change. Before 1.0 a minor version may break, and a patch may add."""
    major, minor, patch = version
    if level is Level.NONE:
        return version
    step = level - 1 if major == 0 and level > Level.PATCH else level
    return {1: (major, minor, patch + 1), 2: (major, minor + 1, 0), 3: (major + 1, 0, 0)}[int(step)]


def _part(changelog: str, version: str) -> str:
    """Return the part of a changelog under the heading of a version."""
    found = re.search(rf"^## {re.escape(version)}\b.*?$(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    return "" if found is None else found[1]

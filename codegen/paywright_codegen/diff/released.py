"""Compare a version and a changelog with what changed since the last release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from paywright_codegen.diff.claims import Level
from paywright_codegen.diff.report import DiffReport
from paywright_codegen.diff.verdicts import verdict_of

__all__ = ["newest", "too_little", "version_in"]

_Version = tuple[int, int, int]
_VERSION: Final = re.compile(r"([0-9]+)\.([0-9]+)\.([0-9]+)")
_TAG: Final = re.compile(rf"v{_VERSION.pattern}")


def newest(tags: Iterable[str]) -> str | None:
    """Return the newest of the tags of versions, such as `v0.1.0`; None if there is none."""
    return max((tag for tag in tags if _TAG.fullmatch(tag)), key=version_in, default=None)


def version_in(name: str) -> _Version:
    """Return the version in the name of a tag or a wheel. Raises ValueError if there is none."""
    match = _VERSION.search(name)
    if match is None:
        raise ValueError(f"{name!r} has no version in its name, such as v0.1.0")
    return int(match[1]), int(match[2]), int(match[3])


def too_little(report: DiffReport, released: str, version: str, changelog: str) -> Sequence[str]:
    """Return what version and changelog leave out of what changed since a release."""
    level, least = verdict_of(*report), version_in(released)
    wanted = _raised(least, level)
    missing: list[str] = []
    if version_in(version) < wanted:
        told = ".".join(map(str, wanted))
        missing.append(f"the version is {version}, and {level} changes since {released} need at least {told}")
    part = _part(changelog, version)
    for one in report[0]:
        if one.level > Level.PATCH and f"`{one.change.subject}`" not in part:
            missing.append(f"CHANGELOG.md does not name `{one.change.subject}` under {version}, which is {one.level}")
    return missing


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

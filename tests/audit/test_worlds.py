"""Worlds without a fault are not accused, whatever became of them when they were captured."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from paywright_audit import AuditSettings, Report, Severity, audit_files
from tests.audit.helpers.operators import ALL
from tests.audit.helpers.worlds import Capture, World, make_world

BLAMES_NOBODY = ("http-status",)
"""Warnings that state what the capture shows, of a proxy as well as of the gateway."""


@pytest.fixture(scope="module")
def world(keys: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(keys, tmp_path_factory.mktemp("world"), 240, 4)


def audited(world: World, capture: Capture, folder: Path, **settings: object) -> Report:
    files = []
    for name, records in capture.items():
        if records:
            file = folder / name
            file.write_bytes(b"".join(json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in records))
            files.append(file)
    return audit_files(files, AuditSettings(require=(), **world.keys, **settings))  # type: ignore[arg-type]


def accusations(report: Report) -> list[str]:
    return [
        f"{group.severity} {group.code} {group.operation} {one.file} {one.place}: {one.message}"
        for group in report.groups
        if group.severity is not Severity.NOTE and group.code not in BLAMES_NOBODY
        for one in group.evidence or ()
    ]


@pytest.mark.parametrize("name", ALL)
def test_a_world_without_fault_is_not_accused(world: World, tmp_path: Path, name: str) -> None:
    report = audited(world, ALL[name](world.capture, Random(name)), tmp_path)
    assert accusations(report) == []
    assert not report.totals.unreadable

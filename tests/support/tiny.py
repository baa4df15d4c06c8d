"""The tiny contract of the tests, one of everything, and the package `tinypay` that is generated from it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from paywright_cli.commands.contract_package import project
from paywright_codegen.generation.writing import Project
from paywright_codegen.model.contract import Contract
from paywright_codegen.reader.loader import load
from tests.support.contract import TOP

SPEC = TOP / "tests" / "codegen" / "tiny"
GOLDEN = TOP / "tests" / "codegen" / "golden"


FORMATTED = TOP / ".cache" / "black"
"""What has been formatted once, by any test or by `make generate`: the names are sums of the text."""


def share_formatted(top: Path) -> None:
    """Let a checkout use what has been formatted already."""
    FORMATTED.mkdir(parents=True, exist_ok=True)
    (top / ".cache").mkdir(exist_ok=True)
    (top / ".cache" / "black").symlink_to(FORMATTED)


def tiny_project(out: Path) -> Project:
    return replace(project(TOP), spec=SPEC, out=out, package="tinypay", cache=FORMATTED)


@cache
def tiny_contract() -> Contract:
    return load(SPEC)

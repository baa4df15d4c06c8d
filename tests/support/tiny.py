"""The tiny contract of the tests, one of everything, and the package `tinypay` that is generated from it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from paywright_cli.commands.contract.generated_package import project
from paywright_codegen.generation import Project
from paywright_codegen.model.contract import Contract
from paywright_codegen.reader.loader import load
from tests.support.contract import TOP

SPEC = TOP / "tests" / "codegen" / "tiny"
GOLDEN = TOP / "tests" / "codegen" / "golden"


def tiny_project(out: Path) -> Project:
    return replace(project(TOP), spec=SPEC, out=out, package="tinypay", cache=None)


@cache
def tiny_contract() -> Contract:
    return load(SPEC)

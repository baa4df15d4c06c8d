"""Packages of few operations: all that is generated of them has types that checkers know."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from paywright_codegen.generation.generator import generate
from tests.support.tiny import tiny_contract, tiny_project
from tests.support.type_checkers import checked, configure


@pytest.mark.full  # a checker for each package
@pytest.mark.parametrize("operations", [["goods.buy", "goods.query"], ["goods.find"], ["goods.sent"]])
def test_a_package_of_few_operations_passes_the_checkers(tmp_path: Path, operations: list[str]) -> None:
    pytest.importorskip("mypy", reason="the checkers come with the extra `check`")
    pytest.importorskip("pyright", reason="the checkers come with the extra `check`")
    contract = tiny_contract()
    few = {name: contract.operations[name] for name in operations}
    follows = {kind: one for kind, one in contract.follows.items() if one.operation in few}
    seen = {kind: one for kind, one in contract.seen.items() if one.about in few and "goods.sent" in few}
    generate(tiny_project(tmp_path), replace(contract, operations=few, follows=follows, seen=seen))
    configure(tmp_path)
    assert checked(tmp_path, "mypy", "-p", "tinypay") == ""
    assert checked(tmp_path, "pyright", "tinypay/client.py", "tinypay/aio/client.py") == ""

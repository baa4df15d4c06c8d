"""Calls by name in packages of few operations: one result needs no overloads, and none at all no method."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from paywright_codegen.generation.generator import generate
from tests.support.tiny import tiny_contract, tiny_project
from tests.support.type_checkers import checked, configure


@pytest.mark.full  # a checker for each package
@pytest.mark.parametrize(
    ("operations", "methods"),
    [(["goods.buy", "goods.query"], ["call", "resolve"]), (["goods.find"], ["call"]), (["goods.sent"], [])],
)
def test_a_package_of_one_result_has_calls_by_name(tmp_path: Path, operations: list[str], methods: list[str]) -> None:
    pytest.importorskip("mypy", reason="the checkers come with the extra `check`")
    pytest.importorskip("pyright", reason="the checkers come with the extra `check`")
    contract = tiny_contract()
    few = {name: contract.operations[name] for name in operations}
    follows = {kind: one for kind, one in contract.follows.items() if one.operation in few}
    seen = contract.seen if any(one.inbound for one in few.values()) else {}
    generate(tiny_project(tmp_path), replace(contract, operations=few, follows=follows, seen=seen))
    configure(tmp_path)
    assert checked(tmp_path, "mypy", "-p", "tinypay") == ""
    assert checked(tmp_path, "pyright", "tinypay/client.py", "tinypay/aio/client.py") == ""
    ask = "from tinypay import Client; print([name for name in ('call', 'resolve') if hasattr(Client, name)])"
    done = subprocess.run([sys.executable, "-c", ask], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.stdout.strip() == repr(methods), done.stderr

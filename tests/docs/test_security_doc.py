"""docs/security.md: each row of the threat model names the tests that keep it, and they exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
_, *SECTIONS = re.split(r"^## ", (TOP / "docs" / "security.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
_TEST = re.compile(r"^- `(tests/[\w/]+\.py)::(test_\w+)`$", re.MULTILINE)


def test_each_test_that_the_policy_names_exists_too() -> None:
    named = re.findall(r"`(tests/[\w/]+(?:\.py)?)`", (TOP / "SECURITY.md").read_text(encoding="utf-8"))
    assert len(named) > 5
    assert [each for each in named if not (TOP / each).exists()] == []


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.partition("\n")[0])
def test_each_row_names_tests_that_exist(section: str) -> None:
    named = _TEST.findall(section)
    assert named
    assert section.count("\n- ") == len(named)
    for file, name in named:
        tree = ast.parse((TOP / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, f"{file}::{name}"

"""The harness of `make mutants`: what it draws is a changed program, the same for the same seed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

pytest.importorskip("cosmic_ray")

from mutants.sites import drawn, sites

pytestmark = pytest.mark.full

_MODULE = '''"""A module."""

from __future__ import annotations


def most(one: int | None, other: int | None = None) -> int | None:
    """The larger."""
    left: int | None = one
    if left is None or (other is not None and other > left):
        return other
    for _ in range(3):
        left = left + 1 - 1
    return left
'''


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_text(_MODULE, encoding="utf-8")
    return path


def test_every_mutant_compiles_and_is_another_program(module: Path) -> None:
    mutants = list(drawn([module], 100, "seed"))
    assert len(mutants) > 8
    for mutant in mutants:
        ast.parse(mutant.text)
        assert mutant.text != _MODULE
        assert mutant.before != mutant.after
        assert _MODULE.splitlines()[mutant.line - 1].strip() in mutant.before


def test_annotations_are_left_alone(module: Path) -> None:
    assert all("->" not in mutant.before and "left:" not in mutant.before for mutant in drawn([module], 100, "seed"))


def test_operators_are_exchanged_for_their_like(module: Path) -> None:
    operators = {name for site in sites(module) for name, _ in site.choices}
    assert "core/ReplaceComparisonOperator_Gt_LtE" in operators
    assert not {name for name in operators if name.endswith(("_Gt_Is", "_Is_Gt", "_Add_RShift", "_Sub_Pow"))}


def test_the_same_seed_draws_the_same(module: Path) -> None:
    one, same, other = (list(drawn([module], 5, seed)) for seed in ("a", "a", "b"))
    assert one == same != other

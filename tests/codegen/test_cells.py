"""Each cell of the contract language is refused with words and its line, or all that is generated of it agrees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from paywright_codegen.lint.linter import check
from paywright_codegen.model.cited import SourcePlace
from tests.codegen.cells.agreement import visit
from tests.codegen.cells.contracts import REFUSED, RIGHT, in_answer, in_request, text_of
from tests.codegen.helpers.contract_texts import SHOP, folder_of, problem_line


@pytest.mark.parametrize("cell", REFUSED)
def test_what_would_be_wrong_is_refused_with_words_in_its_line(cell: str, tmp_path: Path) -> None:
    edits, words, at = REFUSED[cell]
    text = text_of(edits)
    place = SourcePlace("spec/shop.yaml", problem_line(SHOP, text, at))
    problems = check(folder_of(tmp_path, text))
    found = any(words in problem.what and problem.place == place for problem in problems)
    assert found, [str(place), *map(str, problems)]


@pytest.mark.slow
@pytest.mark.parametrize("cell", RIGHT)
def test_a_right_form_agrees(cell: str, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    visited = visit(folder_of(tmp_path, text_of(RIGHT[cell])), tmp_path / "out")
    assert visited.refused == ()
    assert visited.documents > 100
    record_property("count: documents of cells judged alike", visited.documents)
    record_property("count: calls and deliveries of cells", visited.calls)


FAR = """\
types:

  Far [4]:  # Far away.
    hue!: Hue
    near: {}

enums:

  Hue [4]: A B  # A hue.

rules:

  Far:
    near-a [4]: when hue is A, need near

operations:

  # Buy from far away.
  books.buy [4]:
    post: /books
    version: 1.0
    envelope: sealed
    key: isbn
    resolved by: nothing
    request:
      isbn!: code
    response: Far
"""
_VERSION = ("versions:\n", "versions:\n  books.buy: 1.0\n")


def test_two_files_generate_and_agree(tmp_path: Path) -> None:
    edits = (_VERSION, in_request("far: Far", "fars: Far[]"), in_answer("far: Far", "hue: Hue"))
    folder = folder_of(tmp_path, text_of(edits), FAR.format("string"))
    assert visit(folder, tmp_path / "out").refused == ()


def test_two_files_that_use_types_of_one_another_are_refused(tmp_path: Path) -> None:
    text = text_of((_VERSION, in_request("far: Far"), in_answer("far: Far")))
    found = [problem.what for problem in check(folder_of(tmp_path, text, FAR.format("Person")))]
    assert any("neither could be imported first" in what for what in found), found

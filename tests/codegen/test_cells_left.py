"""Cells that no table has: limits beside values, and addressees."""

from __future__ import annotations

from pathlib import Path

import pytest

from paywright_codegen.lint.linter import check
from tests.codegen.cells.agreement import visit
from tests.codegen.helpers.contract_texts import SHOP, changed, folder_of, line_of


@pytest.mark.parametrize("limits", ["min 1 max 4", "min 2 max 3", "min 3 max 4", "max 4", "min 1", "exactly 3"])
def test_values_beside_limits_and_blank_are_judged_alike(tmp_path: Path, limits: str) -> None:
    text = changed(("kind: string in NEW OLD", f"kind: string {limits} in NEW OLD blank"))
    assert visit(folder_of(tmp_path, text), tmp_path / "out").documents


def test_a_notification_without_the_addressee_that_another_one_names_is_refused(tmp_path: Path) -> None:
    second = """\
  # Goods were lost.
  goods.lost [3]:
    post: /lost
    envelope: bare
    when: kind is LOST
    once per: number
    notification: Lost
    answer: Received

types:

  Lost from Parcel [3]:                      # Lost goods.
    kind!: string is LOST
    shop!: string from merchant.app_id

"""
    text = changed(("types:\n\n", second))
    [problem] = check(folder_of(tmp_path, text))
    assert problem.place.line == line_of(text, "    notification: Parcel")
    assert "`goods.sent` does not name its addressee, `merchant.app_id`, as `goods.lost` does" in problem.what
    named = changed(("number!: string\n", "number!: string\n    shop!: string from merchant.app_id\n"), text=text)
    assert check(folder_of(tmp_path, named)) == ()


@pytest.mark.parametrize("source", ["merchant.stroe", "digits.300", "digits.x", "digits.0", "digits.", "session.token"])
def test_an_unknown_source_inside_the_payload_is_refused(tmp_path: Path, source: str) -> None:
    text = SHOP.replace("note: string max 20", f"note: string max 20 from {source}")
    problems = check(folder_of(tmp_path, text))
    assert {problem.place.line for problem in problems} == {line_of(text, "note: string")}
    assert f"`note`: nothing is called `from {source}`" in {problem.what for problem in problems}

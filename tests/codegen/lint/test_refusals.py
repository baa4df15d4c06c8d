"""What is mistyped, cannot be said or cannot be meant is refused with file, line, what is wrong and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from paywright_codegen.lint.linter import check
from paywright_codegen.problems import meant
from tests.codegen.helpers.contract_texts import SHOP
from tests.codegen.helpers.refusals import MEANINGLESS, MISTYPED, UNSAID

REFUSED = {**MISTYPED, **UNSAID, **MEANINGLESS}


def test_no_two_rows_have_one_name() -> None:
    assert len(REFUSED) == len(MISTYPED) + len(UNSAID) + len(MEANINGLESS)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_refused_where_it_stands(tmp_path: Path, name: str) -> None:
    folder, place = REFUSED[name].written(tmp_path)
    found = [*map(str, check(folder))]
    wanted = f"{place}: {REFUSED[name].says}"
    assert any(one.startswith(wanted) for one in found), "\n".join([wanted, "not among", *found])
    assert all("; " in one for one in found)


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("mx", ("min", "max"), "did you mean `max`? Else "),
        ("colour", ("Colour", "code"), "did you mean `Colour`? Else "),
        ("zebra", ("min", "max"), ""), ("max", ("max",), ""), ("max", (), ""),
    ],
)  # fmt: skip
def test_a_name_is_proposed_only_if_it_is_near(word: str, known: tuple[str, ...], hint: str) -> None:
    assert meant(word, known) == hint


def test_a_file_with_the_line_ends_of_windows_is_refused_once(tmp_path: Path) -> None:
    folder = tmp_path / "spec"
    folder.mkdir()
    (folder / "shop.yaml").write_bytes(SHOP.replace("\n", "\r\n").encode())
    (problem,) = check(folder)
    assert str(problem) == (
        "spec/shop.yaml:1: the line has a carriage return; save the file with the line ends of Unix (LF); this line is the first"
    )

"""What a person mistypes is refused with file, line, what is wrong and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from paywright_codegen.lint.linter import check
from paywright_codegen.problems import meant
from tests.codegen.helpers.contract_texts import SHOP
from tests.codegen.helpers.mistypings import MISTYPINGS, Mistyping, mistyped
from tests.codegen.helpers.unsaid import UNSAID


def test_there_are_fifty_and_more() -> None:
    assert len(MISTYPINGS) >= 50


CASES = {**MISTYPINGS, **UNSAID}


@pytest.mark.parametrize("mistyping", CASES.values(), ids=list(CASES))
def test_what_is_mistyped_or_cannot_be_said_is_refused_where_it_stands(tmp_path: Path, mistyping: Mistyping) -> None:
    folder, line = mistyped(mistyping, tmp_path)
    found = [f"{problem.place}: {problem.what}; {problem.do}" for problem in check(folder)]
    wanted = f"tiny/{mistyping.file}.yaml:{line}: {mistyping.says}"
    assert any(one.startswith(wanted) for one in found), "\n".join([wanted, "not among", *found])


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("mx", ("min", "max"), "did you mean `max`? Else "),
        ("colour", ("Colour", "code"), "did you mean `Colour`? Else "),
        ("zebra", ("min", "max"), ""),
        ("max", ("max",), ""),
        ("max", (), ""),
    ],
)
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

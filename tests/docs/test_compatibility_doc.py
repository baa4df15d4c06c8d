"""docs/compatibility.md: its release note is entered into a copy of the contract, and its commands print what the page shows."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.helpers.command_line import TOP, paywright
from tests.docs.pages import Page

PAGE = Page("compatibility")
_TEXT = PAGE.text
COMPARE, RELEASE = PAGE.blocks("sh")
TEXT, EDITS = PAGE.block("text"), PAGE.blocks("diff")


def side(edit: str, marks: str) -> str:
    """The lines of one side of an edit."""
    return "".join(f"{line[1:]}\n" for line in edit.splitlines() if line[0] in marks)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the contract that `init` writes, before and after the release note."""
    for name in ("before", "after"):
        assert paywright("contract", "init", name, cwd=tmp_path).code == 0
    path = tmp_path / "after" / "payments.yaml"
    text = path.read_text(encoding="utf-8")
    for edit in EDITS:
        assert text.count(side(edit, " -")) == 1, edit
        text = text.replace(side(edit, " -"), side(edit, " +"))
    path.write_text(text, encoding="utf-8")
    return tmp_path


def test_every_block_of_the_page_is_run() -> None:
    assert len(PAGE.all) == len(EDITS) + 3


@pytest.mark.slow
def test_the_command_prints_what_the_page_shows(folder: Path) -> None:
    done = paywright(*shlex.split(COMPARE)[1:], cwd=folder)
    assert done.code == 1, done.err
    assert TEXT in done.out


@pytest.mark.slow
def test_the_commands_of_a_release_make_the_next_check_compare(tmp_path: Path) -> None:
    top = tmp_path / "released"
    shutil.copytree(TOP / "spec", top / "spec")
    shutil.copy(TOP / "CHANGELOG.md", top)
    who = "git -c user.name=A -c user.email=a@shop.example -c commit.gpgsign=false"
    made = f"git init --quiet && git add . && {who} commit --quiet -m released\n{RELEASE}"
    subprocess.run(["sh", "-e", "-c", made], cwd=top, check=True)
    done = paywright("contract", "diff", "--released", cwd=top)
    assert (done.code, done.out) == (0, "version 0.1.0 and CHANGELOG.md say what changed since 0.1.0\n")


def test_each_row_of_what_is_public_names_its_test() -> None:
    rows = _TEXT.partition("| public |")[2].partition("\n\n")[0].splitlines()[2:]
    named = [row.split("|")[3].strip() for row in rows]
    assert len(named) == 6
    assert all(name == "the same" or (TOP / name.strip("`")).exists() for name in named), named

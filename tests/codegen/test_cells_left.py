"""Cells that no table has: limits beside values, addressees, sources, words of rules, and what is around a generation."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import pytest

from paywright_codegen.generation.writing import write_file
from paywright_codegen.lint.linter import check
from paywright_codegen.reader.loader import load
from paywright_runtime.contract.conversion import read
from paywright_runtime.contract.index import Contract
from paywright_runtime.contract.validation import judge
from paywright_runtime.contract.value_checks import Report
from tests.codegen.cells.agreement import generate, visit
from tests.codegen.helpers.contract_texts import SHOP, changed, folder_of, line_of
from tests.support.contract import TOP
from tests.support.packages import PACKAGES


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


def test_a_violated_rule_about_a_member_of_an_object_has_the_words_of_the_rule(tmp_path: Path) -> None:
    rule = "      short-name [1.1]: when kind is NEW, buyer.name max 3\n"
    text = changed(("when kind is OLD, need note\n", f"when kind is OLD, need note\n{rule}"))
    generate(load(folder_of(tmp_path, text)), tmp_path, "members")
    sys.path.insert(0, str(tmp_path))
    try:
        contract: Contract = importlib.import_module("members.contract").CONTRACT
        body = deepcopy(contract.example("goods.buy.request"))
        body["data"] |= {"kind": "NEW", "buyer": {"name": "Long"}}
        [violation] = judge(contract, "goods.buy", "request", body)
    finally:
        sys.path.remove(str(tmp_path))
    assert (violation.pointer, violation.code) == ("/data/buyer/name", "short-name")
    assert violation.message == "name: when kind is NEW, buyer.name max 3 [1.1]"


@pytest.mark.parametrize("pattern", [r"[\b]", r"[A-Z\b]+", r"[^\B]"])
def test_a_backspace_in_a_class_is_refused(tmp_path: Path, pattern: str) -> None:
    text = changed(('pattern: "[A-Z0-9]+"', f"pattern: '{pattern}'"))
    assert any("which Python and JSON Schema read differently" in one.what for one in check(folder_of(tmp_path, text)))


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(OSError) as failed:
        write_file(tmp_path / "file", "text")
    assert failed.value.filename == str(tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


_CALL = """
from paywright_sandbox.testing.served import running_sandbox
with running_sandbox() as sandbox, sandbox.client() as client:
    print(__debug__, client.payment_tokens.list(user_id="u1").token_list)
"""


@pytest.mark.slow
def test_a_client_calls_without_docstrings_and_assertions() -> None:
    env = {**os.environ, "PYTHONPATH": PACKAGES}
    ended = subprocess.run([sys.executable, "-OO", "-c", _CALL], env=env, capture_output=True, text=True)
    assert (ended.stdout, ended.returncode) == ("False ()\n", 0), ended.stderr


@pytest.mark.skipif(shutil.which("git") is None, reason="no git to clone with")
def test_a_clone_of_windows_has_the_line_ends_of_unix(tmp_path: Path) -> None:
    def git(*arguments: str | Path) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True, capture_output=True
        )

    here, there = tmp_path / "here", tmp_path / "there"
    files = ("spec/orders.yaml", "generated/paywright/client.py", "generated/paywright/schemas.json")
    for name in (".gitattributes", *files):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TOP / name, here / name)
    git("init", here)
    git("-C", here, "add", ".")
    git("-C", here, "commit", "-m", "x")
    git("-c", "core.autocrlf=true", "clone", here, there)
    for name in files:
        assert (there / name).read_bytes() == (TOP / name).read_bytes()
        assert b"\r\n" not in (there / name).read_bytes()


@pytest.mark.parametrize(
    ("line", "wire", "read_as"),
    [
        ("colour: Colour blank", "", None), ("colour!: Colour blank", "", None), ("colour: Colour blank", "R", "R"),
        ("colour: Colour blank", "Z", "Z"), ("colour: code blank", "", ""), ("colour: string max 3", "", ""),
    ],
)  # fmt: skip
def test_a_blank_that_is_let_is_read_as_none(tmp_path: Path, line: str, wire: str, read_as: object) -> None:
    text = changed(("colour: Colour\n", f"{line}\n"))
    name = f"blanks_{ascii(line + wire).encode().hex()}"
    generate(load(folder_of(tmp_path, text)), tmp_path, name)
    sys.path.insert(0, str(tmp_path))
    try:
        contract: Contract = importlib.import_module(f"{name}.contract").CONTRACT
        trouble = Report()
        found = read(contract, contract.struct("Item"), {"key": "K1", "status": "OPEN", "colour": wire}, "", trouble)
        assert trouble.found == []
        assert getattr(found, "colour", None) == read_as
    finally:
        sys.path.remove(str(tmp_path))

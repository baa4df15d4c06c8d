"""`paywright contract`: it works where the generated package is missing or broken, and never leaves it half written."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from paywright_cli.commands.contract import _inputs
from paywright_cli.main import main
from paywright_codegen.generation import generator
from paywright_codegen.generation.freshness import fingerprint, is_fresh, remember
from paywright_codegen.generation.writing import Project, WrittenFiles
from paywright_codegen.model.contract import Contract
from tests.cli.helpers.command_line import TOP, paywright
from tests.support.tiny import share_formatted


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with the contract, and the generated package as it is."""
    shutil.copytree(TOP / "spec", tmp_path / "spec")
    shutil.copytree(TOP / "generated" / "paywright", tmp_path / "generated" / "paywright", ignore=_CACHES)
    share_formatted(tmp_path)
    return tmp_path


_CACHES = shutil.ignore_patterns("__pycache__")


def snapshot(checkout: Path) -> str:
    return fingerprint([checkout / "generated"])


@pytest.mark.slow
def test_in_the_checkout_what_was_edited_by_hand_is_written_anew_and_strangers_are_removed(checkout: Path) -> None:
    before = snapshot(checkout)
    assert paywright("contract", "--dir", checkout, "generate").code == 0
    client = checkout / "generated" / "paywright" / "client.py"
    client.write_text(client.read_text() + "# by hand\n")
    (checkout / "generated" / "paywright" / "stranger.py").write_text("x = 1\n")
    ended = paywright("contract", "--dir", checkout, "generate")
    assert ended.out.splitlines()[:2] == ["+ generated/paywright/client.py", "- generated/paywright/stranger.py"]
    assert snapshot(checkout) == before


@pytest.mark.slow
def test_it_generates_where_the_package_is_broken(checkout: Path) -> None:
    before = snapshot(checkout)
    for name in ("__init__.py", "contract/__init__.py"):
        (checkout / "generated" / "paywright" / name).write_text("this is no Python\n")
    ours = [str(TOP / name) for name in ("audit", "cli", "codegen", "runtime", "sandbox")]
    path = ":".join([str(checkout / "generated"), *ours])
    ended = paywright("contract", "--dir", checkout, "generate", path=path)
    assert ended.code == 0, ended.err
    assert snapshot(checkout) == before


@pytest.mark.slow
def test_a_bad_contract_lists_all_problems_and_touches_nothing(checkout: Path) -> None:
    before = snapshot(checkout)
    refunds = checkout / "spec" / "refunds.yaml"
    text = refunds.read_text()
    text = re.sub(r"(: string max) [0-9]+ (eg \w\w)", r"\1 1 \2", text, count=1)
    refunds.write_text(text.replace("    request:\n", "    request:\n      more: strin\n", 1))
    for command in ("generate", "check", "lint"):
        ended = paywright("contract", "--dir", checkout, command)
        assert ended.code == 1
        assert ended.err.count("spec/refunds.yaml:") == 2, ended.err
    assert snapshot(checkout) == before


@pytest.mark.slow
def test_check_shows_what_would_change_and_writes_nothing(checkout: Path) -> None:
    shared = checkout / "spec" / "refunds.yaml"
    shared.write_text(re.sub(": string max [0-9]+", ": string max 397", shared.read_text(), count=1))
    before = snapshot(checkout)
    ended = paywright("contract", "--dir", checkout, "check")
    assert ended.code == 1
    assert "\n-" in ended.out
    assert "\n+" in ended.out
    assert "make generate" in ended.err
    assert snapshot(checkout) == before


@pytest.mark.slow
def test_check_does_not_believe_the_stamp(checkout: Path) -> None:
    assert paywright("contract", "--dir", checkout, "generate").code == 0
    client = checkout / "generated" / "paywright" / "client.py"
    client.write_text(client.read_text() + "# by hand\n")
    (checkout / ".cache" / "contract.stamp").write_text(fingerprint([checkout]))
    assert paywright("contract", "--dir", checkout, "check").code == 1


def test_lint_is_content_with_the_contract() -> None:
    assert paywright("contract", "lint", cwd=TOP) == (0, "spec/ has no problems\n", "")


def test_a_folder_below_a_checkout_belongs_to_it() -> None:
    assert paywright("contract", "lint", cwd=TOP / "tests" / "cli").code == 0


def test_generating_needs_a_checkout(tmp_path: Path) -> None:
    for arguments in (["generate"], ["--dir", str(tmp_path), "generate"], ["check"]):
        ended = paywright("contract", *arguments, cwd=tmp_path)
        assert ended.code == 2
        assert "no folder spec/" in ended.err


@pytest.mark.slow
def test_show_prints_an_operation_and_lists_all_for_an_unknown_one() -> None:
    ended = paywright("contract", "show", "refunds.create", cwd=TOP)
    assert ended.code == 0
    assert "outRefundNo!" in ended.out
    unknown = paywright("contract", "show", "refunds.creat", cwd=TOP)
    assert unknown.code == 2
    assert "refunds.create" in unknown.err


def test_questions_are_a_letter() -> None:
    ended = paywright("contract", "questions", cwd=TOP)
    assert ended.code == 0
    assert "sign-encoding" in ended.out


@pytest.mark.slow
def test_coverage_is_held_against_an_edition(checkout: Path, tmp_path: Path) -> None:
    ended = paywright("contract", "--dir", checkout, "coverage")
    assert (ended.code, ended.err) == (0, "")
    assert "0 are unclaimed" in ended.out
    # The sentence is in the specification; the heading above it is not.
    specification = tmp_path / "specification.md"
    specification.write_text("## 7. Errors\n\nHandling in 4.3. This is new.\n\n## 99. Later\n")
    ended = paywright("contract", "--dir", checkout, "coverage", specification)
    assert ended.code == 1
    assert f"+ {specification}:3: 7:2 is new: This is new." in ended.out
    assert "4 statements: 2 as listed, 0 of them moved, 0 changed, 2 new" in ended.out
    assert "the specification has no section 4.13" in ended.out
    listed = checkout / "spec" / "coverage.yaml"
    assert paywright("contract", "--dir", checkout, "coverage", specification, "--write").code == 1
    assert "unclaimed" in listed.read_text()
    ended = paywright("contract", "--dir", checkout, "coverage")
    assert (ended.code, "of section 7; name the entry" in ended.err) == (1, True)
    specification.write_text("## 1. Another\n\nNothing of this is known.\n")
    before = listed.read_text()
    ended = paywright("contract", "--dir", checkout, "coverage", specification, "--write")
    assert (ended.code, "it is another document" in ended.err) == (2, True)
    assert listed.read_text() == before


@pytest.mark.slow
def test_coverage_records_no_fact_that_the_specification_contradicts(checkout: Path, tmp_path: Path) -> None:
    listed, specification = checkout / "spec" / "coverage.yaml", tmp_path / "specification.md"
    specification.write_text("## 4.13 Refund\n\noutRefundNo (string, yes, max 65) is the key.\n")
    listed.write_text("")
    coverage = ("contract", "--dir", checkout, "coverage", specification, "--write")
    assert paywright(*coverage).code == 1, "it cites other sections"
    before = listed.read_text().replace("unclaimed", "refunds.create.request.outRefundNo")
    listed.write_text(before)
    ended = paywright(*coverage)
    assert (ended.code, "the contract contradicts this document; nothing was written" in ended.err) == (1, True)
    assert "has `max 64`, and 4.13:1 of the specification (line 3) says `max 65`" in ended.err
    assert listed.read_text() == before


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"\xff\xfe", b"\n", b""], ids=ascii)
def test_a_specification_that_is_none_is_wrong_usage(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "s.md"
    file.write_bytes(content)
    assert paywright("contract", "coverage", file, cwd=TOP).code == 2
    assert paywright("contract", "coverage", tmp_path / "none.md", cwd=TOP).code == 2
    assert "--write needs the document" in paywright("contract", "coverage", "--write", cwd=TOP).err


def test_a_stamp_holds_until_anything_changes(tmp_path: Path) -> None:
    root, stamp = tmp_path / "root", tmp_path / "stamp"
    (root / "deep").mkdir(parents=True)
    (root / "a").write_text("1")
    (root / "deep" / "b").write_text("2")
    assert not is_fresh(stamp, [root])
    remember(stamp, fingerprint([root], ["word"]))
    assert is_fresh(stamp, [root], ["word"])
    assert not is_fresh(stamp, [root], ["other"])
    for change in ("edit", "rename", "add", "remove"):
        remember(stamp, fingerprint([root]))
        assert is_fresh(stamp, [root])
        if change == "edit":
            (root / "a").write_text("2")
        elif change == "rename":
            (root / "a").rename(root / "c")
        elif change == "add":
            (root / "deep" / "new").write_text("")
        else:
            (root / "deep" / "b").unlink()
        assert not is_fresh(stamp, [root]), change


@pytest.mark.slow
def test_what_is_saved_in_the_middle_of_a_generation_is_generated_by_the_next_one(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refunds, really = checkout / "spec" / "refunds.yaml", generator.generate

    def saved_meanwhile(project: Project, contract: Contract) -> WrittenFiles:
        outcome = really(project, contract)
        text = refunds.read_text(encoding="utf-8")
        said = re.sub(r"(?m)^(  [A-Z]\w+ \[.+\]: +# )", r"\1In short: ", text, count=1)
        refunds.write_text(said, encoding="utf-8")
        return outcome

    monkeypatch.setattr(generator, "generate", saved_meanwhile)
    assert main(["contract", "--dir", str(checkout), "generate"]) == 0
    monkeypatch.undo()
    capsys.readouterr()
    assert main(["contract", "--dir", str(checkout), "generate"]) == 0
    assert "+ generated/paywright/models/refunds.py" in capsys.readouterr().out
    assert main(["contract", "--dir", str(checkout), "generate"]) == 0
    assert capsys.readouterr().out == "generated/ is up to date\n"


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["spec", "generated/paywright"])
def test_a_link_to_the_folder_above_is_not_followed(checkout: Path, folder: str) -> None:
    (checkout / folder / "loop").symlink_to("..")
    for _ in range(2):
        ended = paywright("contract", "--dir", checkout, "generate")
        assert ended.code == 0, ended.err
    assert ended.out == "generated/ is up to date\n"


@pytest.mark.slow
def test_strange_files_are_removed_by_name_or_left_alone(checkout: Path) -> None:
    package = checkout / "generated" / "paywright"
    (package / "nowhere").symlink_to("/nowhere/at/all")
    os.mkfifo(package / "pipe")
    Path(os.fsdecode(os.fsencode(package) + b"/\xff.py")).write_text("x = 1\n")
    ended = paywright("contract", "--dir", checkout, "generate")
    assert ended.code == 0, ended.err
    assert ended.out.count("- generated/") == 1
    assert paywright("contract", "--dir", checkout, "check").code == 0


def test_a_contract_that_is_a_pipe_is_refused_with_words(checkout: Path) -> None:
    os.mkfifo(checkout / "spec" / "more.yaml")
    ended = paywright("contract", "--dir", checkout, "lint")
    assert ended.code == 1
    assert "spec/more.yaml:1: this is no file" in ended.out + ended.err


def test_a_stamp_that_cannot_be_read_is_not_fresh(tmp_path: Path) -> None:
    (tmp_path / "stamp").write_bytes(b"\xff")
    assert not is_fresh(tmp_path / "stamp", [tmp_path])


@pytest.mark.slow
def test_fmt_writes_one_layout(checkout: Path) -> None:
    assert paywright("contract", "--dir", checkout, "fmt").code == 0
    assert paywright("contract", "--dir", checkout, "fmt", "--check").code == 0
    laid_out = fingerprint([checkout / "spec"])
    refunds = checkout / "spec" / "refunds.yaml"
    refunds.write_text(refunds.read_text().replace(": string", ":   string"))
    ended = paywright("contract", "--dir", checkout, "fmt", "--check")
    assert (ended.code, ended.out) == (1, "~ spec/refunds.yaml\n")
    assert "1 file of spec/ would change" in ended.err
    assert fingerprint([checkout / "spec"]) != laid_out
    assert paywright("contract", "--dir", checkout, "fmt").code == 0
    assert fingerprint([checkout / "spec"]) == laid_out


def test_fmt_leaves_a_contract_alone_that_cannot_be_read(checkout: Path) -> None:
    refunds = checkout / "spec" / "refunds.yaml"
    refunds.write_text(refunds.read_text() + "- a list\n")
    before = fingerprint([checkout / "spec"])
    ended = paywright("contract", "--dir", checkout, "fmt")
    assert ended.code == 1
    assert "nothing was changed" in ended.err
    assert fingerprint([checkout / "spec"]) == before


def test_everything_that_generation_reads_is_there() -> None:
    assert [path for path in _inputs(TOP / "spec") if not path.exists()] == []


@pytest.mark.parametrize("document", ["openapi", "schemas", "examples"])
def test_a_document_for_other_tools_is_printed_or_written(document: str, tmp_path: Path) -> None:
    ours = json.loads((TOP / "generated" / "paywright" / f"{document}.json").read_text(encoding="utf-8"))
    printed = paywright("contract", "export", document)
    assert (printed.code, json.loads(printed.out)) == (0, ours)
    written = paywright("contract", "export", document, "--out", tmp_path / "made.json")
    assert (written.code, json.loads((tmp_path / "made.json").read_text(encoding="utf-8"))) == (0, ours)
    refused = paywright("contract", "export", document, "--out", tmp_path / "none" / "made.json")
    assert (refused.code, "nothing was written" in refused.err) == (2, True)

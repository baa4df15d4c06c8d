"""`paywright contract`: it works where the generated package is missing or broken, and never leaves it half written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command_line import TOP, paywright

from paywright_codegen.stamp import fingerprint, is_fresh, remember


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with the contract, and the generated package as it is."""
    shutil.copytree(TOP / "spec", tmp_path / "spec")
    shutil.copytree(TOP / "generated" / "paywright", tmp_path / "generated" / "paywright", ignore=_CACHES)
    shutil.copytree(TOP / ".cache" / "black", tmp_path / ".cache" / "black", dirs_exist_ok=True) if _cached() else None
    return tmp_path


_CACHES = shutil.ignore_patterns("__pycache__")


def _cached() -> bool:
    # Formatting everything anew takes seconds; what was formatted before is the same text.
    return (TOP / ".cache" / "black").is_dir()


def snapshot(checkout: Path) -> str:
    return fingerprint([checkout / "generated"])


def test_generating_again_changes_nothing(checkout: Path) -> None:
    before = snapshot(checkout)
    ended = paywright("contract", "--dir", checkout, "generate")
    assert ended.code == 0, ended.err
    assert snapshot(checkout) == before
    assert paywright("contract", "--dir", checkout, "generate").out == "generated/ is up to date\n"


def test_what_was_edited_by_hand_is_written_anew_and_strangers_are_removed(checkout: Path) -> None:
    before = snapshot(checkout)
    assert paywright("contract", "--dir", checkout, "generate").code == 0
    client = checkout / "generated" / "paywright" / "client.py"
    client.write_text(client.read_text() + "# by hand\n")
    (checkout / "generated" / "paywright" / "stranger.py").write_text("x = 1\n")
    ended = paywright("contract", "--dir", checkout, "generate")
    assert ended.out.splitlines()[:2] == ["+ generated/paywright/client.py", "- generated/paywright/stranger.py"]
    assert snapshot(checkout) == before


def test_it_generates_where_the_package_is_missing(checkout: Path) -> None:
    before = snapshot(checkout)
    shutil.rmtree(checkout / "generated")
    ended = paywright("contract", "--dir", checkout, "generate")
    assert ended.code == 0, ended.err
    assert snapshot(checkout) == before


def test_it_generates_where_the_package_is_broken(checkout: Path) -> None:
    before = snapshot(checkout)
    for name in ("__init__.py", "contract/__init__.py"):
        (checkout / "generated" / "paywright" / name).write_text("this is no Python\n")
    path = ":".join(
        str(top / name) for top, name in [(TOP, "codegen"), (checkout, "generated"), (TOP, "runtime"), (TOP, "tools")]
    )
    ended = paywright("contract", "--dir", checkout, "generate", path=path)
    assert ended.code == 0, ended.err
    assert snapshot(checkout) == before


def test_a_bad_contract_lists_all_problems_and_touches_nothing(checkout: Path) -> None:
    before = snapshot(checkout)
    refunds = checkout / "spec" / "refunds.yaml"
    text = refunds.read_text()
    refunds.write_text(
        text.replace("outRefundNo!: string max 64 eg REF_0001", "outRefundNo!: string max 4 eg REF_0001").replace(
            "comments: string max 512", "comments: strin max 512"
        )
    )
    for command in ("generate", "check", "lint"):
        ended = paywright("contract", "--dir", checkout, command)
        assert ended.code == 1
        assert ended.err.count("spec/refunds.yaml:") == 2, ended.err
    assert snapshot(checkout) == before


def test_check_shows_what_would_change_and_writes_nothing(checkout: Path) -> None:
    shared = checkout / "spec" / "refunds.yaml"
    shared.write_text(shared.read_text().replace("comments: string max 512", "comments: string max 256"))
    before = snapshot(checkout)
    ended = paywright("contract", "--dir", checkout, "check")
    assert ended.code == 1
    assert "\n-" in ended.out
    assert "\n+" in ended.out
    assert "make generate" in ended.err
    assert snapshot(checkout) == before


def test_check_does_not_believe_the_stamp(checkout: Path) -> None:
    assert paywright("contract", "--dir", checkout, "generate").code == 0
    client = checkout / "generated" / "paywright" / "client.py"
    client.write_text(client.read_text() + "# by hand\n")
    (checkout / ".cache" / "contract.stamp").write_text(fingerprint([checkout]))
    assert paywright("contract", "--dir", checkout, "check").code == 1


def test_lint_is_content_with_the_contract() -> None:
    assert paywright("contract", "lint", cwd=TOP) == (0, "spec/ has no problems\n", "")


def test_a_folder_below_a_checkout_belongs_to_it() -> None:
    assert paywright("contract", "lint", cwd=TOP / "tests" / "tools").code == 0


def test_generating_needs_a_checkout(tmp_path: Path) -> None:
    for arguments in (["generate"], ["--dir", str(tmp_path), "generate"], ["check"]):
        ended = paywright("contract", *arguments, cwd=tmp_path)
        assert ended.code == 2
        assert "no folder spec/" in ended.err


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


def test_coverage_lists_cited_and_uncited_headings_and_citations_of_nothing(checkout: Path, tmp_path: Path) -> None:
    specification = tmp_path / "specification.md"
    specification.write_text("## 4. Operations\n\n### 4.13 Refund application\n\n## 99. Nobody cites this\n")
    ended = paywright("contract", "--dir", checkout, "coverage", specification)
    assert "4.13 Refund application: cited" in ended.out
    assert "99 Nobody cites this" in ended.out
    assert ended.code == 1, "the contract cites sections that this text does not have"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"no headings", b""], ids=ascii)
def test_a_specification_that_is_none_is_wrong_usage(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "s.md"
    file.write_bytes(content)
    assert paywright("contract", "coverage", file, cwd=TOP).code == 2
    assert paywright("contract", "coverage", tmp_path / "none.md", cwd=TOP).code == 2


def test_a_stamp_holds_until_anything_changes(tmp_path: Path) -> None:
    root, stamp = tmp_path / "root", tmp_path / "stamp"
    (root / "deep").mkdir(parents=True)
    (root / "a").write_text("1")
    (root / "deep" / "b").write_text("2")
    assert not is_fresh(stamp, [root])
    remember(stamp, [root], ["word"])
    assert is_fresh(stamp, [root], ["word"])
    assert not is_fresh(stamp, [root], ["other"])
    for change in ("edit", "rename", "add", "remove"):
        remember(stamp, [root])
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


def test_a_stamp_that_cannot_be_read_is_not_fresh(tmp_path: Path) -> None:
    (tmp_path / "stamp").write_bytes(b"\xff")
    assert not is_fresh(tmp_path / "stamp", [tmp_path])

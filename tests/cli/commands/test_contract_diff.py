"""`paywright contract diff`: what it compares, how it ends, and what it says to bad input."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from paywright_cli.commands.contract_reading import source
from paywright_cli.main import main
from tests.cli.helpers.command_line import TOP, paywright
from tests.support.tiny import SPEC as TINY

# The contract is the tiny one of the tests: that of the gateway may change.
TIGHTER = ("      note: string min 2 max 20 ", "      note: string min 2 max 10 ")
WORDS = ("# Ask what became of goods.", "# Ask what has become of goods.")
MORE = ("      kind: string in NEW OLD\n", "      kind: string in NEW OLD\n      reason: string max 20\n")


def edited(folder: Path, *edits: tuple[str, str]) -> Path:
    """A folder with the contract, of which goods.yaml is edited."""
    shutil.copytree(TINY, folder / "spec")
    path = folder / "spec" / "goods.yaml"
    text = path.read_text(encoding="utf-8")
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return folder


def ended(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """The exit code of a comparison in this process, and what it wrote."""
    code = main(["contract", "diff", *map(str, arguments)])
    written = capsys.readouterr()
    assert "Traceback" not in written.err
    return code, written.out, written.err


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@shop.example", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


def wheel(path: Path, spec: Path) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for file in sorted(spec.glob("*.yaml")):
            made.writestr(f"paywright_codegen/spec/{file.name}", file.read_bytes())
    return path


@pytest.mark.slow
def test_two_equal_contracts_have_no_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ended(capsys, TOP, "installed")
    assert (code, out) == (0, f"{TOP} -> installed: none, 0 changes\n")


@pytest.mark.slow
def test_a_folder_a_wheel_and_a_revision_are_compared_alike(tmp_path: Path) -> None:
    old, new = edited(tmp_path / "old"), edited(tmp_path / "new", TIGHTER)
    git(tmp_path, "init", "--quiet", "old")
    git(old, "add", "spec")
    git(old, "commit", "--quiet", "-m", "as released")
    git(old, "tag", "v0.1.0")
    (old / "spec" / "goods.yaml").write_bytes((new / "spec" / "goods.yaml").read_bytes())
    packed = wheel(tmp_path / "old-0.1.0-py3-none-any.whl", TINY)
    base = edited(tmp_path / "base")
    for named in (base, base / "spec", "v0.1.0", packed):
        done = paywright("contract", "diff", named, cwd=old)
        assert done.code == 1, done.err
        assert done.out.startswith(f"{named} -> spec/: major, 1 change\n")
        assert "- **major** `goods.buy.request.data.note`: max 20 -> 10 [1.1]\n" in done.out


def test_the_text_has_verdicts_places_and_a_witness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = ((TIGHTER[0], f"      note: string min 2 max {most} ") for most in (200, 100))
    _, out, _ = ended(capsys, edited(tmp_path / "old", old), edited(tmp_path / "new", new))
    lines = [line.strip() for line in out.splitlines()]
    said = "it can break merchants who send it: the new contract refuses what the old one allows"
    assert f"on the wire, major: {said}" in lines
    assert not [line for line in lines if "in Python" in line or line.startswith("in outcome")]
    assert "goods.buy.request, refused for /order/note (max):" in lines
    assert '... 101 characters"' in out
    place = lines[3].split(" -> ")
    assert place[0].startswith("spec/goods.yaml:")
    assert place[0] == place[1]


def test_lines_of_changes_are_for_the_changelog(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ended(capsys, TINY, edited(tmp_path / "new", MORE, WORDS))
    assert (code, [line for line in out.splitlines() if line.startswith("- ")]) == (
        0,
        [
            "- **minor** `goods.buy.request.data.reason`: new member, string max 20 [1.1]",
            "- **patch** `goods.query`: prose changed [1.2]",
            "- **minor** `client.goods.buy(reason)`: in Python, is new",
        ],
    )
    code, out, _ = ended(capsys, edited(tmp_path / "old", MORE), TINY)
    assert (code, out.splitlines()[-1]) == (1, "- **major** `client.goods.buy(reason)`: in Python, is gone")


def test_a_contract_with_problems_is_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    new = edited(tmp_path / "new", ("    key: key ignoring case", "    key: lock ignoring case"))
    code, out, err = ended(capsys, TINY, new)
    assert (code, out) == (3, "")
    assert "lock" in err
    assert f"{new} cannot be compared" in err
    monkeypatch.chdir(new)
    assert ended(capsys, wheel(tmp_path / "old-0.1.0.whl", TINY), "--released")[0] == 3


def test_what_is_no_contract_is_refused_with_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.whl").write_text("no wheel")
    with zipfile.ZipFile(tmp_path / "other.whl", "w") as other:
        other.writestr("other/__init__.py", "")
    for name, content in (("bomb", bytes(11_000_000)), ("D:evil", b"x"), ("cut", bytes(range(256)) * 99)):
        with zipfile.ZipFile(tmp_path / f"{name}.whl", "w", zipfile.ZIP_DEFLATED) as made:
            made.writestr(f"paywright_codegen/spec/{name}.yaml", content)
    raw = (tmp_path / "cut.whl").read_bytes()
    (tmp_path / "cut.whl").write_bytes(raw.replace(raw[200:240], bytes(40), 1))
    with zipfile.ZipFile(tmp_path / "lzma.whl", "w", zipfile.ZIP_LZMA) as made:
        made.writestr("paywright_codegen/spec/a.yaml", "x")
    os.mkfifo(tmp_path / "pipe.whl")
    said = {
        tmp_path / "bomb.whl": "its contract has more than 10000000 bytes",
        tmp_path / "D:evil.whl": "'D:evil.yaml' is no name of a contract's file",
        tmp_path / "cut.whl": "it is neither a folder nor a wheel",
        tmp_path / "lzma.whl": "it is neither a folder nor a wheel",
        tmp_path / "pipe.whl": "it is neither a folder nor a wheel",
        "^HEAD": "no such revision",
        tmp_path / "empty": "there is no contract, a folder of *.yaml files or one that contains spec/",
        tmp_path / "text.whl": "it is neither a folder nor a wheel",
        tmp_path / "other.whl": "there is no contract in this wheel",
        tmp_path / "missing.whl": "No such file or directory",
        tmp_path / "missing": "there is no such folder or wheel, and no such revision in the repository around",
        "": "there is no such folder or wheel",
        "v99.0.0": "no such revision",
        "-5^{tree}": "no such revision",
    }
    for named, words in said.items():
        code, out, err = ended(capsys, "--", named, TOP)
        assert (code, out) == (2, ""), named
        assert words in err, (named, err)


def test_a_revision_without_a_contract_is_refused_with_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "README").write_text("nothing else")
    git(tmp_path, "add", "README")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    edited(tmp_path)
    monkeypatch.chdir(tmp_path)
    code, _, err = ended(capsys, "HEAD")
    assert code == 2
    assert "HEAD: this revision has no folder spec/" in err
    monkeypatch.setenv("PATH", "")
    assert "a revision needs git, which is not installed" in ended(capsys, "HEAD")[2]


def test_a_revision_is_read_byte_for_byte(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (released / "spec" / ".gitattributes").write_text("*.yaml filter=other export-subst\ngoods.yaml export-ignore\n")
    (released / "spec" / "link.yaml").symlink_to("goods.yaml")
    git(released, "config", "filter.other.smudge", "sed s/2/3/")
    git(released, "add", ".")
    git(released, "commit", "--quiet", "-m", "attributes")
    git(released, "branch", "other")
    with source("other", released) as spec:
        assert {one.name: one.read_bytes() for one in spec.iterdir()} == {
            one.name: one.read_bytes() for one in TINY.glob("*.yaml")
        }
    (released / "other").mkdir()
    code, _, err = ended(capsys, "other")
    assert (code, "write ./other, or refs/heads/other for the branch" in err) == (2, True)
    assert ended(capsys, "refs/heads/other", TINY)[0] == 0


def test_arguments_that_do_not_fit_are_refused_with_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "name the contract to compare with" in ended(capsys)[2]
    assert "give no NEW" in ended(capsys, "--released", TOP, TOP)[2]
    monkeypatch.chdir(tmp_path)
    assert "there is no folder spec/ here or above" in ended(capsys, TOP)[2]
    assert "there is no folder spec/ here or above" in ended(capsys, "--released")[2]


@pytest.fixture
def released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose contract is the one that was released as 0.1.0."""
    top = edited(tmp_path / "top")
    (top / "CHANGELOG.md").write_text("# Changelog\n\n## 0.1.0\n\n- The first.\n")
    git(tmp_path, "init", "--quiet", "top")
    git(top, "add", ".")
    git(top, "commit", "--quiet", "-m", "as released")
    monkeypatch.chdir(top)
    return top


def say_version(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr("paywright_runtime.version.VERSION", version)


def test_without_a_release_there_is_nothing_to_compare(
    released: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    git(released, "tag", "latest")
    git(released, "tag", "v0.1.0-rc1")
    for path in (None, ""):
        if path is not None:
            monkeypatch.setenv("PATH", path)
        code, out, _ = ended(capsys, "--released")
        assert (code, out[:58]) == (0, "no tag such as v0.1.0 is in this repository: there is no r")
    assert "'HEAD' has no version in its name" in ended(capsys, "HEAD", "--released")[2]


@pytest.mark.slow
@pytest.mark.parametrize("since", ["tag", "wheel"])
def test_version_and_changelog_must_say_what_changed(
    released: Path, since: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: tuple[str | Path, ...] = ("--released",)
    if since == "tag":
        git(released, "tag", "v0.1.0")
    else:
        asked = (wheel(released / "paywright-0.1.0-py3-none-any.whl", released / "spec"), "--released")
    assert ended(capsys, *asked)[0] == 0
    path = released / "spec" / "goods.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace(*TIGHTER), encoding="utf-8")
    code, _, err = ended(capsys, *asked)
    assert code == 1
    assert "the version is 0.1.0, and major changes since 0.1.0 need at least 0.2.0" in err
    assert "CHANGELOG.md does not name `goods.buy.request.data.note` under 0.1.0, which is major" in err
    say_version(monkeypatch, "0.1.1")
    assert "the version is 0.1.1" in ended(capsys, *asked)[2]
    say_version(monkeypatch, "0.2.0")
    assert "under 0.2.0" in ended(capsys, *asked)[2]
    old = asked[0] if since == "wheel" else "v0.1.0"
    code, out, _ = ended(capsys, old)
    assert code == 1
    changelog = f"# Changelog\n\n## 0.2.0\n\n{out}\n## 0.1.0\n\n- The first.\n"
    (released / "CHANGELOG.md").write_text(changelog)
    assert ended(capsys, *asked) == (0, "version 0.2.0 and CHANGELOG.md say what changed since 0.1.0\n", "")


def test_the_newest_release_counts(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for tag in ("v0.0.9", "v0.0.10", "latest"):
        git(released, "tag", tag)
    assert "since 0.0.10" in ended(capsys, "--released")[1]
    (released / "CHANGELOG.md").unlink()
    assert "CHANGELOG.md: No such file or directory" in ended(capsys, "--released")[2]

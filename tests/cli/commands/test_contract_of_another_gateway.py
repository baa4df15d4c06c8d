"""`paywright contract init` and `generate --spec`: the way to the package of another gateway, and what they refuse."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from paywright_codegen.generation.freshness import fingerprint
from tests.cli.helpers.command_line import PACKAGES, paywright


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """The start of a contract, as the command writes it."""
    ended = paywright("contract", "init", tmp_path / "acme")
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[:2] == [f"+ {tmp_path / 'acme' / name}" for name in ("payments.yaml", "service.yaml")]
    return tmp_path / "acme"


def generate(spec: Path, out: Path, package: str = "acmepay") -> tuple[int, str, str]:
    return paywright("contract", "generate", "--spec", spec, "--out", out, "--package", package)


@pytest.mark.slow
def test_the_start_is_sound_and_in_its_layout(spec: Path) -> None:
    assert paywright("contract", "lint", "--spec", spec).code == 0
    assert paywright("contract", "fmt", "--check", "--spec", spec).code == 0
    assert "client.payments.resolve" not in paywright("contract", "show", "payments.query", "--spec", spec).out
    assert "signed-text" in paywright("contract", "questions", "--spec", spec).out


@pytest.mark.slow
def test_its_package_imports_and_has_no_other_name_than_its_own(spec: Path, tmp_path: Path) -> None:
    code, out, err = generate(spec, tmp_path / "src")
    assert code == 0, err
    assert out.splitlines()[-1] == "acmepay is up to date: 30 files, 30 of them changed now"
    for path in (tmp_path / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "import paywright\n" not in text
        assert "from paywright " not in text
        assert "from paywright." not in text
    ask = "import acmepay, acmepay.aio; print(acmepay.Client, acmepay.aio.Client, acmepay.Merchant, acmepay.Receiver)"
    done = subprocess.run(
        [sys.executable, "-c", ask], cwd=tmp_path / "src", env={"PYTHONPATH": PACKAGES}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("acmepay.") == 4


@pytest.mark.slow
def test_generating_again_changes_nothing_and_removes_only_what_it_wrote(spec: Path, tmp_path: Path) -> None:
    generate(spec, tmp_path / "src")
    before = fingerprint([tmp_path / "src"])
    assert generate(spec, tmp_path / "src")[1] == "acmepay is up to date: 30 files, 0 of them changed now\n"
    assert fingerprint([tmp_path / "src"]) == before
    (spec / "payments.yaml").rename(spec / "money.yaml")
    out = generate(spec, tmp_path / "src")[1]
    assert f"- {tmp_path / 'src' / 'acmepay' / 'models' / 'payments.py'}" in out.splitlines()
    assert f"+ {tmp_path / 'src' / 'acmepay' / 'models' / 'money.py'}" in out.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["Acme", "acme-pay", "1acme", "", "a..b", ".a", "a/b", "../a", "class", "match", "json", "paywright", "paywright_runtime", "acmé"]
)  # fmt: skip
def test_a_bad_name_is_refused_with_words_and_nothing_is_written(spec: Path, tmp_path: Path, name: str) -> None:
    code, _, err = generate(spec, tmp_path / "src", name)
    assert code == 2
    assert "Nothing was written" in err
    assert not (tmp_path / "src").exists()


@pytest.mark.slow
@pytest.mark.parametrize("file", ["__init__.py", "notes.txt", "client.py", "models/own.py"])
def test_a_folder_with_files_of_others_is_left_alone(spec: Path, tmp_path: Path, file: str) -> None:
    path = tmp_path / "src" / "acmepay" / file
    path.parent.mkdir(parents=True)
    path.write_text("x = 1\n")
    code, _, err = generate(spec, tmp_path / "src")
    assert code == 2
    assert "was not generated, and would be removed or replaced" in err
    assert [found.name for found in (tmp_path / "src").rglob("*") if found.is_file()] == [path.name]


@pytest.mark.slow
def test_a_file_of_ones_own_among_generated_ones_is_left_alone(spec: Path, tmp_path: Path) -> None:
    generate(spec, tmp_path / "src")
    own = tmp_path / "src" / "acmepay" / "own.py"
    own.write_text("x = 1\n")
    code, _, err = generate(spec, tmp_path / "src")
    assert (code, str(own) in err, own.read_text()) == (2, True, "x = 1\n")


def test_a_contract_with_a_problem_writes_nothing(spec: Path, tmp_path: Path) -> None:
    path = spec / "service.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("from signature.message", "from signature.mesage"), encoding="utf-8"
    )
    code, _, err = generate(spec, tmp_path / "src")
    assert code == 1
    assert "did you mean `signature.message`" in err
    assert "nothing was written" in err
    assert not (tmp_path / "src").exists()


@pytest.mark.parametrize("missing", ["--spec", "--out", "--package"])
def test_all_three_are_asked_for(spec: Path, tmp_path: Path, missing: str) -> None:
    given = {"--spec": spec, "--out": tmp_path / "src", "--package": "acmepay"}
    del given[missing]
    ended = paywright("contract", "generate", *(part for pair in given.items() for part in pair))
    assert (ended.code, "needs --spec DIR, --out DIR and --package NAME" in ended.err) == (2, True)


@pytest.mark.slow
def test_what_is_no_contract_is_said_so(tmp_path: Path) -> None:
    for command in (["lint"], ["fmt"], ["generate", "--out", str(tmp_path / "src"), "--package", "acmepay"]):
        ended = paywright("contract", *command, "--spec", tmp_path)
        assert (ended.code, "there is no contract" in ended.err) == (2, True)
    ended = paywright("contract", "--dir", tmp_path, "lint", "--spec", tmp_path)
    assert (ended.code, "give one of them" in ended.err) == (2, True)


@pytest.mark.slow
def test_the_start_is_written_into_an_empty_folder_alone(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert paywright("contract", "init", tmp_path / "empty").code == 0
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("empty", "full", "file"):
        ended = paywright("contract", "init", tmp_path / name)
        assert ended.code == 2
        assert "is not an empty folder, and nothing was written" in ended.err
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes.txt"]

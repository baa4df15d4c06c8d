"""`paywright contract init` and `generate --spec`: the way to the package of another gateway, and what they refuse."""

from __future__ import annotations

import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from shutil import copytree

import pytest

from paywright_cli.commands.contract_package import refusal
from paywright_codegen.generation.freshness import fingerprint
from tests.cli.helpers.command_line import PACKAGES, paywright
from tests.support.packages import FOLDERS


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
    assert generate(spec, tmp_path / "src")[1] == "acmepay is up to date\n"
    (spec / "notes.txt").write_text("read by nothing")
    assert generate(spec, tmp_path / "src")[1] == "acmepay is up to date: 30 files, 0 of them changed now\n"
    assert fingerprint([tmp_path / "src"]) == before
    (spec / "payments.yaml").rename(spec / "money.yaml")
    out = generate(spec, tmp_path / "src")[1]
    assert f"- {tmp_path / 'src' / 'acmepay' / 'models' / 'payments.py'}" in out.splitlines()
    assert f"+ {tmp_path / 'src' / 'acmepay' / 'models' / 'money.py'}" in out.splitlines()


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_costs_time_alone(spec: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    given = ("contract", "generate", "--spec", spec, "--out", tmp_path / "src", "--package", "acmepay")
    for cache in (tmp_path / "file", "relative"):
        ended = paywright(*given, env={"XDG_CACHE_HOME": str(cache)}, cwd=tmp_path)
        assert (ended.code, "acmepay is up to date: 30 files" in ended.out) == (0, True), ended.err
    assert not (tmp_path / "relative").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["Acme", "acme-pay", "1acme", "", "a..b", ".a", "a/b", "../a", "class", "match", "json", "paywright", "paywright_runtime", "acmé"]
)  # fmt: skip
def test_a_bad_name_is_refused_with_words_and_nothing_is_written(spec: Path, tmp_path: Path, name: str) -> None:
    code, _, err = generate(spec, tmp_path / "src", name)
    assert code == 2
    assert "Nothing was written" in err
    assert not (tmp_path / "src").exists()


def test_no_package_stands_before_one_that_ours_imports_or_that_python_starts_with() -> None:
    files = (file for folder in FOLDERS for file in Path(folder).rglob("*.py"))
    said = re.compile(
        r"^ *(?:from ([a-z]\w*)[.\w]* import .*|import ([a-z]\w*)[.\w]*(?: as \w+)?)$", re.MULTILINE
    ).findall
    imported = {name for file in files for pair in said(file.read_text(encoding="utf-8")) for name in pair if name}
    assert {"cryptography", "yaml", "anyio", "pyarrow", "starlette", "json"} <= imported
    for name in sorted(
        imported | {"pip", "sitecustomize", "usercustomize", "idna", "cffi", "encodings", "antigravity"}
    ):
        assert refusal(name), name
    assert refusal("acmepay") is None
    assert refusal("acme.yaml") is None


def harm(root: Path, how: str) -> Path:
    """Put something into the folder of a package that was not generated, and return what is there then."""
    kind, _, name = how.partition(" ")
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        elsewhere = root.parents[1] / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        if path.exists():
            path.rename(elsewhere / path.name)
        path.symlink_to(elsewhere / path.name if (elsewhere / path.name).exists() else elsewhere)
    elif kind == "changed":
        path.write_bytes(path.read_bytes() + b"# mine\n")
    else:
        path.write_text('"""Mine."""\n')
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", ["__init__.py", "notes.txt", "client.py", "models/own.py", "generated.sha256", "data/examples.json"]
)
def test_a_folder_with_files_of_others_is_left_alone(spec: Path, tmp_path: Path, file: str) -> None:
    path = harm(tmp_path / "src" / "acmepay", f"own {file}")
    code, _, err = generate(spec, tmp_path / "src")
    assert code == 2
    assert f"{path} was not generated, and would be removed or replaced" in err
    assert [found.name for found in (tmp_path / "src").rglob("*") if found.is_file()] == [path.name]


_HARMS = {
    "own own.py": "was not generated", "own notes.py": "was not generated", "own models/notes.py": "was not generated",
    "own data/examples.json": "was not generated",
    "own py.typed.orig": "was not generated",
    "changed client.py": "was changed since it was generated",
    "changed examples.json": "was changed since it was generated",
    "changed models/__init__.py": "was changed since it was generated",
    "link models": "is a link", "link client.py": "is a link", "link data": "is a link",
}  # fmt: skip


@pytest.mark.slow
def test_what_was_changed_by_hand_or_not_generated_is_left_as_it_is(spec: Path, tmp_path: Path) -> None:
    generate(spec, tmp_path / "sound" / "src")
    (spec / "payments.yaml").rename(spec / "money.yaml")  # the next run removes and writes files
    for number, (how, why) in enumerate(_HARMS.items()):
        out = tmp_path / str(number) / "src"
        copytree(tmp_path / "sound" / "src", out)
        path = harm(out / "acmepay", how)
        before = fingerprint([out.parent])
        code, _, err = generate(spec, out)
        assert (code, f"{path} {why}" in err, "Nothing was written" in err) == (2, True, True), how
        assert fingerprint([out.parent]) == before, how
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "acme").rename(tmp_path / "contract")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "acme").symlink_to(tmp_path / "elsewhere")
    code, _, err = generate(tmp_path / "contract", tmp_path / "out", "acme.models")
    assert (code, f"{tmp_path / 'out' / 'acme'} is a link" in err) == (2, True)
    assert list((tmp_path / "elsewhere").iterdir()) == []


_STOPPED = """
import os, sys
from paywright_cli.main import main
left, really = int(sys.argv.pop(1)), os.replace
def stopping(source, target):
    global left
    left -= 1
    if left < 0:
        raise KeyboardInterrupt
    really(source, target)
os.replace = stopping
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", [0, 1, 2, 9])
def test_a_run_that_was_stopped_is_finished_by_the_next(spec: Path, tmp_path: Path, after: int) -> None:
    out = tmp_path / "src"
    given = ("contract", "generate", "--spec", spec, "--out", out, "--package", "acmepay")
    for renamed in (False, True):
        if renamed:
            (spec / "payments.yaml").rename(spec / "money.yaml")
        assert paywright(str(after), *given, program=("-c", _STOPPED)).code == 130
        assert paywright(*given).code == 0
        assert (out / "acmepay" / "models" / "payments.py").exists() != renamed


@pytest.mark.slow
def test_the_manifest_lists_every_file_as_sha256sum_does(spec: Path, tmp_path: Path) -> None:
    generate(spec, tmp_path / "src")
    root = tmp_path / "src" / "acmepay"
    listed = dict(line.split("  ")[::-1] for line in (root / "generated.sha256").read_text().splitlines())
    files = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    assert files.pop("generated.sha256")
    assert listed == {name: sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
    assert list(listed) == sorted(listed)
    for path in root.rglob("*.py"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))  # as git may check them out
    assert generate(spec, tmp_path / "src")[0] == 0


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_said_so(spec: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, _, err = generate(spec, tmp_path / "file" / "src")
    assert code == 1
    assert "cannot be written" in err
    assert "nothing was written to" in err


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

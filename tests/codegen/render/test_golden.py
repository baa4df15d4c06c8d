"""The tiny contract has one of everything; what is generated from it is compared with golden files, and really called."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from difflib import unified_diff
from pathlib import Path

import pytest

from paywright_codegen.generation.generator import format_files, generate, render
from paywright_codegen.lint.linter import check as lint
from paywright_codegen.model.rules import (
    AnyIs,
    Blank,
    Differs,
    IsGiven,
    Joined,
    Need,
    OneOf,
    Refuse,
    Restrict,
    Unknowable,
)
from paywright_codegen.reader.loader import load
from tests.support.contract import TOP
from tests.support.tiny import FORMATTED, GOLDEN, SPEC, tiny_contract, tiny_project

UPDATE = "run `pytest tests/codegen/render/test_golden.py --update-golden` and read the diff before committing it"


def test_the_tiny_contract_is_clean() -> None:
    assert lint(SPEC) == ()


def test_the_tiny_contract_has_one_of_everything() -> None:
    contract = tiny_contract()
    fields = [field for struct in contract.all_structs() for field in struct.fields]
    fields += [field for one in contract.operations.values() for message in one.messages for field in message.headers]
    kinds = {field.type.kind for field in fields}
    assert kinds == {"string", "number", "boolean", "object", "format", "set", "struct"}
    for has in (
        [field.type.array for field in fields],
        [field.min is not None and field.min == field.max for field in fields],
        [field.min is not None and field.min != field.max for field in fields],
        [field.range for field in fields],
        [field.values and not field.fixed for field in fields],
        [field.fixed for field in fields],
        [field.sends for field in fields],
        [field.source == "clock" for field in fields],
        [(field.source or "").startswith("signature.") for field in fields],
        [field.source == "operation.version" for field in fields],
        [(field.source or "").startswith("merchant.") for field in fields],
        [field.default for field in fields],
        [field.blank for field in fields],
        [field.also for field in fields],
        [field.prose.lines for field in fields],
        [one.open for one in contract.sets.values()],
        [one.states for one in contract.sets.values()],
        [value.member for one in contract.sets.values() for value in one.values],
        [one.post is None for one in contract.operations.values()],
        [one.inbound for one in contract.operations.values()],
        [one.write for one in contract.operations.values()],
        [one.once_per for one in contract.operations.values()],
        [one.decides for one in contract.operations.values()],
        [struct.parent for struct in contract.all_structs()],
        [question.seen for question in contract.questions.values()],
        list(contract.moves),
    ):
        assert any(has)
    assert {field.redaction for field in fields} == {None, "secret", "pan", "pii"}
    assert {form.python for form in contract.formats.values()} == {"str", "Decimal", "date", "datetime"}
    rules = [rule for struct in contract.all_structs() for rule in struct.rules]
    assert {type(one) for rule in rules for one in rule.when} == {IsGiven, OneOf, Unknowable}
    assert {type(one) for rule in rules for one in rule.demands} == {
        Need,
        Refuse,
        Blank,
        AnyIs,
        Restrict,
        Differs,
        Joined,
    }


@pytest.mark.slow
def test_the_tiny_package_is_what_the_golden_files_say(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    files = format_files(render(tiny_project(tmp_path), tiny_contract()), FORMATTED)
    if request.config.getoption("--update-golden"):
        shutil.rmtree(GOLDEN, ignore_errors=True)
        for path, text in files.items():
            target = GOLDEN / f"{path}.golden"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")
    golden = {
        path.relative_to(GOLDEN).as_posix().removesuffix(".golden"): path.read_text(encoding="utf-8")
        for path in GOLDEN.rglob("*.golden")
    }
    assert sorted(files) == sorted(golden), UPDATE
    diff = "".join(
        line
        for path in files
        for line in unified_diff(
            golden[path].splitlines(True), files[path].splitlines(True), f"{path} (golden)", path, n=1
        )
    )
    assert not diff, f"{UPDATE}\n{diff[:8000]}"


def test_a_comment_in_the_contract_changes_no_generated_file(tmp_path: Path) -> None:
    """Whoever reviews a change of the contract sees what it changes, and no line numbers that moved."""
    commented = tmp_path / "spec"
    shutil.copytree(SPEC, commented)
    for file in commented.glob("*.yaml"):
        file.write_text(f"# A comment.\n{file.read_text(encoding='utf-8')}", encoding="utf-8")
    before, after = (render(tiny_project(tmp_path), contract) for contract in (tiny_contract(), load(commented)))
    assert [path for path in before if before[path] != after[path]] == []


@pytest.mark.slow
def test_a_new_member_adds_generated_lines_and_changes_none(tmp_path: Path) -> None:
    """Two branches that add members to one contract meet nowhere else."""
    grown = Path(shutil.copytree(SPEC, tmp_path / "spec"))
    text = (grown / "goods.yaml").read_text(encoding="utf-8")
    member = "      zip: string exactly 4\n"
    assert member in text
    (grown / "goods.yaml").write_text(
        text.replace(member, f"{member}      newMember: string max 7\n"), encoding="utf-8"
    )
    before, after = (
        format_files(render(tiny_project(tmp_path), contract), None) for contract in (tiny_contract(), load(grown))
    )
    changed = [
        line
        for path in after
        for line in unified_diff(before[path].splitlines(), after[path].splitlines(), n=0, lineterm="")
        if not line.startswith(("---", "+++", "@@"))
    ]
    assert any("newMember" in line for line in changed)
    assert [line for line in changed if line.startswith("-")] == []


def test_a_contract_in_another_folder_makes_the_same_package(tmp_path: Path) -> None:
    elsewhere = Path(shutil.copytree(SPEC, tmp_path / "elsewhere" / "acme"))
    made, same = (render(tiny_project(tmp_path), contract) for contract in (tiny_contract(), load(elsewhere)))
    assert [path for path in made if made[path] != same[path]] == []


@pytest.mark.slow
def test_the_tiny_package_is_imported_and_really_called(tmp_path: Path) -> None:
    generate(tiny_project(tmp_path), tiny_contract())
    path = os.pathsep.join([str(tmp_path), *(str(TOP / folder) for folder in (".", "runtime", "receiver"))])
    done = subprocess.run(
        [sys.executable, str(TOP / "tests" / "support" / "call_tinypay.py")],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "all calls behaved"


@pytest.mark.full
def test_the_tiny_package_passes_the_type_checker(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    generate(tiny_project(tmp_path), tiny_contract())
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--no-error-summary",
            "--cache-dir",
            str(tmp_path / "cache"),
            "tinypay",
        ],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(TOP / "runtime")},
    )
    assert done.returncode == 0, done.stdout + done.stderr

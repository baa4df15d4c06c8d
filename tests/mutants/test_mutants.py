"""What `make mutants` draws is a changed program, and a test that fails is what notices it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

pytest.importorskip("cosmic_ray")

from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator

from tests.mutants import __main__ as mutants
from tests.mutants.operators import OWN


@pytest.mark.parametrize(
    ("kind", "example"), [(kind, example) for kind in OWN.values() for example in kind.examples()], ids=str
)
def test_an_operator_does_what_its_examples_show(kind: type[Operator], example: object) -> None:
    before, after, occurrence = example.pre_mutation_code, example.post_mutation_code, example.occurrence  # type: ignore[attr-defined]
    assert mutate_code(before, kind(), occurrence) == after


@pytest.mark.slow
def test_every_mutant_is_another_program_and_the_seed_decides_which() -> None:
    drawn = list(mutants.drawn("histories", 30, "seed"))
    assert drawn == list(mutants.drawn("histories", 30, "seed"))
    assert drawn != list(mutants.drawn("histories", 30, "other"))
    assert len({(mutant.path, mutant.text) for mutant in drawn}) == 30
    assert len({mutant.operator for mutant in drawn}) > 5
    for mutant in drawn:
        ast.parse(mutant.text)
        assert mutant.text != mutant.path.read_text(encoding="utf-8")


def test_folders_of_the_configuration_exist() -> None:
    for name, group in mutants.GROUPS.items():
        for at in (*group["modules"], *group["mirror"], *group["others"]):
            assert (mutants.TOP / at).exists(), f"{name}: {at}"


@pytest.mark.slow
@pytest.mark.parametrize(("body", "stage"), [("assert f(1) == 2", "mirror"), ("assert f(1)", None)])
def test_a_test_that_fails_notices_a_mutant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, stage: str | None
) -> None:
    top, copy = tmp_path / "top", tmp_path / "copy"
    for folder in (top, copy):
        (folder / "tests").mkdir(parents=True)
        (folder / "module.py").write_text("def f(a):\n    a = a + 1\n    return a\n")
        (folder / "tests" / "test_it.py").write_text(f"from module import f\ndef test_it(): {body}\n")
        (folder / "conftest.py").write_text("from hypothesis import settings\nsettings.register_profile('few')\n")
        (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\nmarkers =\n  slow\n  full\n")
    monkeypatch.setattr(mutants, "TOP", top)
    monkeypatch.setitem(
        mutants.GROUPS, "made up", {"modules": ["module.py"], "mirror": ["tests"], "others": ["module.py"]}
    )
    text = (top / "module.py").read_text().replace("    a = a + 1\n", "    pass\n")
    mutant = mutants.Mutant("made up", top / "module.py", 2, "DropStatement", text)
    assert mutants.noticed(mutant, copy, 60) == stage
    assert str(mutant).endswith("module.py:2 DropStatement\n  - a = a + 1\n  + pass")
    assert (copy / "module.py").read_text() == (top / "module.py").read_text()

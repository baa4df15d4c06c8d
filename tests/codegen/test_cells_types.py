"""What is generated of the cells passes mypy --strict, in one run over a package for each of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from paywright_codegen.lint.linter import check
from paywright_codegen.reader.loader import load
from tests.codegen.cells import rules, table
from tests.codegen.cells.agreement import generate
from tests.codegen.cells.contracts import RIGHT, text_of
from tests.codegen.cells.forms import FORMS
from tests.codegen.helpers.contract_texts import SHOP, folder_of
from tests.support.contract import TOP


def _of_tables(folder: Path) -> Iterator[str]:
    for place in table.PLACES:
        cells = table.cells_of(place)
        cells = table.cells_of(place)
        refused = table.refused_cells(place, cells, folder / f"cells of {place}")
        yield table.contract_of_cells(place, tuple(cell for cell in cells if cell.name not in refused))
    for place in rules.PLACES:
        some = rules.rules_of()[::20]
        unfit = rules.refused_rules(place, some, folder / f"rules of {place}")
        yield rules.contract_of_rules(place, tuple(cell for cell in some if cell[-1].name not in unfit))


def _type_check(texts: Iterator[str], folder: Path, record: Callable[[str, object], None]) -> None:
    pytest.importorskip("mypy")
    out, count = folder / "out", 0
    for count, text in enumerate(texts, 1):
        generate(load(folder_of(folder / str(count), text)), out, f"cell{count}")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), *sorted(path.name for path in out.iterdir())],
        cwd=out, env={"MYPYPATH": str(TOP / "runtime")}, capture_output=True, text=True, timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    record("count: packages of cells that pass mypy --strict", count)


@pytest.mark.slow
def test_the_package_of_a_sample_passes_mypy(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    _type_check(iter([SHOP, text_of(RIGHT["lists in an answer"])]), tmp_path, record_property)


@pytest.mark.full
def test_the_packages_of_all_cells_pass_mypy(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    def texts() -> Iterator[str]:
        yield from _of_tables(tmp_path)
        yield from map(text_of, RIGHT.values())
        for number, form in enumerate(form for forms in FORMS.values() for form in forms if not form.words):
            text = text_of(form.edits)
            assert check(folder_of(tmp_path / f"form {number}", text)) == ()
            yield text

    _type_check(texts(), tmp_path, record_property)

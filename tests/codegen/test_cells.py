"""Cells of the language: what would be wrong is refused with words, and all judges of what generates agree."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from paywright_codegen.lint.linter import check
from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.reader.grammar import FACETS as KNOWN
from paywright_codegen.reader.loader import load
from paywright_codegen.reader.structs import BUILTINS
from tests.codegen.cells import rules, table
from tests.codegen.cells.agreement import generate, visit
from tests.codegen.cells.contracts import RIGHT, in_answer, in_request, text_of
from tests.codegen.cells.forms import FORMS, Form, keys_of_the_language
from tests.codegen.cells.table import Cell
from tests.codegen.helpers.contract_texts import SHOP, folder_of, problem_line
from tests.support.contract import TOP
from tests.support.examples import examples


@pytest.mark.slow
@pytest.mark.parametrize("cell", RIGHT)
def test_a_right_form_agrees(cell: str, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    visited = visit(folder_of(tmp_path, text_of(RIGHT[cell])), tmp_path / "out")
    assert visited.refused == ()
    assert visited.documents > 100
    record_property("count: documents of cells judged alike", visited.documents)
    record_property("count: calls and deliveries of cells", visited.calls)


FAR = """\
types:

  Far [4]:  # Far away.
    hue!: Hue
    near: {}

enums:

  Hue [4]: A B  # A hue.

rules:

  Far:
    near-a [4]: when hue is A, need near

operations:

  # Buy from far away.
  books.buy [4]:
    post: /books
    version: 1.0
    envelope: sealed
    key: isbn
    resolved by: nothing
    request:
      isbn!: code
    response: Far
"""


def test_two_files_generate_and_agree(tmp_path: Path) -> None:
    edits = (in_request("far: Far", "fars: Far[]"), in_answer("far: Far", "hue: Hue"))
    folder = folder_of(tmp_path, text_of(edits), FAR.format("string"))
    assert visit(folder, tmp_path / "out").refused == ()


def test_two_files_that_use_types_of_one_another_are_refused(tmp_path: Path) -> None:
    text = text_of((in_request("far: Far"), in_answer("far: Far")))
    found = [problem.what for problem in check(folder_of(tmp_path, text, FAR.format("Person")))]
    assert any("neither could be imported first" in what for what in found), found


# One that is refused generates nothing, and is quick. Of others of a key the slow tests take every third.
CASES = [
    pytest.param(
        form,
        id=f"{key}, {form.name}",
        marks=() if form.words else (pytest.mark.slow, *[pytest.mark.full] * bool(number % 3)),
    )
    for key, forms in FORMS.items()
    for number, form in enumerate(forms)
]


def test_every_key_of_the_language_has_a_form() -> None:
    assert FORMS.keys() == keys_of_the_language()


@pytest.mark.parametrize("form", CASES)
def test_every_form_has_its_end(form: Form, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    text = text_of(form.edits)
    visited = visit(folder_of(tmp_path, text), tmp_path / "out", 12)
    if form.words:
        place = SourcePlace("spec/shop.yaml", problem_line(SHOP, text, form.at))
        assert any(form.words in one.what and one.place == place for one in visited.refused), (place, visited.refused)
    else:
        assert visited.refused == ()
        assert visited.calls > 0
    record_property(f"count: forms of keys {'refused with words' if form.words else 'generated and judged alike'}", 1)


PARTS = 10
RULES_CASES = [
    pytest.param(place, part, marks=() if place == "request" and part == 0 else pytest.mark.full)
    for place in rules.PLACES
    for part in range(PARTS)
]


@pytest.mark.slow
@pytest.mark.parametrize(("place", "part"), RULES_CASES)
def test_every_rule_is_refused_with_words_or_is_judged_alike(
    place: str, part: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    cells = rules.rules_of()[part::PARTS]
    refused: dict[str, str] = {}
    kept = cells
    for attempt in range(3):  # what no example keeps is said once nothing else is wrong
        more = rules.refused_rules(place, kept, tmp_path / str(attempt))
        refused |= more
        kept = tuple(cell for cell in kept if cell[-1].name not in refused)
        if not more:
            break
    assert not more
    visited = visit(folder_of(tmp_path / "kept", rules.contract_of_rules(place, kept)), tmp_path / "out", 0, 40)
    assert visited.refused == ()
    record_property("count: cells of conditions, demands, kinds of members and places", len(cells))
    record_property("count:   of them: refused with words", len(refused))
    record_property("count:   of them: generated and judged alike", len(kept))


def test_the_table_has_every_facet_and_every_type_of_the_grammar() -> None:
    assert set(table.FACETS) == {*KNOWN, ""}
    assert BUILTINS.keys() <= table.TYPES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("place", table.PLACES)
def test_every_cell_has_its_end(place: str, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    cells = table.cells_of(place)
    refused = table.refused_cells(place, cells, tmp_path / "all")
    kept = tuple(cell for cell in cells if cell.name not in refused)
    assert table.refused_cells(place, kept, tmp_path / "kept") == {}
    visited = visit(folder_of(tmp_path / "kept", table.contract_of_cells(place, kept)), tmp_path / "out", extra=0)
    assert visited.refused == ()
    record_property("count: cells of types, facets and places", len(cells))
    record_property("count:   of them: refused with words", len(refused))
    record_property("count:   of them: generated and judged alike", len(kept))


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


DRAWN_PARTS = 20
EACH = 100


def _draw(part: int, record: Callable[[str, object], None]) -> None:
    counts: Counter[str] = Counter()

    @examples(EACH, database=None, phases=[Phase.generate])
    @given(contracts())
    def judge(text: str) -> None:
        with TemporaryDirectory() as folder:
            visited = visit(folder_of(Path(folder), text), Path(folder) / "out", extra=1, mixed=20)
        counts["refused with words" if visited.refused else "judged alike"] += 1
        counts["documents"] += visited.documents
        counts["calls and deliveries"] += visited.calls

    judge()
    drawn = counts["judged alike"] + counts["refused with words"]
    assert counts["judged alike"] >= drawn * 3 // 4
    assert counts["documents"] >= drawn * 50
    for what, count in counts.items():
        record(f"count: drawn contracts: {what}", count)


@pytest.mark.full
@pytest.mark.parametrize("part", range(DRAWN_PARTS))
def test_drawn_contracts_are_judged_alike(part: int, record_property: Callable[[str, object], None]) -> None:
    _draw(part, record_property)


_RULES = (
    "when {0} is given, need {1}", "need {0} or {1}", "when {0} is empty, refuse {1}",
    "when {0} is not empty, {1} is empty",
)  # fmt: skip
_OF_BUY = "      note-of-old [1.1]:"
_FORMS = tuple(form.edits for forms in FORMS.values() for form in forms if not form.words)


@cache
def _fields(place: str) -> tuple[Cell, ...]:
    """The fields of a place that the linter does not refuse."""
    cells = table.cells_of(place)
    with TemporaryDirectory() as folder:
        refused = table.refused_cells(place, cells, Path(folder))
    return tuple(cell for cell in cells if cell.name not in refused)


@cache
def _rules(place: str) -> tuple[tuple[Cell, ...], ...]:
    """Some of the rules of a place that the linter does not refuse."""
    cells = rules.rules_of()[::7]
    with TemporaryDirectory() as folder:
        refused = rules.refused_rules(place, cells, Path(folder))
    return tuple(cell for cell in cells if cell[-1].name not in refused)


@st.composite
def contracts(draw: st.DrawFn) -> str:
    """The text of a contract: fields of several places, rules of their own or about those of a request, and perhaps another form."""
    text = table.with_types()
    optional: list[str] = []
    for place in sorted(draw(st.sets(st.sampled_from(sorted(table.PLACES)), min_size=1, max_size=3))):
        cells = tuple(draw(st.lists(st.sampled_from(_fields(place)), min_size=1, max_size=8, unique=True)))
        text = table.placed(text, place, cells)
        if place == "request":
            optional = [cell.name for cell in cells if "!" not in cell.line]
    text = rules.with_parts(text)
    place = draw(st.sampled_from(sorted(rules.PLACES)))
    text = rules.ruled(text, place, draw(st.lists(st.sampled_from(_rules(place)), max_size=4, unique=True)))
    if len(optional) > 1:
        pairs = st.lists(st.sampled_from(optional), min_size=2, max_size=2, unique=True)
        for number, (form, pair) in enumerate(draw(st.lists(st.tuples(st.sampled_from(_RULES), pairs), max_size=3))):
            text = text.replace(_OF_BUY, f"      drawn-{number} [1.1]: {form.format(*pair)}\n{_OF_BUY}", 1)
    for edits in draw(st.lists(st.sampled_from(_FORMS), max_size=1)):
        changed = text
        for old, new in edits:
            changed = changed.replace(old, new) if changed.count(old) == 1 else ""
        text = changed or text
    return text

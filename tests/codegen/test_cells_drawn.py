"""Contracts that are drawn are refused with words, or generate, are imported, and are judged alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from tests.codegen.cells import rules, table
from tests.codegen.cells.agreement import visit
from tests.codegen.cells.forms import FORMS
from tests.codegen.cells.table import Cell
from tests.codegen.helpers.contract_texts import folder_of
from tests.support.examples import examples

PARTS = 20
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
@pytest.mark.parametrize("part", range(PARTS))
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

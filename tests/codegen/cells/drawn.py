"""A Hypothesis strategy of contracts that lint: cells of all places and forms of the language, drawn together with rules."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st

from tests.codegen.cells import rules, table
from tests.codegen.cells.forms import FORMS
from tests.codegen.cells.table import Cell

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

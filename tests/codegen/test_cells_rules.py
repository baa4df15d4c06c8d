"""The table of rules: each form of condition and demand is refused with words, or generates and is judged alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.codegen.cells import rules
from tests.codegen.cells.agreement import visit
from tests.codegen.helpers.contract_texts import folder_of

PARTS = 10
CASES = [
    pytest.param(place, part, marks=() if place == "request" and part == 0 else pytest.mark.full)
    for place in rules.PLACES
    for part in range(PARTS)
]


@pytest.mark.slow
@pytest.mark.parametrize(("place", "part"), CASES)
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

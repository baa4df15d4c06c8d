"""Contracts that are drawn are refused with words, or generate, are imported, and are judged alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given

from tests.codegen.cells.agreement import visit
from tests.codegen.cells.drawn import contracts
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

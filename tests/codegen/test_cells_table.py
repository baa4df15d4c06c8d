"""The table of types, facets and places: each cell is refused with words, or generates and is judged alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from paywright_codegen.reader.grammar import FACETS as KNOWN
from paywright_codegen.reader.structs import BUILTINS
from tests.codegen.cells import table
from tests.codegen.cells.agreement import visit
from tests.codegen.helpers.contract_texts import folder_of


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

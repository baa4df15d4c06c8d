"""Each form of each key of the contract language is refused with the words and the line that it should be, or all that is generated agrees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from paywright_codegen.model.cited import SourcePlace
from tests.codegen.cells.agreement import visit
from tests.codegen.cells.contracts import text_of
from tests.codegen.cells.forms import FORMS, Form, keys_of_the_language
from tests.codegen.helpers.contract_texts import SHOP, folder_of, problem_line

# One that is refused generates nothing, and is quick.
CASES = [
    pytest.param(form, id=f"{key}, {form.name}", marks=() if form.words else pytest.mark.slow)
    for key, forms in FORMS.items()
    for form in forms
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

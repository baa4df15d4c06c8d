"""Examples are changed until they keep the rules of their type, and keep as much of what the contract gives as they can."""

from __future__ import annotations

from pathlib import Path

import pytest

from paywright_codegen.examples import examples
from tests.codegen.helpers.contract_texts import changed, contract_of

_NOTE = "      note: string max 20"
_RULE = "note-of-old [1.1]: when kind is OLD, need note"


@pytest.mark.parametrize(
    ("fields", "rule", "expected"),
    [
        ("note: string max 20 eg SEVERAL", "note max 3", {"note": 3}),
        ("note!: string max 20 eg SEVERAL", "note max 3", {"note": 3}),
        ("note!: string eg A-B\n      left!: string eg C\n      right!: string eg D", "note is left then right",
         {"note": "CD", "left": "C", "right": "D"}),
        ("note: string eg A-B\n      left!: string is C\n      right!: string is D", "note is left then right",
         {"note": "CD", "left": "C", "right": "D"}),
        ("note!: string eg A\n      left: string eg A", "note differs from left", {"note": "A", "left": None}),
        ("note: string eg A\n      left: string eg A", "note is empty", {"note": None, "left": "A"}),
        ("note!: string eg A\n      left: string eg B", "refuse left", {"note": "A", "left": None}),
        ("note!: string eg A\n      left: string", "when note is A, need left", {"note": "A", "left": str}),
    ],
)  # fmt: skip
def test_an_example_keeps_its_types_rules(tmp_path: Path, fields: str, rule: str, expected: dict[str, object]) -> None:
    text = changed((_NOTE, f"      {fields}"), (_RULE, f"note-of-old [1.1]: {rule}"))
    contract = contract_of(tmp_path, text)
    request, _ = examples(contract, contract.operations["goods.buy"])
    data = request["data"]
    assert isinstance(data, dict)
    for name, value in expected.items():
        found = data.get(name)
        if isinstance(value, int):
            assert isinstance(found, str)
            assert len(found) == value
        else:
            assert isinstance(found, value) if isinstance(value, type) else found == value

"""A report finds every limit that a text breaks, and takes no longer with a text that is far too long."""

from __future__ import annotations

import pytest

from paywright_runtime.contract.index import Contract
from paywright_runtime.contract.value_checks import Report


def one_field(limits: str, **more: object) -> Contract:
    """A contract whose only object has one field."""
    field = {"wire": "x", "python": "x", "kind": "text", "limits": limits, **more}
    general = {"structs": {"One": "one"}, "sets": {}, "operations": {}, "formats": {"form": "of a form"}}
    return Contract("nowhere", {"_general": general, "one": {"structs": {"One": {"fields": [field]}}}})


@pytest.mark.parametrize("limit", ["max", "exactly"])
@pytest.mark.parametrize(("length", "asked"), [(64, True), (65, True), (1064, True), (1065, False), (1_000_000, False)])
def test_a_text_that_is_far_too_long_is_not_compared_with_its_format(limit: str, length: int, asked: bool) -> None:
    compared: list[int] = []
    report = Report()
    contract = one_field(f"form {limit} 64", of="form")
    report.failed(contract, "One", "", "x", "a" * length, lambda text: compared.append(len(text)))
    assert compared == [length] * asked
    code = "exact" if limit == "exactly" else limit
    assert [code for _, code, _ in report.found] == [code] * (length > 64) + ["format"] * asked


@pytest.mark.parametrize(
    ("limits", "value", "found"),
    [
        ("string min 2 max 3", "", ("min", "has 0 characters, at least 2 are required")),
        ("string in A B", "C", ("value", "must be one of A, B")),
        ("string is A", "B", ("value", "must be one of A")),
        ("string range 5..60 default 10", "4", ("range", "must be digits with a value from 5 to 60")),
        ("string max 3", 5, ("type", "must be a string, not a number")),
    ],
)
def test_what_a_limit_is_stands_in_the_contract_alone(limits: str, value: object, found: tuple[str, str]) -> None:
    report = Report()
    report.failed(one_field(limits), "One", "/a", "x", value)
    assert report.found == [("/a/x", *found)]

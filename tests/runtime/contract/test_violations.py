"""A report finds every limit that a text breaks, and takes no longer with a text that is far too long."""

from __future__ import annotations

import pytest

from paywright_runtime.contract.violations import Report


@pytest.mark.parametrize("limit", [{"max": 64}, {"exact": 64}])
@pytest.mark.parametrize(("length", "asked"), [(64, True), (65, True), (1064, True), (1065, False), (1_000_000, False)])
def test_a_text_that_is_far_too_long_is_not_compared_with_its_format(
    limit: dict[str, int], length: int, asked: bool
) -> None:
    compared: list[int] = []
    report = Report()
    report.text("", "x", "a" * length, format=lambda text: compared.append(len(text)), shown="of a form", **limit)
    assert compared == [length] * asked
    (name,) = limit
    assert [code for _, code, _ in report.found] == [name] * (length > 64) + ["format"] * asked

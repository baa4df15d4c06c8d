"""Ranges of digits as patterns: what the schema takes is what the validators take, at every power of ten."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright_codegen.documents.json_schema import range_pattern
from paywright_runtime.contract.value_checks import in_range

EDGES = sorted({max(0, 10**power + step) for power in range(4) for step in (-2, -1, 0, 1, 2)} | {5, 19, 55, 250, 599})


@pytest.mark.parametrize("low", EDGES)
def test_a_range_takes_its_ends_and_all_between_and_nothing_else(low: int) -> None:
    for high in (edge for edge in EDGES if edge >= low):
        takes = re.compile(range_pattern(low, high)).fullmatch
        for value in range(1200):
            assert (takes(str(value)) is not None) == (low <= value <= high), (high, value)


@given(
    st.integers(0, 10**18), st.integers(0, 10**18), st.integers(0, 10**18), st.sampled_from((0, 1, 3, 60, 100, 5000))
)
def test_ranges_of_any_length_take_what_lies_in_them(one: int, other: int, value: int, zeros: int) -> None:
    low, high = sorted((one, other))
    takes = re.compile(range_pattern(low, high)).fullmatch
    for asked in (value, low - 1, low, low + 1, high - 1, high, high + 1):
        if asked >= 0:
            text = "0" * zeros + str(asked)
            assert (takes(text) is not None) == in_range(text, (low, high)) == (low <= asked <= high), asked


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.0", " 1", "1 ", "1\n", "x", "١"])
def test_what_is_no_digits_is_in_no_range(text: str) -> None:
    assert re.compile(range_pattern(0, 999)).fullmatch(text) is None
    assert not in_range(text, (0, 999))


def test_a_number_of_any_length_is_looked_at_by_its_length_first() -> None:
    assert not in_range("9" * 5000, (0, 999))  # which `int` refuses
    assert in_range("9" * 100, (0, 10**100))

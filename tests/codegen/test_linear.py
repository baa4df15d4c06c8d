"""Generation takes as much more as there is more to generate."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

import pytest

from bench.generation import without_black
from tests.support.large_contract import contract_of


def calls(folder: Path) -> Counter[CodeType]:
    """Count the calls of each function while a contract is read, linted and rendered."""
    counted: Counter[CodeType] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            counted[frame.f_code] += 1

    sys.setprofile(count)
    try:
        without_black(folder)
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.slow
def test_no_function_is_called_more_than_in_proportion(tmp_path: Path) -> None:
    few, many = (contract_of(tmp_path / str(resources), resources) for resources in (4, 16))
    without_black(few)  # what is made once
    before, after = calls(few), calls(many)
    grown = {
        f"{code.co_filename}:{code.co_qualname}": count / before[code]
        for code, count in after.items()
        if before[code] > 20
    }
    assert {name: times for name, times in grown.items() if times > 4.5} == {}

"""What findings say of where something stands."""

from __future__ import annotations

import pytest

from paywright_audit.judging.finding_text import pattern_of


@pytest.mark.parametrize(
    ("pointer", "pattern"),
    [
        ("/data/outTradeNo", "/data/outTradeNo"),
        ("/data/goodsDetails/0/goodsName", "/data/goodsDetails/*/goodsName"),
        ("/data/goodsDetails/12", "/data/goodsDetails/*"),
        ("/data/goodsDetails/0/1", "/data/goodsDetails/*/?"),
        ("/data/12", "/data/?"),
        ("/12/data", "/?"),
        ("/data/unknown/more", "/data/?"),
        ("@header/sign", "@header/sign"),
        ("", ""),
    ],
)
def test_indexes_and_unknown_names_are_left_out_of_a_pattern(pointer: str, pattern: str) -> None:
    assert pattern_of("orders.checkout.request", pointer) == pattern
    assert pattern_of(None, pointer) == pointer

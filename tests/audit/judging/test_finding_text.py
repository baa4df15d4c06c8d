"""What findings say of where something stands."""

from __future__ import annotations

import pytest

from paywright_audit.judging.finding_text import finding_of, pattern_of
from paywright_audit.judging.operation_facts import facts_of
from paywright_runtime.answer import Violation


@pytest.mark.parametrize(
    ("pointer", "pattern"),
    [
        ("/data/outTradeNo", "/data/outTradeNo"),
        ("/data/goodsDetails/0/goodsName", "/data/goodsDetails/*/goodsName"),
        ("/data/goodsDetails/12", "/data/goodsDetails/*"),
        ("/data/goodsDetails/0/1", "/data/goodsDetails/*/?"),
        ("/data/12", "/data/?"), ("/12/data", "/?"), ("/data/unknown/more", "/data/?"), ("@header/sign", "@header/sign"),
        ("", ""),
    ],
)  # fmt: skip
def test_indexes_and_unknown_names_are_left_out_of_a_pattern(pointer: str, pattern: str) -> None:
    assert pattern_of("orders.checkout.request", pointer) == pattern
    assert pattern_of(None, pointer) == pointer


@pytest.mark.parametrize(
    ("pointer", "found"),
    [
        ("/data/goodsDetails/1/goodsName", "B"),
        ("/data/goodsDetails/0", {"goodsName": "A"}),
        ("/data/goodsDetails/2", None), ("/data/goodsDetails/x", None), ("/data/goodsDetails/-1", None),
        ("/data/goodsDetails/1234567890", None), ("/data/a~1b", 7), ("/data/subject/0", None), ("/nothing/here", None),
    ],
)  # fmt: skip
def test_the_value_at_a_pointer_is_found_or_there_is_none(pointer: str, found: object) -> None:
    body = {"data": {"goodsDetails": [{"goodsName": "A"}, {"goodsName": "B"}], "a/b": 7, "subject": "Two"}}
    asked = facts_of("orders.checkout").asked
    finding = finding_of("orders.checkout", asked, Violation(pointer, "max", "is too long"), body)
    assert finding.value == found
    assert finding.pointer == pointer

"""Every time that the merchant reads is a datetime or a date, or None: blank, or a text that is none and a violation."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from paywright.contract import CONTRACT
from paywright_codegen.python_types import Directions
from paywright_runtime.contract.conversion import read, report_unread_times
from paywright_runtime.contract.model import Field
from paywright_runtime.contract.value_checks import Report
from tests.support.contract import contract, structs
from tests.support.documents import smallest

READ = sorted(name for name in Directions(contract()).read if contract().structs.get(name))
TIMES = [
    pytest.param(name, field, id=f"{name}.{field.wire}")
    for name in READ
    for field in CONTRACT.struct(name).fields
    if field.kind in ("date", "datetime")
]
NOON = datetime(2025, 6, 1, 4, tzinfo=UTC)
SPELLINGS = (
    "2025-06-01T12:00:00.000+08:00", "2025-06-01T12:00:00 +0800", "2025-06-01T12:00:00+0800", "2025-06-01T04:00:00Z",
    "2025-06-01t04:00:00.000000000z",
)  # fmt: skip
UNREADABLE = (
    "soon", " ",
    "2025-06-01T12:00:00",  # without an offset
    "2025-02-30T12:00:00.000Z", "2025-13-01T12:00:00+08:00", "1748750400", 5, Decimal("2.5"), True,
    {"at": "2025-06-01T12:00:00Z"}, ["2025-06-01T12:00:00Z"],
)  # fmt: skip


def result_of(name: str, field: Field, value: object) -> tuple[object, list[str], list[str]]:
    """What is read of a member in an otherwise good object, what makes the object unreadable, and where it breaks the contract."""
    members = {
        member.wire: smallest(contract(), member)
        for member in structs(id(contract()), contract())[name].fields
        if member.required
    }
    document: dict[str, Any] = {**members, field.wire: value}
    trouble, report, struct = Report(), Report(), CONTRACT.struct(name)
    model = read(CONTRACT, struct, document, "", trouble)
    CONTRACT.validator(name)(document, "", report)
    report_unread_times(CONTRACT, struct, document, report)
    broken = [at for at, code, _ in report.found if code in ("type", "format", "required")]
    return getattr(model, field.python), [at for at, _, _ in trouble.found], broken


def test_no_time_is_text() -> None:
    texts = [
        f"{name}.{field.wire}"
        for name in READ
        for field in CONTRACT.struct(name).fields
        if field.kind == "text" and re.search("(Time|Date|At|Expiry)$", field.wire)
    ]
    assert (texts, len(TIMES) > 30) == ([], True)


@pytest.mark.parametrize(("name", "field"), TIMES)
def test_a_time_is_read_in_every_spelling(name: str, field: Field) -> None:
    for text in SPELLINGS:
        found, trouble, _ = result_of(name, field, text)
        assert (found, trouble) == (NOON if field.kind == "datetime" else date(2025, 6, int(text[9])), [])


@pytest.mark.parametrize(("name", "field"), TIMES)
def test_a_time_that_cannot_be_read_is_none_and_a_violation(name: str, field: Field) -> None:
    annotation = CONTRACT.model(name).__annotations__[field.python]
    assert annotation == f"{field.kind} | None"
    for value in UNREADABLE:
        found, trouble, broken = result_of(name, field, value)
        assert (found, trouble, broken) == (None, [], [f"/{field.wire}"]), value


@pytest.mark.parametrize(("name", "field"), TIMES)
def test_a_blank_time_is_none_and_a_missing_one_too(name: str, field: Field) -> None:
    found, trouble, broken = result_of(name, field, "")
    allowed = field.blank or field.limits == "rate_time"
    assert (found, trouble, broken) == (None, [], [] if allowed else [f"/{field.wire}"])
    found, trouble, broken = result_of(name, field, None)
    missing = [f"/{field.wire}"] if field.required else []
    assert (found, trouble, broken) == (None, [], missing)


@pytest.mark.parametrize("name", ["ExchangeCreated", "Exchange"])
def test_the_time_of_a_rate_may_be_13_digits(name: str) -> None:
    field = CONTRACT.struct(name).by_wire["rateTime"]
    for value in ("1748750400000", 1748750400000):
        assert result_of(name, field, value)[0] == NOON

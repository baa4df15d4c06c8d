"""Formats: each check agrees with the calendar and with its own pattern, and times survive the way there and back."""

import ipaddress
import re
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright_runtime.clock import Clock, FixedClock, SystemClock
from paywright_runtime.contract import formats
from paywright_runtime.contract.conversion import time_writer
from paywright_runtime.contract.model import Field
from paywright_runtime.contract.value_checks import in_range
from paywright_runtime.errors import InvalidArgument
from tests.support.examples import examples
from tests.support.tables import table

CHECKS: dict[str, Callable[[str], object]] = {
    name: formats.matcher(form.pattern) for name, form in formats.FORMS.items()
}

FORMATS: dict[str, dict[str, list[str]]] = table("support/formats.yaml")


@pytest.mark.parametrize(
    ("name", "text"),
    [(name, text) for name, form in formats.FORMS.items() for text in (*FORMATS[name]["good"], form.example)],
)
def test_the_form_is_recognised(name: str, text: str) -> None:
    assert CHECKS[name](text)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name in CHECKS for text in FORMATS[name]["bad"]])
def test_any_other_form_is_not(name: str, text: str) -> None:
    assert not CHECKS[name](text)


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_has_examples_and_refuses_what_is_nearly_right(name: str) -> None:
    for text in FORMATS[name]["good"]:
        if not text:
            continue
        for nearly in (text + "\n", text + " ", " " + text, "\n" + text, text + "\0"):
            assert not CHECKS[name](nearly), nearly
        if name.endswith("_url") or name == "rate_time":  # which may have nearly anything
            continue
        for nearly in (text + "x", text[:-1] + "\u0663"):
            assert not CHECKS[name](nearly), nearly
        digit = next((at for at, character in enumerate(text) if character.isdigit()), None)
        if digit is not None:
            for other in ("\u0661", "\uff11", "\u00b2"):
                assert not CHECKS[name](text[:digit] + other + text[digit + 1 :])


def test_every_day_of_five_centuries_exists_exactly_when_the_calendar_says_so() -> None:
    for year in (*range(1, 5), *range(99, 102), *range(399, 402), *range(1899, 2105), 9996, 9999):
        for month in range(14):
            last = monthrange(year, month)[1] if 1 <= month <= 12 else 0
            for day in range(33):
                exists = 1 <= day <= last
                assert (CHECKS["calendar_date"](f"{year:04}-{month:02}-{day:02}") is not None) is exists
                assert (CHECKS["calendar_day"](f"{year:04}{month:02}{day:02}") is not None) is exists


def judged_by_the_standard_library(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


@pytest.mark.parametrize("quad", ["", "1.2.3.4"])
def test_ipv6_groups_are_judged_as_the_standard_library_does(quad: str) -> None:
    for left in range(10):
        for right in range(10):
            tail = ["b"] * right + [quad] * bool(quad)
            for text in (":".join(["a"] * left + tail), ":".join(["a"] * left) + "::" + ":".join(tail)):
                assert (CHECKS["ip_address"](text) is not None) is judged_by_the_standard_library(text), text


groups = st.text("0123456789abcdefABCDEFg", min_size=0, max_size=5)
addresses = st.one_of(
    st.lists(groups, min_size=1, max_size=10).map(":".join),
    st.tuples(*[st.lists(groups, max_size=7).map(":".join)] * 2).map("::".join),
    st.tuples(
        st.lists(groups, max_size=7).map(":".join),
        st.sampled_from([":", "::", ""]),
        st.from_regex(r"[0-9]{1,3}(\.[0-9]{1,3}){2,4}", fullmatch=True),
    ).map("".join),
    st.ip_addresses().map(str),
    st.ip_addresses(v=6).map(lambda address: address.exploded),
    st.text("0123456789abcdef:.%", max_size=40),
)


@pytest.mark.slow
@examples(1500)
@given(addresses)
def test_addresses_are_judged_as_the_standard_library_judges_them(text: str) -> None:
    assert (CHECKS["ip_address"](text) is not None) is judged_by_the_standard_library(text)


def test_the_patterns_are_plain_enough_for_json_schema() -> None:
    for pattern in (form.pattern for form in formats.FORMS.values()):
        assert pattern.isascii()
        assert not re.search(r"\\[dwsDWSbBAZ]|\(\?[P<=i]|\$|(?<!\[)\^|\*\+|\?\?", pattern), pattern


# --- to Python and back

offsets = st.integers(-18 * 60, 18 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
times = st.datetimes(timezones=offsets)


@given(times)
def test_times_survive_the_way_there_and_back(value: datetime) -> None:
    millisecond = value.replace(microsecond=value.microsecond // 1000 * 1000)
    second = value.replace(microsecond=0)
    assert formats.read_time(formats.write_request_time(value)) == millisecond
    assert formats.read_time(formats.write_offset_time(value)) == second
    assert formats.read_time(formats.write_zoned_time(value)) == second
    assert formats.read_time(formats.write_period_time(value)) == second
    for text in (
        formats.write_request_time(value),
        formats.write_offset_time(value),
        formats.write_zoned_time(value),
        formats.write_period_time(value),
    ):
        assert CHECKS["moment"](text)
        read = formats.read_time(text)
        assert read is not None
        assert read.utcoffset() == value.utcoffset()
        assert abs(read - value) < timedelta(seconds=1)


@given(st.datetimes(datetime(2002, 1, 1), datetime(2286, 1, 1), timezones=offsets))
def test_seconds_and_milliseconds_since_1970_survive_the_way_there_and_back(value: datetime) -> None:
    millis, seconds = formats.FORMS["epoch_millis"].write(value), formats.FORMS["epoch_seconds"].write(value)
    assert CHECKS["epoch_millis"](millis)
    assert CHECKS["epoch_seconds"](seconds)
    assert formats.read_form("epoch_millis", millis) == value.replace(microsecond=value.microsecond // 1000 * 1000)
    assert formats.read_form("epoch_seconds", seconds) == value.replace(microsecond=0)
    assert formats.read_form("epoch_millis", seconds) is None


FORMS = ["request_time", "zoned_time", "offset_time", "period_time", "moment", "rate_moment", "rate_time"]


@pytest.mark.parametrize("name", FORMS)
@given(value=times)
def test_a_time_is_written_in_a_form_that_its_check_takes_and_read_back(name: str, value: datetime) -> None:
    text = time_writer(Field("at", "at", "datetime", name, name))(value)
    assert CHECKS[name](text)
    assert len(text) <= (29 if name == "request_time" else 25)  # as in the bank-style interface [4.17]
    read = formats.read_form(name, text)
    assert read is not None
    assert timedelta(0) <= value - read < timedelta(seconds=1)


def test_a_day_or_a_time_is_written_as_which_it_is() -> None:
    for value, text in (
        (date(2025, 2, 26), "2025-02-26"),
        (datetime(2025, 2, 26, 12, tzinfo=UTC), "2025-02-26T12:00:00+00:00"),
    ):
        assert formats.write_day_or_time(value) == text
        assert CHECKS["start_date"](text)
        assert formats.read_day_or_time(text) == value


@given(st.dates())
def test_days_survive_the_way_there_and_back(value: date) -> None:
    assert formats.read_day(formats.write_date(value)) == value
    assert formats.read_day(formats.write_day(value)) == value


def test_times_are_written_in_exactly_these_forms() -> None:
    value = datetime(2025, 1, 13, 15, 59, 59, 987654, timezone(timedelta(hours=8)))
    assert formats.write_request_time(value) == "2025-01-13T15:59:59.987+08:00"
    assert formats.write_request_time(value.astimezone(UTC)) == "2025-01-13T07:59:59.987+00:00"
    assert formats.write_offset_time(value) == "2025-01-13T15:59:59+08:00"
    assert formats.write_zoned_time(value) == "2025-01-13T15:59:59 +0800"
    assert formats.write_period_time(value) == "2025-01-13T15:59:59+0800"
    assert (formats.FORMS["epoch_millis"].write(value), formats.FORMS["epoch_seconds"].write(value)) == (
        "1736755199987",
        "1736755199",
    )
    assert formats.write_date(date(2025, 2, 6)) == "2025-02-06"
    assert formats.write_day(date(2025, 2, 6)) == "20250206"


@pytest.mark.parametrize(
    "text",
    [
        "2025-01-13T15:59:59Z", "2025-01-13T15:59:59.000Z", "2025-01-13T15:59:59 Z", "2025-01-13T15:59:59+00:00",
        "2025-01-13T15:59:59 +00:00", "2025-01-13T15:59:59+0000", "2025-01-13T15:59:59 +0000",
        "2025-01-13T15:59:59.000 +0000", "2025-01-13T23:59:59.000000000+0800",
    ],
)  # fmt: skip
def test_every_spelling_seen_is_read_as_the_same_moment(text: str) -> None:
    value = formats.read_time(text)
    assert value == datetime(2025, 1, 13, 15, 59, 59, tzinfo=UTC)
    assert value is not None
    assert value.tzinfo is not None


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "2025-01-13", "2025-01-13T15:59:59", "2025-02-30T15:59:59Z", "2025-01-13T15:59:59  +0000",
        "2025-01-13 T15:59:59Z", "2025-01-13T15:59:59.1 2Z", "20250113T155959Z", "2025-W03-1T15:59:59Z",
        "1748750400000", "2025-01-13T15:59:59Z\n",
    ],
)  # fmt: skip
def test_what_is_no_moment_is_read_as_none(text: str) -> None:
    assert formats.read_time(text) is None


@given(st.text("0123456789-+:.TZ ", max_size=32) | st.from_regex(formats.FORMS["moment"].pattern, fullmatch=True))
def test_reading_a_time_never_fails(text: str) -> None:
    value = formats.read_time(text)
    if CHECKS["moment"](text) and text:
        assert value is not None
    if value is not None:
        assert value.utcoffset() is not None


WRITERS = [formats.write_request_time, formats.write_offset_time, formats.write_zoned_time, formats.write_period_time]


@pytest.mark.parametrize("write", WRITERS)
def test_a_time_without_an_offset_is_refused(write: Callable[[datetime], str]) -> None:
    with pytest.raises(InvalidArgument, match="aware datetime"):
        write(datetime(2025, 1, 1))
    with pytest.raises(InvalidArgument, match="not str"):
        write("2025-01-01T00:00:00Z")  # type: ignore[arg-type]  # the misuse under test
    with pytest.raises(InvalidArgument, match="not date"):
        write(date(2025, 1, 1))  # type: ignore[arg-type]  # the misuse under test


@pytest.mark.parametrize("write", [formats.write_date, formats.write_day])
def test_a_datetime_is_no_day(write: Callable[[date], str]) -> None:
    with pytest.raises(InvalidArgument, match="not datetime"):
        write(datetime(2025, 1, 1, tzinfo=UTC))
    with pytest.raises(InvalidArgument, match="not str"):
        write("2025-01-01")  # type: ignore[arg-type]  # the misuse under test


@pytest.mark.parametrize(
    "offset", [timedelta(hours=5, minutes=53, seconds=28), timedelta(hours=20), timedelta(hours=-19)]
)
def test_an_offset_that_no_form_can_write_becomes_utc(offset: timedelta) -> None:
    value = datetime(2025, 1, 13, 12, 0, tzinfo=timezone(offset))
    text = formats.write_request_time(value)
    assert text.endswith("+00:00")
    assert formats.read_time(text) == value


def test_zones_with_summer_time_are_written_with_the_offset_in_force() -> None:
    zone = ZoneInfo("Europe/Berlin")
    assert formats.write_offset_time(datetime(2025, 7, 1, 12, tzinfo=zone)).endswith("+02:00")
    assert formats.write_offset_time(datetime(2025, 1, 1, 12, tzinfo=zone)).endswith("+01:00")


# --- clocks


def test_the_system_clock_is_aware_and_its_monotonic_side_does_not_go_back() -> None:
    clock: Clock = SystemClock()
    assert clock.now().utcoffset() == timedelta()
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(seconds=10)
    assert clock.monotonic() <= clock.monotonic()


def test_a_fixed_clock_moves_when_it_is_told_to() -> None:
    clock = FixedClock(datetime(2025, 6, 1, 20, tzinfo=timezone(timedelta(hours=8))))
    fixed: Clock = clock
    assert fixed.now() == fixed.now() == datetime(2025, 6, 1, 12, tzinfo=UTC)
    assert fixed.now().tzinfo is UTC
    assert fixed.monotonic() == 0.0
    assert clock.advance(90) == datetime(2025, 6, 1, 12, 1, 30, tzinfo=UTC)
    clock.advance(timedelta(minutes=5))
    assert fixed.monotonic() == 390.0
    assert repr(clock) == "FixedClock(2025-06-01T12:06:30+00:00)"
    with pytest.raises(InvalidArgument, match="cannot be turned back"):
        clock.advance(-1)
    with pytest.raises(InvalidArgument, match="aware"):
        FixedClock(datetime(2025, 6, 1))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1", False), ("2", True), ("11", True), ("12", False), ("02", True), ("0" * 63 + "2", True),
        ("0" * 64 + "2", True), ("", False), ("-2", False), ("2.0", False), (" 2", False), ("\u0663", False),
    ],
)  # fmt: skip
def test_a_number_as_text_lies_within_both_its_bounds(text: str, found: bool) -> None:
    assert in_range(text, (2, 11)) is found

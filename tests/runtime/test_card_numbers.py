"""One definition of what looks like a card number: every real one is found, whatever stands around it, and masked wherever text is shown."""

import re
from typing import Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from paywright_runtime.card_numbers import SHORTEST, find_card_numbers, first_and_last, mask_card_numbers, passes_luhn
from paywright_runtime.redaction import redacted, visible

CARD: Final = "4444333322221111"


def check_digit(front: str) -> str:
    """The digit that makes a number right, from the definition of ISO/IEC 7812: an oracle of its own."""
    total = 0
    for place, digit in enumerate(reversed(front)):
        total += int(digit) if place % 2 else sum(map(int, str(int(digit) * 2)))
    return str(-total % 10)


@st.composite
def cards(draw: st.DrawFn) -> str:
    front = draw(st.from_regex(r"[2-6][0-9]{10,17}", fullmatch=True))
    return front + check_digit(front)


@pytest.mark.parametrize(
    "number",
    [CARD, "5555555555554444", "378282246310005", "3530111333300000", "6200000000000005", "6304000000000000000"],
)
def test_the_check_digit_of_well_known_numbers_is_right(number: str) -> None:
    wrong = number[:-1] + str((int(number[-1]) + 1) % 10)
    assert passes_luhn(number)
    assert not passes_luhn(wrong)


@given(cards(), st.sampled_from(["", " ", "-", "."]), st.integers(2, 7), st.booleans())
def test_a_card_is_masked_however_it_is_grouped(number: str, between: str, size: int, checked: bool) -> None:
    written = between.join(number[at : at + size] for at in range(0, len(number), size))
    assume(re.fullmatch(r"\d{1,3}(\.\d{1,3}){3}", written) is None)
    assert mask_card_numbers(f"card {written}, refused", checked=checked) == "card ****, refused"
    assert (
        mask_card_numbers(written, first_and_last, checked=checked)
        == number[:6] + "*" * (len(number) - 10) + number[-4:]
    )


@given(cards(), st.text("/_~|:\u200b\x00 ,*", min_size=1, max_size=3), st.integers(2, 7), st.booleans())
def test_no_sign_hides_a_card_in_a_loose_run(number: str, between: str, size: int, checked: bool) -> None:
    written = between.join(number[at : at + size] for at in range(0, len(number), size))
    assert mask_card_numbers(f"card {written}", checked=checked, loosely=True) == "card ****"
    apart = f"{written[:2]}----{written[2:4]}" + "----99" * 6
    assert mask_card_numbers(apart, checked=checked, loosely=True) == apart


@given(cards(), st.from_regex(r"[0-9]{1,8}", fullmatch=True), st.sampled_from([" ", "-", "."]), st.booleans())
def test_other_digits_beside_a_card_do_not_hide_it(number: str, other: str, between: str, checked: bool) -> None:
    for text in (f"{other}{between}{number}", f"{number}{between}{other}", f"{other}{between}{number}{between}{other}"):
        assert number not in mask_card_numbers(text, checked=checked)


@given(cards(), st.from_regex(r"[0-9]{8,30}", fullmatch=True), st.booleans())
def test_a_card_within_a_run_that_is_too_long_for_one_does_not_pass(number: str, other: str, checked: bool) -> None:
    for text in (other + number, number + other, other + number + other):
        assert number not in mask_card_numbers(text, checked=checked)


@pytest.mark.parametrize(
    "text",
    [
        "20250601_0001", "2025-06-01T12:00:07", "2025-06-01 12:00", "203.119.241.186 is not on the white list",
        "10.50 USD of 100.00", "ORD_12345678901",
    ],
)  # fmt: skip
def test_dates_addresses_and_short_numbers_are_shown(text: str) -> None:
    assert mask_card_numbers(text, checked=False) == mask_card_numbers(text, checked=True) == text


@pytest.mark.parametrize(
    "number",
    [
        "4444333322221112",  # the check digit is wrong
        "1748779200000",  # a time in milliseconds: no card begins so
        "20250601120000",  # a time in the digits of a date
        "800200300400",
    ],
)
def test_a_number_like_any_other_is_shown_in_a_long_text_and_masked_in_a_short_one(number: str) -> None:
    assert mask_card_numbers(f"[{number}]", checked=True) == f"[{number}]"
    assert mask_card_numbers(f"[{number}]", checked=False) == "[****]"


def test_several_cards_are_each_found_once() -> None:
    text = f"{CARD} and 5555-5555-5555-4444, {CARD}"
    assert [text[start:end] for start, end in find_card_numbers(text, checked=True)] == [
        CARD,
        "5555-5555-5555-4444",
        CARD,
    ]
    assert mask_card_numbers(f"{CARD} {CARD}", checked=True) == "**** ****"


def test_digits_of_other_scripts_count() -> None:
    assert mask_card_numbers("４４４４３３３３２２２２１１１１", checked=True) == "****"
    assert mask_card_numbers("٤٤٤٤٣٣٣٣٢٢٢٢١١١١", checked=True) == "****"


def test_a_long_run_without_end_is_masked_whole() -> None:
    assert mask_card_numbers("7" * 1_000_000, checked=True) == "****"


@given(st.text(alphabet="0123456789 .-x", max_size=80))
def test_what_is_found_is_in_order_and_begins_and_ends_with_digits(text: str) -> None:
    for checked in (False, True):
        after = 0
        for start, end in find_card_numbers(text, checked=checked):
            assert after <= start < end <= len(text)
            assert text[start].isdigit()
            assert text[end - 1].isdigit()
            after = end


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, 普通 and zurück", "plain, 普通 and zurück"),
        ("\x1b[31mred\x9b", "\\u{1b}[31mred\\u{9b}"),
        ("\u202egnp.exe\u2066\u200b", "\\u{202e}gnp.exe\\u{2066}\\u{200b}"),
        ("one\ntwo\r", "one\\u{a}two\\u{d}"),
        ("half a pair \udcff", "half a pair \\u{dcff}"),
    ],
)
def test_what_does_not_show_itself_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_characters_that_are_to_stay_do() -> None:
    assert visible("one\ntwo\tthree", keep="\n") == "one\ntwo\\u{9}three"


@pytest.mark.parametrize("digits", range(1, 20))
def test_a_text_is_masked_from_the_length_on_from_which_a_card_number_is(digits: int) -> None:
    number = "4" * digits
    assert redacted(number, 64) == (number if digits < SHORTEST else "****")
    assert redacted(f"{number}\u202e"[-11:], 64) == number[-10:]

"""Find and mask what looks like a card number: 12 to 19 digits, possibly with single spaces, dots or dashes between.

In a short text, such as a code or a message, any such run of digits counts, also a longer one: masking too much does
little harm there. A long text, such as a body, contains many other numbers: there a run counts only if its check digit
(Luhn) is right and it begins like a card number. IP addresses do not count. In text written to mislead, up to three
characters of any kind may stand between two digits (`loosely`); then dates and times count too, if all runs do.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

SHORTEST: Final = 12
LONGEST: Final = 19

_LONGEST_RUN: Final = 500
_RUN: Final = re.compile(r"\d(?:[ .\-]?\d){11,}")
_LOOSE_RUN: Final = re.compile(r"\d(?:[\W_]{0,3}\d){11,}")
_GROUP: Final = re.compile(r"\d+")
_IP_ADDRESS: Final = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}").fullmatch


def passes_luhn(number: str) -> bool:
    """Return whether the check digit (Luhn) of a number is right. It must hold decimal digits alone."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in number[-2::-2])
    return (sum(map(int, number[-1::-2])) + sum(doubled)) % 10 == 0


def first_and_last(number: str) -> str:
    """Return a card number with stars for all but its first six and last four digits, which may be stored and shown."""
    return f"{number[:6]}{'*' * (len(number) - 10)}{number[-4:]}"


def find_card_numbers(text: str, *, checked: bool, loosely: bool = False) -> Iterator[tuple[int, int]]:
    """Iterate over the places in a text that look like card numbers: (start, end), in order, none overlapping.

    `checked` is for long texts, `loosely` for text from others, such as names of members.
    """
    for run in (_LOOSE_RUN if loosely else _RUN).finditer(text):
        if _IP_ADDRESS(run[0]) is None:
            yield from _within(text, run) if checked else [run.span()]


def mask_card_numbers(
    text: str, mask: Callable[[str], str] = lambda number: "****", *, checked: bool, loosely: bool = False
) -> str:
    """Replace everything that looks like a card number with `mask` of its digits; see `find_card_numbers`."""
    parts: list[str] = []
    end = 0
    for start, after in find_card_numbers(text, checked=checked, loosely=loosely):
        parts += text[end:start], mask("".join(_GROUP.findall(text, start, after)))
        end = after
    return "".join((*parts, text[end:]))


def _within(text: str, run: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Iterate over the card numbers in a run. Each begins and ends with a group of digits, or anywhere in a group that is too long."""
    if run.end() - run.start() > _LONGEST_RUN:
        yield run.span()
        return
    places: list[int] = []
    starts: set[int] = set()
    ends: set[int] = set()
    for group in _GROUP.finditer(text, *run.span()):
        first, last = len(places), len(places) + len(group[0])
        places += range(*group.span())
        starts.update(range(first, last) if last - first > LONGEST else (first,))
        ends.update(range(first + 1, last + 1) if last - first > LONGEST else (last,))
    digits = "".join(text[place] for place in places)
    start = 0
    while start < len(digits):
        lengths = range(LONGEST, SHORTEST - 1, -1) if start in starts and 2 <= int(digits[start]) <= 6 else ()
        fitting = (start + length for length in lengths if start + length in ends)
        end = next((end for end in fitting if passes_luhn(digits[start:end])), None)
        if end is None:
            start += 1
        else:
            yield places[start], places[end - 1] + 1
            start = end

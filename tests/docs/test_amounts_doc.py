"""docs/amounts.md tells the decimals that the sandbox takes."""

from __future__ import annotations

import re

from paywright_sandbox.engine.currency_decimals import decimals_of
from tests.docs.pages import Page

PAGE = Page("amounts").text


def test_what_to_send_is_what_the_sandbox_takes() -> None:
    rows = (line for line in PAGE.splitlines() if line.startswith(("| decimals", "| send")))
    names, send = (re.findall(r"\w+", line)[1:] for line in rows)
    assert dict(zip(names, map(int, send), strict=True)) == {name: decimals_of(name) for name in names}
    two, four, none = (
        set(re.findall(r"\b[A-Z]{3}\b", PAGE[PAGE.index(start) : PAGE.index(end)])) - {"ISO"}
        for start, end in (("took two", "four of"), ("four of", "and none of"), ("and none of", "The sandbox refuses"))
    )
    said = {**dict.fromkeys(two, 2), **dict.fromkeys(four, 4), **dict.fromkeys(none, 0)}
    assert len(said) == 18
    assert said == {name: decimals_of(name) for name in said}

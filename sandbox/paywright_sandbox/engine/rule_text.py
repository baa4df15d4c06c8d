"""Rules of the contract in plain words, without its syntax and its references to questions."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["rule_in_words"]

# A condition that is an open question says nothing to a client: leave it out.
_OPEN: Final = re.compile(r"when \?[a-z0-9-]+, | and \?[a-z0-9-]+| ?\?[a-z0-9-]+")
_NAME: Final = r"([A-Za-z][A-Za-z0-9.]*)"
_PHRASES: Final = (
    (re.compile(rf"\bneed {_NAME}\{{([^}}]*)\}}"), lambda found: f"{found[1]} needs {_listed(found[2], 'and')}"),
    (re.compile(rf"\bneed {_NAME}((?: or {_NAME})*)"), lambda found: f"{found[1]}{found[2]} is required"),
    (re.compile(rf"\brefuse {_NAME}"), lambda found: f"{found[1]} must not be sent"),
    (re.compile(rf"{_NAME} in ((?:[A-Z0-9_]+ ?)+)"), lambda found: f"{found[1]} is {_listed(found[2], 'or')} "),
    (re.compile(rf"{_NAME} max ([0-9]+)"), lambda found: f"{found[1]} has at most {found[2]} characters"),
)  # fmt: skip


def rule_in_words(text: str) -> str:
    """Return a rule in words, such as `outTradeNo or tradeToken is required` for `need outTradeNo or tradeToken ?x`."""
    words = _OPEN.sub("", text)
    for pattern, said in _PHRASES:
        words = pattern.sub(said, words)
    return " ".join(words.split()).replace(" ,", ",")


def _listed(words: str, last: str) -> str:
    *some, end = words.split()
    return f"{', '.join(some)} {last} {end}" if some else end

"""What a named decision of the sandbox is; which there are stands in `policies` and beside the resources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

__all__ = ["FORMS", "Policy", "Value"]

Value: TypeAlias = str | int | tuple[str, ...]

FORMS: Final[Mapping[str, tuple[re.Pattern[str], str]]] = {
    "amount": (re.compile(r"[0-9]{1,18}([.][0-9]{1,4})?"), 'an amount such as "1.00"'),
    "fraction": (re.compile(r"0([.][0-9]{1,8})?"), 'a fraction below 1 such as "0.004"'),
    "snap-code": (re.compile(r"[1-5][0-9]{2}(xx|[0-9]{2})[0-9]{2}"), "a SNAP code such as 404xx01"),
}
"""What the text of a policy may have to look like, and words for it."""


class Policy:
    """One decision: its default, the contract's question it answers, and what it decides.

    The default's type is the type of the value. `choices` are all values a text may have, where not any will do; a list is
    one of amounts, or with `words` one of texts. `form` is what a text must look like otherwise: a key of `FORMS`.
    """

    __slots__ = ("choices", "default", "form", "name", "question", "summary", "words")

    def __init__(
        self,
        name: str,
        default: Value,
        question: str,
        summary: str,
        *,
        choices: tuple[str, ...] = (),
        words: bool = False,
        form: str = "",
    ) -> None:
        self.name = name
        self.default = default
        self.question = question
        self.summary = summary
        self.choices = choices
        self.form = form
        self.words = words

    def __repr__(self) -> str:
        return f"<Policy {self.name} = {self.default!r}>"

"""What a named decision of the sandbox is; which there are stands in `policies` and beside the resources."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Policy", "Value"]

Value: TypeAlias = str | int | tuple[str, ...]


class Policy:
    """One decision: its default, the contract's question it answers, and what it decides.

    The default's type is the type of the value. `choices` are all values a text may have, where not any will do; a list is
    one of amounts, or with `words` one of texts. A text with an `amount` is one of 0 or more.
    """

    __slots__ = ("amount", "choices", "default", "name", "question", "summary", "words")

    def __init__(
        self,
        name: str,
        default: Value,
        question: str,
        summary: str,
        *,
        choices: tuple[str, ...] = (),
        words: bool = False,
        amount: bool = False,
    ) -> None:
        self.name = name
        self.default = default
        self.question = question
        self.summary = summary
        self.choices = choices
        self.amount = amount
        self.words = words

    def __repr__(self) -> str:
        return f"<Policy {self.name} = {self.default!r}>"

"""A policy: a named decision of the sandbox. `policies` and the resources define them."""

from __future__ import annotations

from typing import TypeAlias

__all__ = ["Policy", "Value"]

Value: TypeAlias = str | int | tuple[str, ...]


class Policy:
    """One decision: its default, the contract's question it answers, and a summary.

    The value has the default's type. `choices` limit a text; a list has amounts, or texts with `words`. A text with
    `amount` is an amount of 0 or more.
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

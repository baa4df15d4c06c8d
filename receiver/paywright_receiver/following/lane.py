"""Order in which a run takes the due items of a kind."""

from __future__ import annotations

from typing import Final

__all__ = ["NO_ANSWER", "Lane"]

NO_ANSWER: Final = "no answer"
"""Word for an inquiry without a verified answer."""


class Lane:
    """Due items of one kind: the longest due first, or the newest first after the same error several times in a row.

    So a permanent refusal delays neither another kind nor new items.
    """

    __slots__ = ("kind", "newest", "times", "wrong")

    def __init__(self, kind: str) -> None:
        self.kind: str = kind
        self.newest: bool = False
        self.wrong: str = ""
        self.times: int = 0

    def goes_on(self, wrong: str, most: int) -> bool:
        """Count an inquiry that went wrong, and return whether to go on."""
        self.times = self.times + 1 if self.wrong == wrong else 1
        self.wrong = wrong
        if self.times < (1 if self.newest and wrong == NO_ANSWER else most):
            return True
        if self.newest:
            return False
        self.newest, self.times = True, 0
        return True

"""The exception that ends a request and undoes it."""

from __future__ import annotations


class Refusal(Exception):
    """The request is refused, and its effects are undone.

    Its code is the value of `policy`, or `code`, one of the specification's own. The message never holds a value.
    """

    def __init__(self, msg: str, *, policy: str | None = None, code: str | None = None) -> None:
        super().__init__(msg)
        self.msg = msg
        self.policy = policy
        self.code = code

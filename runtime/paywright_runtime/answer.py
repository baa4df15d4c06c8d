"""Verified answers: code, message, bytes and headers, and where an answer breaks the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from paywright_runtime.attempts import Attempt
from paywright_runtime.contract.conversion import unknown_members
from paywright_runtime.contract.validation import judge
from paywright_runtime.json_value import JSON
from paywright_runtime.redaction import redacted
from paywright_runtime.violation import Violation

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.operation import Operation

__all__ = ["Answer", "Result"]


class Answer:
    """A verified answer. Every top-level result has its own as `.answer`.

    `code` and `msg` are the gateway's (`responseCode`, `bizCode` if they are called so). `raw` are the verified bytes,
    `request` the bytes that were signed and sent, `headers` the answer's in the order received, `attempts` all attempts
    of the call. `repr` shows only the code, masked if it looks like a card number.
    """

    __slots__ = (
        "_contract",
        "_operation",
        "_violations",
        "attempts",
        "body",
        "code",
        "headers",
        "msg",
        "raw",
        "request",
        "warnings",
    )

    def __init__(
        self,
        *,
        code: str,
        msg: str,
        raw: bytes,
        body: Mapping[str, JSON],
        request: bytes,
        headers: Sequence[tuple[str, str]],
        attempts: Sequence[Attempt],
        contract: Contract,
        operation: Operation,
        warnings: Sequence[Violation] = (),
    ) -> None:
        self._contract = contract
        self._operation = operation
        self._violations: list[Violation] | None = None
        self.code: str = code
        self.msg: str = msg
        self.raw: bytes = raw
        self.body: Mapping[str, JSON] = body
        self.request: bytes = request
        self.headers: tuple[tuple[str, str], ...] = tuple(headers)
        self.attempts: tuple[Attempt, ...] = tuple(attempts)
        self.warnings: tuple[Violation, ...] = tuple(warnings)
        """What the request broke, under `validation="report"`."""

    @property
    def violations(self) -> list[Violation]:
        """Return where the answer breaks the contract in ways that still let it be read. Computed on first access."""
        if self._violations is None:
            self._violations = judge(self._contract, self._operation.name, "response", dict(self.body), parsed=True)
        return self._violations

    @property
    def unknown(self) -> list[str]:
        """Return JSON pointers of members that the contract does not name. Their values are in `body`."""
        return unknown_members(self._contract, self._contract.struct(self._operation.response), self.body)

    def __repr__(self) -> str:
        return f"<Answer {redacted(self.code, 64)}>"


class Result(Protocol):
    """The result of any operation."""

    @property
    def answer(self) -> Answer:
        """Return the whole verified answer."""
        ...

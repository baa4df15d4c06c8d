"""What came back beside the data: codes, bytes, headers, and how exactly the gateway kept to the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from paywright_runtime.redact import shown
from paywright_runtime.violations import Report, Violation
from paywright_runtime.wire import unknown_members

if TYPE_CHECKING:
    from paywright_runtime.attempts import Attempt
    from paywright_runtime.facts import Contract, Operation
    from paywright_runtime.strict_json import JSON

__all__ = ["Answer", "Result"]


class Answer:
    """A verified answer. Every top-level result carries its own as `.answer`.

    `code` and `msg` are the gateway's words (`responseCode`, `bizCode` where they are called so). `raw` are the verified
    bytes, `request` the bytes that were signed and sent, `headers` the answer's in the order received, `attempts` what was
    tried. `repr` shows the code alone, masked where it looks like a card number.
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
        contract: Contract,
        operation: Operation,
        *,
        code: str,
        msg: str,
        raw: bytes,
        body: Mapping[str, JSON],
        request: bytes,
        headers: Sequence[tuple[str, str]],
        attempts: Sequence[Attempt],
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
        """Where the answer departs from the contract, found at the first look; reading survived all of them."""
        if self._violations is None:
            struct = self._operation.answers
            bad = Report()
            self._contract.validator(struct)(dict(self.body), "", bad)
            self._violations = bad.violations(self._contract, struct)
        return self._violations

    @property
    def unknown(self) -> list[str]:
        """JSON pointers of members that the contract does not name; their values are in `body`."""
        return unknown_members(self._contract, self._contract.struct(self._operation.answers), self.body)

    def __repr__(self) -> str:
        return f"<Answer {shown(self.code, 64)}>"


class Result(Protocol):
    """What every operation returns, whatever else it is."""

    @property
    def answer(self) -> Answer:
        """The whole verified answer."""
        ...

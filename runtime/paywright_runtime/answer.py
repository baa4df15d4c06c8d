"""Verified answers: code, message, bytes and headers, and where an answer breaks the contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, Self

from paywright_runtime.attempts import Attempt
from paywright_runtime.json_value import JSON
from paywright_runtime.redaction import redacted


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where a message breaks the contract.

    `pointer` is a JSON pointer (RFC 6901) to the offending member, or to the place of a missing one; a header's is
    `@header/NAME`. `code` is one of required, type, max, min, exact, range, value, format, json, duplicate, or the id of a
    rule. `message` says what is wrong and cites the section of the specification; it never shows the value. Two
    violations are equal if their pointers and codes are.
    """

    pointer: str
    code: str
    message: str = field(compare=False)

    def __str__(self) -> str:
        return f"{self.pointer or '(the whole message)'}: {self.code}: {self.message}"


class Answer:
    """A verified answer. Every top-level result has its own as `.answer`.

    `code` and `msg` are the gateway's (`responseCode`, `bizCode` if they are called so). `raw` are the verified bytes,
    `request` the bytes that were signed and sent, `headers` the answer's headers in the order received, `attempts` all attempts
    of the call. `repr` shows only the code, masked if it looks like a card number.

    A pickle leaves out `raw`, `body`, `request` and `headers`, and keeps what was found in them.
    """

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
        find_violations: Callable[[Mapping[str, JSON]], list[Violation]],
        find_unknown: Callable[[Mapping[str, JSON]], list[str]],
        warnings: Sequence[Violation] = (),
    ) -> None:
        self._find_violations = find_violations
        self._find_unknown = find_unknown
        self.code: str = code
        self.msg: str = msg
        self.raw: bytes = raw
        self.body: Mapping[str, JSON] = body
        self.request: bytes = request
        self.headers: tuple[tuple[str, str], ...] = tuple(headers)
        self.attempts: tuple[Attempt, ...] = tuple(attempts)
        self.warnings: tuple[Violation, ...] = tuple(warnings)
        """The violations of the request, under `validation="report"`."""

    @cached_property
    def violations(self) -> list[Violation]:
        """Return where the answer breaks the contract in ways that still let it be read. Computed on first access."""
        return self._find_violations(self.body)

    @cached_property
    def unknown(self) -> list[str]:
        """Return JSON pointers of members that the contract does not name. Their values are in `body`."""
        return self._find_unknown(self.body)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __getstate__(self) -> dict[str, object]:
        state = {name: getattr(self, name) for name in ("attempts", "warnings", "violations", "unknown")}
        said = {"code": redacted(self.code, 64), "msg": redacted(self.msg, 500)}
        return {**state, **said, "raw": b"", "body": {}, "request": b"", "headers": ()}

    def __repr__(self) -> str:
        return f"<Answer {redacted(self.code, 64)}>"


class Result(Protocol):
    """The result of any operation."""

    @property
    def answer(self) -> Answer:
        """Return the whole verified answer."""
        ...

"""A judged exchange, and the values at places of its bodies."""

from __future__ import annotations

from typing import Final

from paywright_audit.input.records import Message
from paywright_audit.judging.clocks import Times
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.operation_facts import (
    OperationFacts,
    Path,
)
from paywright_audit.judging.signatures import SignatureVerdict

__all__ = ["Due", "JudgedExchange", "object_at", "value_at"]

Due = tuple[int, str, Message, object, bool, bool, str | None]
"""A signature to be judged: of the request (0) or the answer (1), the part's name, the message, the header's value (None:
absent), whether there are several, whether it is the merchant's, and for the bank-style one the path that it covers."""


class JudgedExchange:
    """The result for one exchange: findings, the verdict on every signature, and the messages that could not be judged.

    `asked` and `answered` are the bodies as parsed JSON (None if they cannot be read). `trust_asked` and `trust_answered`
    are True if the message may be used as evidence: it is signed, or at least nothing shows that it was altered. `proven` is
    the number of the gateway's key that verified its message, 0 for none. `lost` is True if the capture does not have the
    response; `doubted` if its signature is not valid under the given keys, so that the receiver may have had another one.
    `times` is None if no clock shows any; `apart` is the difference of the clocks of an accepted call in seconds, and
    `ahead` how far the sender's and the capture's are both ahead of the gateway's. `unclear` is True if the lost request may
    belong to several operations. `cut` are the reasons why bodies (0, 1) that seem to be cut off cannot be read. `judged` is
    the number of judged bodies. `facts` is None for a notification that the specification does not show.
    """

    __slots__ = (
        "ahead", "answered", "apart", "asked", "cut", "doubted", "due", "facts", "findings", "judged", "lost", "proven",
        "request", "signatures", "times", "trust_answered", "trust_asked", "unanswered", "unclear", "unjudged",
    )  # fmt: skip

    def __init__(self, facts: OperationFacts | None, asked: object, request: Message) -> None:
        self.findings: list[Finding] = []
        self.signatures: list[SignatureVerdict] = []
        self.due: list[Due] = []
        self.unjudged: int = 0
        self.unanswered: bool = False
        self.facts: OperationFacts | None = facts
        self.asked: object = asked
        self.request: Message = request
        self.answered: object = None
        self.trust_asked: bool = True
        self.trust_answered: bool = True
        self.judged: int = 0
        self.lost: bool = False
        self.doubted: bool = False
        self.unclear: bool = False
        self.proven: int = 0
        self.cut: dict[int, str] = {}
        self.times: Times | None = None
        self.apart: float = 0.0
        self.ahead: float = 0.0

    def distrust(self, side: int) -> None:
        """Record that the request (0) or the response (1) proves nothing."""
        if side:
            self.trust_answered = False
        else:
            self.trust_asked = False


_NOTHING: Final[dict[str, object]] = {}


def object_at(value: object, path: Path) -> dict[str, object]:
    """Return the members of the object at a path; {} if there is no object."""
    for name in path:
        if type(value) is not dict:
            return _NOTHING
        value = value.get(name)
    return value if type(value) is dict else _NOTHING


def value_at(value: object, path: Path) -> object:
    """Return the value at a path of member names, or None."""
    for name in path:
        if type(value) is not dict:
            return None
        value = value.get(name)
    return value

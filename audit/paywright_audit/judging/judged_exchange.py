"""A judged exchange, and the objects at places of its bodies."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from paywright_audit.input.body_decoding import Reading
from paywright_audit.input.records import Exact, Message
from paywright_audit.judging.clocks import Times
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.operation_facts import INBOUND, OperationFacts, Path
from paywright_audit.judging.signatures import MessageVerdict, SignatureVerdict

Unless = Literal["hidden", "accepted", "unsigned"]
"""Why a finding may not count: its value looks hidden, the gateway accepted the message, or no X-SIGNATURE covers the header."""

Due = tuple[int, object, bool, str | None]
"""A signature to be judged: of the request (0) or the answer (1), the header's value (None: absent), whether there are several,
and for the bank-style one the path that it covers."""


_NO_MESSAGE: Final = Message((), Exact(b""))


class Stray(NamedTuple):
    """Operation and key that an answer to another request is about. The key is "" if it has none."""

    operation: str
    key: str


class Excused(NamedTuple):
    """A finding that counts only if something else shows that the message was sent so: `unless` says what."""

    side: int
    unless: Unless
    finding: Finding


class JudgedExchange:
    """The result for one exchange: findings, the verdict on every signature, and the messages that could not be judged.

    `asked` and `answered` are the bodies as parsed JSON (None if they cannot be read, or are no evidence); `seen` is the
    request as captured. `evidence` are the verdicts on both messages (0, 1), None for one that nothing signs.
    `trust_asked` and `trust_answered` are True if the message may be used as evidence: it is signed, or at least nothing shows
    that it was altered. `proven` is the number of the gateway's key that verified its message, 0 for none. `lost` is True if the
    capture does not have the response that the receiver had. `stray` is what its answer is about in place of the request, None if it answers the request. `times` is None if no clock shows any; `apart` is the difference of
    the clocks of an accepted call in seconds, `zone` is the seconds by which it is another time zone, and `ahead` how far the sender's and the capture's are both ahead of the gateway's.
    `unclear` is True if the lost request may belong to several operations. `bodies` are True where a body was judged, False where
    it could not be. `read` are their readings, `sides` the messages, `senders` who sent them, `parts` their names. `facts` is None for a notification that the specification does not show.
    """

    __slots__ = (
        "ahead", "answered", "apart", "asked", "bodies", "due", "evidence", "excused", "facts", "findings", "lost",
        "parts", "proven", "read", "request", "seen", "senders", "sides", "signatures", "stray", "times", "trust_answered",
        "trust_asked", "unanswered", "unclear", "unknown", "zone",
    )  # fmt: skip

    def __init__(self, facts: OperationFacts | None, reading: Reading, request: Message) -> None:
        self.findings: list[Finding] = []
        self.excused: list[Excused] = []
        self.signatures: list[SignatureVerdict] = []
        self.unknown: list[Finding] = []
        self.due: list[Due] = []
        self.unanswered: bool = False
        self.facts: OperationFacts | None = facts
        self.parts: tuple[str, str] = ("notification", "") if facts is None else facts.parts
        self.senders: tuple[str, str] = INBOUND if facts is None else facts.senders
        self.asked: object = reading.value
        self.seen: object = reading.value
        self.request: Message = request
        self.sides: tuple[Message, Message] = request, _NO_MESSAGE
        self.answered: object = None
        self.trust_asked: bool = True
        self.trust_answered: bool = True
        self.bodies: list[bool | None] = [None, None]
        self.read: list[Reading | None] = [reading, None]
        self.evidence: list[MessageVerdict | None] = [None, None]
        self.lost: bool = False
        self.unclear: bool = False
        self.proven: int = 0
        self.times: Times | None = None
        self.stray: Stray | None = None
        self.apart: float = 0.0
        self.zone: int = 0
        self.ahead: float = 0.0

    def take(self, side: int, reading: Reading) -> None:
        """Take what the body of a message says."""
        self.read[side] = reading
        self.bodies[side] = True
        if side:
            self.answered = reading.value
        else:
            self.asked = reading.value

    def withdraw(self, side: int) -> None:
        """Take a message out of the evidence: what the capture has of it may be another's."""
        self.unknown = [one for one in self.unknown if one.part != self.parts[side]]
        if side:
            self.answered, self.lost = None, True
        else:
            self.asked = None
        if self.bodies[side]:
            self.bodies[side] = False

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

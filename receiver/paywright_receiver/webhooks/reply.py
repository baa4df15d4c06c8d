"""The reply to one delivery, its status and what acknowledges it [6], and the event for the hook. `processing` decides the outcome."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol, TypeAlias, cast, get_args

from paywright_runtime import strict_json
from paywright_runtime.tracebacks import interrupts

if TYPE_CHECKING:
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.contract.model import Field, Struct
    from paywright_runtime.strict_json import JSON

Outcome: TypeAlias = Literal[
    "handled", "duplicate", "stale", "conflict", "unhandled", "answered", "noted",
    "failed", "unreadable", "superseded", "in_progress", "ledger_failed", "internal",
    "not_post", "not_raw", "no_length", "too_large", "unsigned", "several_signatures", "not_canonical", "bad_signature",
    "not_json", "no_kind", "not_ours", "no_time", "too_old", "too_new",
]  # fmt: skip
"""Outcome of a delivery, as a stable word."""

OUTCOMES: Final[tuple[str, ...]] = get_args(Outcome)

STATUS: Final[dict[str, int]] = {
    **dict.fromkeys(("handled", "duplicate", "stale", "answered", "noted"), 200),
    **dict.fromkeys(("not_json", "no_kind", "no_time", "too_old", "too_new"), 400),
    **dict.fromkeys(("unsigned", "several_signatures", "not_canonical", "bad_signature"), 401),
    "not_ours": 403,
    "not_post": 405,
    "conflict": 409,
    "no_length": 411,
    "too_large": 413,
    "unreadable": 422,
    **dict.fromkeys(("failed", "internal", "not_raw"), 500),
    "unhandled": 501,
    **dict.fromkeys(("superseded", "in_progress", "ledger_failed"), 503),
}
"""HTTP status by outcome. For `conflict` and `unhandled` it applies if they are not acknowledged."""

WORDS: Final[dict[str, str]] = {
    "duplicate": "It was handled before.",
    "noted": "It reports no last state; the open item is asked about.",
    "stale": "A newer state was handled before.",
    "conflict": "It contradicts an earlier one; it is kept, and nothing was done.",
    "superseded": "A newer one with other content is kept and waits to be handled.",
    "in_progress": "It, or another one about the same, is being handled right now.",
    "unhandled": "There is no handler for its kind; it is kept.",
    "failed": "Its handler failed; it is kept.",
    "unreadable": "It cannot be read; it is kept.",
    "ledger_failed": "The ledger cannot be used now.",
    "internal": "The receiver failed.",
}
"""One sentence for the sender, by outcome. It contains no value of the notification."""

_JSON: Final = ("Content-Type", "application/json")


@dataclass(slots=True, eq=False, repr=False)
class Reply:
    """Reply to send back, byte for byte: `status`, `headers` and `body`.

    `outcome` says how the delivery ended, `key` which notification it was (None if unknown), and `why` the reason if it was not
    handled, without values of the notification. `acknowledged` says whether the gateway will count it as received. `reconciled`
    says that it was a conflict, and `on_conflict` has handled it.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    outcome: Outcome
    _: KW_ONLY
    acknowledged: bool = False
    key: str | None = None
    why: str = ""
    reconciled: bool = False

    def __repr__(self) -> str:
        return f"<Reply {self.status} {self.outcome}>"


class Replies:
    """Makes the replies of a receiver: acknowledgements as the contract shows them, and refusals that cannot be read as one.

    `answers` has the struct of the acknowledgement by kind, `sign` returns the header that signs a reply, if replies are signed.
    """

    def __init__(
        self, contract: Contract, answers: Mapping[str, Struct], sign: Callable[[bytes], tuple[str, str]] | None
    ) -> None:
        self._contract = contract
        self._answers = answers
        self._sign = sign
        # Kinds that the specification does not show are assumed to be acknowledged like those that it shows.
        self._plain: Struct | None = next(iter(answers.values()), None)
        self._acknowledgements: dict[str, tuple[bytes, tuple[tuple[str, str], ...]]] = {}

    def by_choice(self, outcome: Outcome, key: str, kind: str, choice: str) -> Reply:
        """Return the reply to a notification that had no effect: `choice` is acknowledge or refuse."""
        return self.acknowledgement(outcome, key, kind) if choice == "acknowledge" else self.refusal(outcome, key)

    def acknowledgement(self, outcome: Outcome, key: str, kind: str, *, reconciled: bool = False) -> Reply:
        """Return the acknowledgement of a notification."""
        made = self._acknowledgements.get(kind)
        if made is None:
            struct = self._answers.get(kind, self._plain)
            if struct is None:
                return self.refusal("internal", key)
            body = strict_json.write(self._constants(struct))
            # Remembered once, so that later a signer may be unavailable.
            made = self._acknowledgements[kind] = body, self.headers(body)
        body, headers = made
        why = WORDS.get(outcome, "")
        return Reply(200, headers, body, outcome, acknowledged=True, key=key, why=why, reconciled=reconciled)

    def _constants(self, struct: Struct) -> dict[str, JSON]:
        """Return the content of an acknowledgement: its constants, and objects of them."""
        said: dict[str, JSON] = {}
        for field in struct.fields:
            if field.sends is not None:
                said[field.wire] = field.sends
            elif field.kind == "struct" and not field.array:
                of = self._contract.struct(field.of or "")
                inner = self._constants(of)
                if inner and all(each.wire in inner for each in of.fields if each.required):
                    said[field.wire] = inner
        return said

    def refusal(self, outcome: Outcome, key: str | None, why: str = "") -> Reply:
        """Return a reply that cannot be read as an acknowledgement: no status 200, and no code SUCCESS in the body."""
        why = why or WORDS[outcome]
        said = {"code": outcome.upper(), "msg": why}
        fields: tuple[Field, ...] = self._plain.fields if self._plain is not None else ()
        wire = {field.wire: said.get(field.wire, outcome.upper()) for field in fields if field.sends is not None}
        body = strict_json.write(cast("JSON", wire))
        try:
            headers = self.headers(body)
        except Exception as error:  # the signer is unavailable; a refusal needs no signature
            if interrupts(error):
                raise
            headers = (_JSON,)
        return Reply(STATUS[outcome], headers, body, outcome, key=key, why=why)

    def headers(self, body: bytes) -> tuple[tuple[str, str], ...]:
        """Return the headers of a reply, signed if the receiver signs its answers."""
        return (_JSON,) if self._sign is None else (_JSON, self._sign(body))


class DeliveryEvent(NamedTuple):
    """Report of one delivery for the receiver's hook. It contains no content of the notification (webhook).

    `outcome`, `acknowledged` and `key` are those of the `Reply`. `why` is the reason if the notification was not handled, as in
    the log and the ledger: more than the reply tells the sender, such as the line where a handler failed. `kind` is the
    `notifyType` of a verified notification, None for a question and if nothing could be verified. `seconds` is how long the
    delivery took, its handler included. `error` is what your handler raised, with its traceback, for error trackers; otherwise
    None. Its message, and the locals of its frames, may contain data of the notification: `repr` shows its class only.
    """

    outcome: Outcome
    acknowledged: bool
    key: str | None
    kind: str | None
    why: str
    seconds: float
    error: Exception | None = None

    def __repr__(self) -> str:
        error = None if self.error is None else type(self.error).__name__
        return (
            f"DeliveryEvent(outcome={self.outcome!r}, acknowledged={self.acknowledged}, key={self.key!r}, "
            f"kind={self.kind!r}, why={self.why!r}, seconds={self.seconds:.6f}, error={error})"
        )


class DeliveryObserver(Protocol):
    """An object that follows deliveries from beginning to end, in the thread of the handler."""

    def delivery(self, kinds: Collection[str]) -> Callable[[DeliveryEvent | None], None]:
        """Begin a delivery. The function that is returned takes its end: None if the program ends.

        `kinds` are those that the contract shows or a handler is registered for. Another one is a text of the notification.
        """
        ...

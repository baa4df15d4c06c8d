"""The way of one delivery: opened, claimed, handled, committed, answered. See `receiver`, which says what is set how."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from time import perf_counter
from typing import TYPE_CHECKING, Final, cast

from paywright_runtime import strict_json
from paywright_runtime.delivery_log import log, log_traceback
from paywright_runtime.errors import (
    ClaimLost,
    InvalidArgument,
    LedgerProblem,
    TransactionEnded,
    UnreadableNotification,
)
from paywright_runtime.events import Event
from paywright_runtime.handlers import raised, returned
from paywright_runtime.inbound import Delivery, Inbound, Refused
from paywright_runtime.ledger import Claim, Held, StateOrder, micros
from paywright_runtime.questions import Desk, Undecided, impossible
from paywright_runtime.reply import STATUS, DeliveryEvent, Outcome, Reply
from paywright_runtime.violations import Report
from paywright_runtime.wire import read, writers

if TYPE_CHECKING:
    from paywright_runtime.facts import Contract, Field, Operation, Struct
    from paywright_runtime.ledger import Refusal, Status
    from paywright_runtime.questions import Question
    from paywright_runtime.receiver import BaseReceiver
    from paywright_runtime.strict_json import JSON

__all__ = ["Receiving"]

_WORD: Final = re.compile(r"[A-Za-z0-9_./-]{1,64}").fullmatch
_JSON: Final = ("Content-Type", "application/json")
_WORDS: Final[Mapping[str, str]] = {
    "duplicate": "It was handled before.",
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


class Receiving:
    """Receives with handlers that are settled."""

    def __init__(
        self,
        receiver: BaseReceiver,
        contract: Contract,
        handlers: Mapping[str, Callable[..., object]],
        questions: Mapping[str, tuple[type[Question], Callable[..., object]]],
        kinds: Mapping[str, tuple[Callable[..., object], tuple[str, ...]]],
        other: Callable[..., object] | None,
        on_conflict: Callable[..., object] | None,
    ) -> None:
        self._receiver = receiver
        self._contract = contract
        self._questions = questions
        self._other = other
        self._on_conflict = on_conflict
        self._now = receiver.clock.now
        self._lease = int(receiver.lease * 1_000_000)
        self._keep = int((receiver.max_age + receiver.max_ahead).total_seconds() * 1_000_000)
        self._ledger = receiver.ledger
        self._inbound = Inbound(
            contract,
            app_id=receiver.app_id,
            merchant_no=receiver.merchant_no,
            verifier=receiver.verifier,
            max_age=receiver.max_age,
            max_ahead=receiver.max_ahead,
            max_bytes=receiver.max_bytes,
            once_per={kind: names for kind, (_, names) in kinds.items()},
        )
        known = self._inbound.known
        self._handlers: dict[str, Callable[..., object]] = {
            kind: handlers[one.operation.name] for kind, one in known.items() if one.operation.name in handlers
        }
        self._handlers |= {kind: handler for kind, (handler, _) in kinds.items()}
        # What a kind that is not shown is answered with is taken to be as with those that are.
        self._answers = {kind: contract.struct(one.operation.answers) for kind, one in known.items()}
        self._plain: Struct | None = next(iter(self._answers.values()), None)
        self._yes: dict[str, tuple[bytes, tuple[tuple[str, str], ...]]] = {}
        self._desk = Desk(receiver.bill_deadline)

    # One delivery

    def receive(self, raw: object, headers: object) -> Reply:
        """See `BaseReceiver.receive`."""
        seen = _Seen()
        hook = self._receiver.hook
        if hook is None:
            return self._received(raw, headers, seen)
        start = perf_counter()
        reply = self._received(raw, headers, seen)
        event = DeliveryEvent(
            reply.outcome,
            reply.acknowledged,
            reply.key,
            seen.kind,
            seen.why or reply.why,
            perf_counter() - start,
            seen.error,
        )
        try:
            hook(event)
        except Exception as error:  # what is told of a delivery changes nothing of it
            log("error", "hook", reply.key, f"the hook raised {type(error).__name__}; the delivery was {reply.outcome}")
        return reply

    def _received(self, raw: object, headers: object, seen: _Seen) -> Reply:
        try:
            verified = self._inbound.open(raw, headers).raw
            seen.verified = True
            body = self._inbound.parse(verified)
            seen.kind, seen.time = self._inbound.kind(body), self._inbound.time(body)
            if seen.kind is None:
                return self._asked(verified, body, seen)
            delivery = self._inbound.delivery(verified, body, seen.kind, self._now())
            seen.key = delivery.key
            return self._handle(delivery, seen, replayed=False)
        except Refused as refused:
            if refused.outcome == "not_raw":
                log("error", "not_raw", None, f"{refused.why}: {_RAW_BODY}")
            elif seen.verified:
                # Signed by the gateway and lost all the same, if nobody hears of it.
                log("warning", refused.outcome, None, f"{refused.why}{seen.words()}; it was verified, and not taken")
            elif refused.outcome == "bad_signature":
                log(
                    "warning",
                    refused.outcome,
                    None,
                    f"{refused.why}; if this goes on, compare gateway_keys with the gateway's",
                )
            return self._no(refused.outcome, None, f"Not taken: {refused.why}.")
        except LedgerProblem as problem:
            seen.why = str(problem)
            log("error", "ledger_failed", seen.key, seen.why)
            return self._no("ledger_failed", seen.key)
        except Exception as error:
            # A fault of ours, or of a ledger or verifier of somebody's own; its words may hold anything.
            log("error", "internal", seen.key, type(error).__name__)
            self._failed("internal", seen, type(error).__name__, error)
            return self._no("internal", seen.key)

    def _failed(self, outcome: str, seen: _Seen, why: str, error: Exception | None) -> None:
        """Keep for the hook why a delivery failed, and log the whole traceback where that was asked for."""
        seen.why, seen.error = why, error
        if error is not None and self._receiver.log_tracebacks:
            log_traceback(outcome, seen.key, error)

    def replay(self, key: str, digest: str | None = None) -> Reply:
        """See `BaseReceiver.replay`."""
        raw = self._ledger.body(key, digest)
        if raw is None:
            which = "" if digest is None else f" with the digest {digest[:16]!r}"
            raise InvalidArgument(f"The ledger keeps no notification {key!r}{which} to be tried again.")
        body = self._inbound.parse(raw)
        kind = self._inbound.kind(body)
        assert kind is not None  # questions are never kept
        try:
            delivery = self._inbound.delivery(raw, body, kind, None)
        except Refused as refused:
            raise InvalidArgument(f"The notification {key!r} is not this receiver's: {refused.why}.") from None
        seen = _Seen()
        seen.key = delivery.key
        reply = self._handle(delivery, seen, replayed=True)
        if reply.key != key and reply.outcome in ("handled", "duplicate", "stale"):
            self._ledger.settle(key, digest)  # it was kept before its real key could be read
        return reply

    # Notifications

    def _handle(self, delivery: Delivery, seen: _Seen, *, replayed: bool) -> Reply:
        key, kind = delivery.key, delivery.kind
        handler = self._handlers.get(kind)
        if handler is None and delivery.known is None:
            handler = self._other
        trouble: UnreadableNotification | None = None
        if handler is not None or self._on_conflict is not None:
            try:
                delivery.check()
            except UnreadableNotification as error:
                trouble = error
        held = self._ledger.claim(self._claim(delivery, handler is not None, readable=trouble is None))
        if isinstance(held, str):
            return self._refused(held, key, kind)
        if held.conflict is not None:
            log("warning", "conflict", key, f"It contradicts {held.conflict.key}; the handler of conflicts is called.")
            handler = self._on_conflict
        if handler is None:
            held.give_back("unhandled", "there was no handler for its kind")
            log("warning", "unhandled", key, _WORDS["unhandled"])
            return self._by_choice("unhandled", key, kind, self._receiver.unhandled)
        if trouble is not None:
            return self._kept(held, "unreadable", key, seen, _places(trouble))
        return self._run(handler, Event[object](delivery, held, replayed), held, seen)

    def _refused(self, why: Refusal, key: str, kind: str) -> Reply:
        """The answer to a notification that no handler gets."""
        if why in ("duplicate", "stale"):
            return self._ok(why, key, kind)
        if why == "conflict":
            log("warning", why, key, _WORDS[why])
            return self._by_choice(why, key, kind, self._receiver.conflicts)
        if why == "superseded":
            log("warning", why, key, _WORDS[why])
        return self._no(why, key)

    def _run(self, handler: Callable[..., object], event: Event[object], held: Held, seen: _Seen) -> Reply:
        try:
            result = handler(event)
            if result is not None:
                return self._kept(held, "failed", event.key, seen, f"the handler {returned(result)}: {_NOT_NONE}")
            held.finish()
        except ClaimLost as lost:
            held.give_back(
                "failed", "its claim was taken over"
            )  # changes nothing of a record that is another one's now
            seen.why = str(lost)
            log("warning", "in_progress", event.key, seen.why)
            return self._no("in_progress", event.key)
        except TransactionEnded as ended:
            return self._kept(held, "failed", event.key, seen, ended.why, ended)
        except UnreadableNotification as error:
            return self._kept(held, "unreadable", event.key, seen, _places(error))
        except LedgerProblem:
            held.give_back("failed", "the ledger could not be used")
            raise
        except Exception as error:
            return self._kept(held, "failed", event.key, seen, f"the handler raised {raised(error, handler)}", error)
        except BaseException as error:  # the program ends; what was under way is undone and kept
            with suppress(Exception):
                held.give_back("failed", f"the handler was ended by {type(error).__name__}")
            raise
        return self._ok("handled", event.key, event.kind)

    def _kept(
        self, held: Held, status: Status, key: str, seen: _Seen, why: str, error: Exception | None = None
    ) -> Reply:
        self._failed(status, seen, why, error)
        held.give_back(status, why)
        log("error", status, key, why)
        return self._no("unreadable" if status == "unreadable" else "failed", key)

    def _claim(self, delivery: Delivery, handled: bool, *, readable: bool) -> Claim:
        known = delivery.known
        return Claim(
            delivery.key,
            delivery.subject,
            delivery.kind,
            delivery.state,
            raw=delivery.raw,
            fingerprint=delivery.fingerprint,
            notify_time=micros(delivery.notify_time),
            lease=self._lease,
            keep=self._keep,
            order=_UNORDERED if known is None else known.order(delivery.state),
            handled=readable and handled,
            reconciles=readable and self._on_conflict is not None,
        )

    # Questions

    def _asked(self, raw: bytes, body: Mapping[str, JSON], seen: _Seen) -> Reply:
        operation = self._inbound.question(body)
        trouble = Report()
        asked = read(self._contract, self._contract.struct(operation.asks), body, "", trouble)
        if trouble.found:
            places = ", ".join(pointer for pointer, _, _ in trouble.found)
            return self._no("unreadable", None, f"The question cannot be read at {places}.")
        kind, function = self._questions.get(operation.name, (None, None))
        if kind is None or function is None:
            log("warning", "unhandled", None, f"nothing is registered to answer {operation.name}")
            return self._no("unhandled", None, "There is nobody here to answer this question.")
        question = kind(asked, raw)
        why = ""
        answer: bytes | None = None
        try:
            answer, why = self._decision(operation, body, self._desk.decide(function, question))
        except Undecided as undecided:
            why = undecided.why
            self._failed("answered", seen, why, undecided.error)
        if answer is None:
            log("error", "answered", None, f"{operation.name} was refused: {why}")
            answer, _ = self._decision(operation, body, question.refuse("It cannot be decided now."))
        if answer is None:
            return self._no("unreadable", None, "The question cannot be answered as the contract wants it.")
        return Reply(200, self._headers(answer), answer, "answered", acknowledged=True, why=why)

    def _decision(self, operation: Operation, asked: Mapping[str, JSON], decision: object) -> tuple[bytes | None, str]:
        """The body of an answer that decides; or None, and why it cannot be written."""
        struct = self._contract.struct(operation.answers)
        bad = Report()
        wire: dict[str, object] = {}
        whole = self._is_one(decision, struct)
        inner = [self._contract.struct(field.of or "") for field in struct.fields if field.kind == "struct"]
        if not whole and not any(self._is_one(decision, one) for one in inner):
            return None, f"the function {returned(decision)}"
        for field, writer in zip(struct.fields, writers(self._contract, struct), strict=True):
            if field.sends is not None:
                wire[field.wire] = field.sends
            elif whole:
                value = getattr(decision, field.python)
                if value is not None:
                    wire[field.wire] = writer(value, f"/{field.wire}", bad)
            elif field.kind == "struct":
                wire[field.wire] = writer(decision, f"/{field.wire}", bad)
        if not bad.found:
            self._contract.validator(struct.name)(wire, "", bad)
        if bad.found:
            return None, "its decision breaks the contract at " + ", ".join(
                f"{at} ({code})" for at, code, _ in bad.found
            )
        said: dict[str, object] = next((value for value in wire.values() if type(value) is dict), wire)
        for name, value in said.items():
            if name in asked and not _same(value, asked[name]):
                return None, f"its decision is about another {name} than what was asked"
        why = "" if operation.decides is None else impossible(operation.decides, asked, said)
        if why:
            return None, f"its decision is impossible: {why}"
        try:
            return strict_json.write(cast("JSON", wire)), ""
        except strict_json.JsonProblem as problem:
            return None, f"its decision cannot be written: {strict_json.WHY[problem.why]}"

    def _is_one(self, decision: object, struct: Struct) -> bool:
        return struct.model is not None and isinstance(decision, self._contract.model(struct.model))

    # Answers

    def _by_choice(self, outcome: Outcome, key: str, kind: str, choice: str) -> Reply:
        return self._ok(outcome, key, kind) if choice == "acknowledge" else self._no(outcome, key)

    def _ok(self, outcome: Outcome, key: str, kind: str) -> Reply:
        made = self._yes.get(kind)
        if made is None:
            struct = self._answers.get(kind, self._plain)
            if struct is None:
                return self._no("internal", key)
            made = self._yes[kind] = self._acknowledgement(struct)  # signed once; a signer may be away
        body, headers = made
        return Reply(200, headers, body, outcome, acknowledged=True, key=key, why=_WORDS.get(outcome, ""))

    def _acknowledgement(self, struct: Struct) -> tuple[bytes, tuple[tuple[str, str], ...]]:
        body = strict_json.write({field.wire: field.sends for field in struct.fields if field.sends is not None})
        return body, self._headers(body)

    def _no(self, outcome: Outcome, key: str | None, why: str = "") -> Reply:
        """What is no acknowledgement by any reading: another status, and in the contract's shape another code."""
        why = why or _WORDS[outcome]
        said = {"code": outcome.upper(), "msg": why}
        fields: tuple[Field, ...] = self._plain.fields if self._plain is not None else ()
        wire = {field.wire: said.get(field.wire, outcome.upper()) for field in fields if field.sends is not None}
        body = strict_json.write(cast("JSON", wire))
        try:
            headers = self._headers(body)
        except Exception:  # a signer that cannot be reached; this answer is worth as much without a signature
            headers = (_JSON,)
        return Reply(STATUS[outcome], headers, body, outcome, key=key, why=why)

    def _headers(self, body: bytes) -> tuple[tuple[str, str], ...]:
        signer = self._receiver.signer
        return (_JSON,) if signer is None else (_JSON, ("sign", signer.sign(body)))


_NOT_NONE: Final = "it returns None once the effect is there (nothing else is waited for), and raises to refuse"
_UNORDERED: Final = StateOrder()
_RAW_BODY: Final = (
    "the raw body is request.get_data() in Flask, request.body in Django, and await request.body() in FastAPI and Starlette"
)


class _Seen:
    """What is known of a delivery so far: for the log and the hook, whatever becomes of it."""

    __slots__ = ("error", "key", "kind", "time", "verified", "why")

    def __init__(self) -> None:
        self.verified = False
        self.kind: str | None = None
        self.time: datetime | None = None
        self.key: str | None = None
        self.why = ""
        self.error: Exception | None = None

    def words(self) -> str:
        """Kind and time where they are known; no value that could be a person's."""
        kind = self.kind if self.kind is None or _WORD(self.kind) else "that is no word"
        about = [f"kind {kind}"] if kind is not None else []
        about += [f"notified at {self.time.isoformat()}"] if self.time is not None else []
        return f" ({', '.join(about)})" if about else ""


def _same(one: object, other: object) -> bool:
    return type(one) is not bool and one == other


def _places(error: UnreadableNotification) -> str:
    return "it cannot be read at " + ", ".join(f"{one.pointer} ({one.code})" for one in error.violations)

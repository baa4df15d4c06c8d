"""Process one delivery (webhook): verify, claim, handle, commit, reply [6]. `receiver.BaseReceiver` documents the options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final, cast

from paywright_receiver.items.ledger import ClaimRequest
from paywright_receiver.items.open_items import folded_key
from paywright_receiver.items.times import micros
from paywright_receiver.ledgers.sql.sql_ledger import Claim
from paywright_receiver.webhooks.bill_questions import DecisionExecutor, Undecided, decision_body
from paywright_receiver.webhooks.delivery import Delivery, shown_ledger_key
from paywright_receiver.webhooks.delivery_log import LoggedDelivery, log, log_traceback, quietly
from paywright_receiver.webhooks.event import Event
from paywright_receiver.webhooks.handlers import raised, returned, within
from paywright_receiver.webhooks.reply import WORDS, DeliveryEvent, Replies, Reply
from paywright_receiver.webhooks.result_effects import ResultDelivery, Results
from paywright_receiver.webhooks.verification import DeliveryVerifier, NotTaken
from paywright_runtime.contract.conversion import read
from paywright_runtime.contract.value_checks import Report
from paywright_runtime.errors import ClaimLost, InvalidArgument, LedgerProblem, TransactionEnded, UnreadableNotification
from paywright_runtime.tracebacks import errors_ignored, interrupts

if TYPE_CHECKING:
    from paywright_receiver.items.ledger import Refusal, Status, Transaction
    from paywright_receiver.webhooks.options import ReceiverOptions
    from paywright_runtime.contract.index import Contract
    from paywright_runtime.strict_json import JSON


class DeliveryProcessor:
    """Processes deliveries for a receiver whose handlers are registered."""

    def __init__(self, receiver: ReceiverOptions, contract: Contract) -> None:
        handlers, kinds, results = receiver._handlers, receiver._kinds, receiver._results
        self._receiver = receiver
        self._contract = contract
        self._on_conflict = receiver._conflict
        self._now = receiver.clock.now
        self._lease = int(receiver.lease * 1_000_000)
        self._keep = int((receiver.max_age + receiver.max_ahead).total_seconds() * 1_000_000)
        self._ledger = receiver.ledger
        self._verifier = DeliveryVerifier(contract, receiver)
        shown = self._verifier.kinds
        self._handlers: dict[str, Callable[..., object]] = {
            kind: handlers[one.operation.name] for kind, one in shown.items() if one.operation.name in handlers
        }
        self._handlers |= {kind: handler for kind, (handler, _) in kinds.items()}
        self._handlers |= {facts.word: handler for handler, facts in results.values()}
        self._results = Results(contract, receiver, [facts for _, facts in results.values()])
        answers = {kind: contract.struct(one.operation.response) for kind, one in shown.items()}
        sign = None if receiver.signer is None else partial(self._verifier.signature_of, receiver.signer)
        self._replies = Replies(contract, answers, sign)
        self._kinds = frozenset((*self._handlers, *answers))
        self._identified: set[str] = set()
        self._decisions = DecisionExecutor(receiver.bill_deadline)

    def receive(self, raw: object, headers: object) -> Reply:
        """Process one delivery and return its reply. See `BaseReceiver.receive`."""
        seen = LoggedDelivery()
        return self._reported(seen, lambda: self._received(raw, headers, seen))

    def _received(self, raw: object, headers: object, seen: LoggedDelivery) -> Reply:
        verified = self._verifier.open(raw, headers).raw
        seen.verified = True
        body = self._verifier.parse(verified)
        seen.kind, seen.time = self._verifier.kind(body), self._verifier.time(body)
        if seen.kind is None:
            return self._asked(verified, body, seen)
        delivery = self._verifier.delivery(verified, body, seen.kind, seen.time, self._now())
        seen.key = delivery.shown
        return self._handle(delivery, seen, replayed=False)

    def hand_over(
        self, kind: str, payload: dict[str, JSON], at: datetime, also: Callable[[Transaction], object] | None, redelivered: bool | None =
        None,
    ) -> Reply | None:  # fmt: skip
        """Handle the result of an inquiry like the result of a notification. See `BaseReceiver.hand_over`."""
        delivery = self._results.result_of_inquiry(kind, payload, at)
        if delivery is None:
            return None
        seen = LoggedDelivery()
        seen.kind, seen.time, seen.key = delivery.kind, at, delivery.shown
        return self._reported(
            seen, lambda: self._handle(delivery, seen, replayed=False, also=also, redelivered=redelivered)
        )

    def _reported(self, seen: LoggedDelivery, process: Callable[[], Reply]) -> Reply:
        """Process a delivery, tell the hook and the observer of it, and return its reply."""
        hook, observer, start = self._receiver.hook, self._receiver.observer, perf_counter()
        end = None if observer is None else quietly("observer", observer.delivery, self._kinds)
        try:
            reply = process()
        except BaseException as error:
            if interrupts(error):
                if end is not None:
                    quietly("observer", end, None)
                raise
            reply = self._not_taken(cast(Exception, error), seen)
        if hook is None and end is None:
            return reply
        why, seconds = seen.why or reply.why, perf_counter() - start
        event = DeliveryEvent(reply.outcome, reply.acknowledged, reply.key, seen.kind, why, seconds, seen.error)
        for what, told in (("hook", hook), ("observer", end)):
            if told is not None:
                quietly(what, told, event, reply)
        return reply

    def _not_taken(self, error: Exception, seen: LoggedDelivery) -> Reply:
        """Log an error, and return the reply that does not acknowledge."""
        if isinstance(error, NotTaken):
            said, level = error.why, "warning"
            if error.outcome == "not_raw":
                said, level = f"{said}: {_RAW_BODY}", "error"
            elif seen.verified:
                said = f"{said}{seen.words()}; it was verified, and not taken"
            elif error.slip or error.outcome == "bad_signature":
                said += f". {error.slip or 'If this goes on, compare gateway_keys with those of the gateway'}"
                seen.why = said
            self._receiver.refusals.log(error.outcome, said, level)
            return self._replies.refusal(error.outcome, None, f"Not taken: {error.why}.")
        if isinstance(error, LedgerProblem):
            seen.why = f"{error} Nothing was acknowledged."
            log("error", "ledger_failed", seen.key, seen.why)
            return self._replies.refusal("ledger_failed", seen.key)
        # A bug here, or in the merchant's own ledger or verifier. Its message may contain anything.
        log("error", "internal", seen.key, type(error).__name__)
        self._failed("internal", seen, type(error).__name__, error)
        return self._replies.refusal("internal", seen.key)

    def _failed(self, outcome: str, seen: LoggedDelivery, why: str, error: Exception | None) -> None:
        """Record for the hook why a delivery failed, and log the whole traceback if `log_tracebacks` is set."""
        seen.why, seen.error = why, error
        if error is not None and self._receiver.log_tracebacks:
            log_traceback(outcome, seen.key, error)

    def replay(self, key: str, digest: str | None = None) -> Reply:
        """Handle a notification that the ledger keeps. See `BaseReceiver.replay`."""
        raw = self._ledger.body(key, digest)
        if raw is None:
            which = "" if digest is None else f" with the digest {digest[:16]!r}"
            raise InvalidArgument(f"The ledger keeps no notification {key!r}{which} to be tried again.")
        try:
            body = self._verifier.parse(raw)
            kind = self._verifier.kind(body)
            # Questions are never kept: what has no kind was shown by an inquiry.
            delivery: Delivery = (
                self._results.restore(body)
                if kind is None
                else self._verifier.delivery(raw, body, kind, self._verifier.time(body), None)
            )
        except NotTaken as refused:
            raise InvalidArgument(
                f"The notification {key!r} cannot be handled by this receiver: {refused.why}."
            ) from None
        seen = LoggedDelivery()
        seen.key = delivery.shown
        reply = self._handle(delivery, seen, replayed=True)
        ended = reply.outcome in ("handled", "duplicate", "stale", "conflict")
        moved = ended and folded_key(reply.key or "") != folded_key(key)
        if moved or (reply.outcome == "noted" and not seen.why):
            # It was kept before its real key could be read, or its item was open.
            now = f"replayed as {shown_ledger_key(reply.key or '')}: {reply.outcome}"
            why = now if moved else "replayed: its open item is asked about"
            self._ledger.end_record(key, digest, "replayed", why)
        return reply

    # Notifications

    def _handle(
        self, delivery: Delivery, seen: LoggedDelivery, *, replayed: bool, also: Callable[[Transaction], object] | None = None,
        redelivered: bool | None = None,
    ) -> Reply:  # fmt: skip
        trouble: UnreadableNotification | None = None
        given = delivery
        if self._results.reports_results(delivery):
            found = self._results.result_of_notification(delivery)
            if isinstance(found, str):
                return self._replies.acknowledgement(found, delivery.shown, delivery.kind)
            if isinstance(found, UnreadableNotification):
                trouble = found
            else:
                delivery, seen.key = found, found.shown
        key, kind = delivery.shown, delivery.kind
        handler = self._handlers.get(kind)
        if handler is None and delivery.facts is None:
            handler = self._receiver._other
        if trouble is None and (handler is not None or self._on_conflict is not None):
            try:
                delivery.check()
            except UnreadableNotification as error:
                trouble = error
        changed = self._changed_identity(delivery) if handler is not None else ""
        if changed:  # it is kept apart from what had its effect
            delivery = given
            self._verifier.name_by_content(delivery)
            key = seen.key = delivery.shown
        foreign = delivery.foreign if isinstance(delivery, ResultDelivery) else ""
        asked = self._results.inquires_contradiction(delivery)
        again = "/again" if redelivered else ""  # a result that had its effect has a record beside that of the effect
        claim = self._ledger.acquire(
            ClaimRequest(
                delivery.key + again,
                delivery.subject,
                delivery.kind,
                delivery.state,
                raw=delivery.raw,
                digest=delivery.fingerprint(),
                notify_time=micros(delivery.notify_time),
                lease=self._lease,
                keep=self._keep,
                order=delivery.order,
                handled=trouble is None and handler is not None,
                reconciles=trouble is None and not asked and not redelivered and self._on_conflict is not None,
                foreign=foreign,
                written=None if delivery.written is None else delivery.written + again,
                again=bool(again),
                within=within(handler if trouble is None and not changed else None, self._on_conflict),
            )
        )
        if claim == "conflict" and asked:
            seen.why = f"it has {foreign}: it is kept, and the gateway is asked"
            log("warning", "noted", key, seen.why)
            return self._replies.acknowledgement("noted", key, kind)
        if isinstance(claim, str):
            self._results.open_again(delivery)
            return self._refused(claim, key, kind)
        delivery.follows(None if redelivered else claim.was)
        if claim.conflict is not None:
            earlier = shown_ledger_key(claim.conflict.key)
            log("warning", "conflict", key, f"It contradicts {earlier}; the handler of conflicts is called.")
            handler = self._on_conflict
        if handler is None:
            claim.release("unhandled", "there was no handler for its kind")
            log("warning", "unhandled", key, WORDS["unhandled"])
            return self._replies.by_choice("unhandled", key, kind, self._receiver.unhandled)
        if trouble is not None:
            return self._kept(claim, "unreadable", key, seen, _places(trouble))
        if changed:
            return self._kept(claim, "failed", key, seen, changed)
        event: Event[object] = Event(delivery, claim, replayed, redelivered is not None)  # without the work of an alias
        stands = claim.conflict is not None or bool(redelivered)  # what had its effect first
        also = None if stands else also or self._results.record_update(delivery)
        reply = self._run(handler, event, claim, seen, also)
        if stands or reply.outcome != "handled":
            self._results.open_again(delivery)
        return reply

    def _changed_identity(self, delivery: Delivery) -> str:
        """Return why a handler must not be called: its kind's effects had another identity before. "" if they had not."""
        if delivery.facts is not None or delivery.kind in self._identified:
            return ""
        facts, names = self._results.of_word(delivery.kind), self._verifier.once_per.get(delivery.kind, ())
        by = f"the members {', '.join(names)}" if names else "their content"
        by = by if facts is None else f"the result of {facts.kind}"
        kind = self._verifier.front(delivery.kind)
        before = self._ledger.identity(kind, by)
        if before == by:
            self._identified.add(delivery.kind)
            return ""
        kind = shown_ledger_key(kind)
        return (
            f"effects of {kind} were identified by {before}, and now are by {by}: a notification that had its effect could "
            f"have it again. Register the handler as it was, or stop all receivers and run `paywright notifications accept {kind}`"
        )

    def _refused(self, why: Refusal, key: str, kind: str) -> Reply:
        """Return the reply to a notification for which the ledger granted no claim."""
        if why in ("duplicate", "stale"):
            return self._replies.acknowledgement(why, key, kind)
        log("warning", why, key, WORDS[why])
        if why == "conflict":
            return self._replies.by_choice(why, key, kind, self._receiver.conflicts)
        return self._replies.refusal(why, key)

    def _run(
        self, handler: Callable[..., object], event: Event[object], claim: Claim, seen: LoggedDelivery,
        also: Callable[[Transaction], object] | None,
    ) -> Reply:  # fmt: skip
        try:
            result = handler(event)
            if result is not None:
                return self._kept(claim, "failed", event.key, seen, f"the handler {returned(result)}: {_NOT_NONE}")
            if also is None:
                claim.complete()
            else:
                claim.complete(also)
        except ClaimLost as lost:
            claim.release("failed", "its claim was taken over")  # does not change a record that another claim holds
            seen.why = str(lost)
            log("warning", "in_progress", event.key, seen.why)
            return self._replies.refusal("in_progress", event.key)
        except TransactionEnded as ended:
            return self._kept(claim, "failed", event.key, seen, ended.why, ended)
        except UnreadableNotification as error:
            return self._kept(claim, "unreadable", event.key, seen, _places(error))
        except LedgerProblem:
            claim.release("failed", "the ledger could not be used")
            raise
        except BaseException as error:
            if isinstance(error, Exception) and not interrupts(error):
                why = f"the handler raised {raised(error, handler)}"
                return self._kept(claim, "failed", event.key, seen, why, error)
            with errors_ignored():  # the program ends, or this task: roll back, and keep the notification
                claim.release("failed", f"the handler was ended by {type(error).__name__}")
            raise
        return self._replies.acknowledgement("handled", event.key, event.kind, reconciled=claim.conflict is not None)

    def _kept(
        self, claim: Claim, status: Status, key: str, seen: LoggedDelivery, why: str, error: Exception | None = None
    ) -> Reply:
        self._failed(status, seen, why, error)
        claim.release(status, why)
        log("error", status, key, why)
        return self._replies.refusal("unreadable" if status == "unreadable" else "failed", key)

    # Questions

    def _asked(self, raw: bytes, body: Mapping[str, JSON], seen: LoggedDelivery) -> Reply:
        operation = self._verifier.question(body)
        self._verifier.check_addressee(body, named=False)
        trouble = Report()
        asked = read(self._contract, self._contract.struct(operation.request), body, "", trouble)
        if trouble.found:
            places = ", ".join(pointer for pointer, _, _ in trouble.found)
            self._receiver.refusals.log("unreadable", f"{operation.name} cannot be read at {places}")
            return self._replies.refusal("unreadable", None, f"The question cannot be read at {places}.")
        kind, function = self._receiver._questions.get(operation.name, (None, None))
        if kind is None or function is None:
            log("warning", "unhandled", None, f"nothing is registered to answer {operation.name}")
            return self._replies.refusal("unhandled", None, "There is nobody here to answer this question.")
        question, why = kind(asked, raw), ""
        try:
            answer = decision_body(self._contract, operation, body, self._decisions.decide(function, question))
        except Undecided as undecided:
            why = undecided.why
            self._failed("answered", seen, why, undecided.error)
            log("error", "answered", None, f"{operation.name} was refused: {why}")
            try:
                answer = decision_body(self._contract, operation, body, question.refuse("It cannot be decided now."))
            except Undecided:
                return self._replies.refusal(
                    "unreadable", None, "The question cannot be answered as the contract wants it."
                )
        return Reply(200, self._replies.headers(answer), answer, "answered", acknowledged=True, why=why)


_NOT_NONE: Final = "it returns None once the effect is there (nothing else is waited for), and raises to refuse"
_RAW_BODY: Final = (
    "the raw body is request.get_data() in Flask, request.body in Django, and await request.body() in FastAPI and Starlette"
)


def _places(error: UnreadableNotification) -> str:
    return "it cannot be read at " + ", ".join(f"{one.pointer} ({one.code})" for one in error.violations)

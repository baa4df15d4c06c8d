"""The courier: brings what stands in the outbox to the merchants, and lets happen what falls due while nobody asks.

Delivery is I/O and stays outside of every transaction: look what is due, post it, record what became of it. Whoever dies
in between posts again afterwards: at least once, never not at all. One notification is under way at a time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from threading import Condition, RLock, Thread
from time import monotonic
from traceback import format_tb
from typing import Final, NamedTuple

from paywright import validate
from paywright_runtime import strict_json
from paywright_tools.sandbox.clock import VirtualClock
from paywright_tools.sandbox.engine import Engine
from paywright_tools.sandbox.fields import text, whole
from paywright_tools.sandbox.notification_faults import keep_notification, packed
from paywright_tools.sandbox.outbox import KINDS, attempted, due_next, first_due, notification
from paywright_tools.sandbox.policies import Policies
from paywright_tools.sandbox.posting import DEADLINE, Answered, Parcel, Unanswered, post
from paywright_tools.sandbox.store import Row, State
from paywright_tools.sandbox.turn import Refused, Turn

__all__ = ["Attempt", "Courier", "courier_of", "next_due", "parcel_of"]

_log = logging.getLogger("paywright.sandbox")

_LONGEST_WAIT: Final = 3600.0
_POLL: Final = 0.1
_REST: Final = 1.0
_ALL_AT_ONCE: Final = 500


class Attempt(NamedTuple):
    """What became of one delivery."""

    outcome: str
    http_status: int | None
    why: str


def next_due(state: State) -> datetime | None:
    """When something falls due next, a timer or a delivery; None if nothing does."""
    times = [time for time in (state.next_due(), first_due(state)) if time is not None]
    return min(times, default=None)


def parcel_of(engine: Engine, row: Row) -> Parcel:
    """What is sent for a notification: the same bytes and the same signature every time."""
    body = row["body"]
    assert isinstance(body, bytes)
    headers = [("Content-Type", "application/json"), ("sign", engine.settings.signer.sign(body))]
    if row["policy"] is not None:
        headers.append(("X-Sandbox-Policy", text(row, "policy")))
    return Parcel(text(row, "url"), tuple(headers), body)


class Courier:
    """Of one engine. Made by `courier_of`.

    `pack` may change what is sent for a notification: none, one, or several parcels, of which the last one's answer counts;
    it runs in a transaction, and what it makes wait it gives another `next_at`. `seen` is told of every parcel and what
    came back.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._lock = RLock()
        self._wanted = 0
        self.pack: Callable[[Turn, Row, Parcel], Sequence[Parcel]] = partial(packed, engine)
        self.seen: Callable[[Row, Parcel, Answered | Unanswered], None] = partial(keep_notification, engine)
        self._bell = Condition()
        self._wakes_at: datetime | None = None
        self._rung = False
        self._ending = False
        self._thread: Thread | None = None

    # Delivering

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nothing but the caller delivers. The thread, which has time, makes way after the delivery under way."""
        with self._bell:
            self._wanted += 1
        try:
            with self._lock:
                yield
        finally:
            with self._bell:
                self._wanted -= 1
                self._bell.notify_all()

    def deliver_due(self, *, most: int = _ALL_AT_ONCE, until: float = float("inf")) -> int:
        """Makes the attempts that are due, the earliest first, and returns how many that were.

        At most `most`, and none begins after `until` on `time.monotonic()`.
        """
        made = 0
        with self._lock:
            while made < most and monotonic() < until and not self._ending:
                row = self.engine.act(lambda turn: due_next(turn.state, turn.now))[0]
                if row is None:
                    break
                self._attempt(row, asked=False)
                made += 1
        return made

    def redeliver(self, row: int) -> Attempt:
        """Delivers a notification once more, now, whatever became of it; the schedule stays as it is unless the
        notification is acknowledged. Raises `Refused` when there is none."""
        with self.alone():
            found = self.engine.act(lambda turn: notification(turn.state, row))[0]
            if found is None:
                raise Refused("There is no notification of this number.", code="404")
            return self._attempt(found, asked=True)

    def _attempt(self, row: Row, *, asked: bool) -> Attempt:
        engine, number = self.engine, whole(row, "id")
        whole_parcel = parcel_of(engine, row)
        begun = engine.clock.now()
        parcels = engine.act(lambda turn: self.pack(turn, row, whole_parcel))[0]
        made: Attempt | None = None
        for parcel in parcels:
            answer = post(parcel, engine.settings.deliver_to, seconds=DEADLINE)
            self.seen(row, parcel, answer)
            made = judged(row, answer, engine.settings.policies)
        if made is None:
            return Attempt("POSTPONED", None, "a fault holds it back")
        outcome, status, why = made
        engine.act(
            lambda turn: attempted(turn, number, at=begun, outcome=outcome, http_status=status, why=why, asked=asked)
        )
        return made

    # Waiting

    def start(self) -> None:
        """Delivers in a thread of its own from now on."""
        self.engine.bell = self.ring
        self._ending = False
        self._thread = Thread(target=self._run, name="paywright-courier", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread; a delivery under way is waited for."""
        with self._bell:
            self._ending = True
            self._bell.notify_all()
        if self._thread is not None:
            self._thread.join(DEADLINE + 5)
            self._thread = None
        self._ending = False

    @property
    def ending(self) -> bool:
        """Whether it has been told to stop, and delivers nothing more."""
        return self._ending

    def ring(self, at: datetime | None = None) -> None:
        """Something falls due at `at`, or the clock was moved."""
        with self._bell:
            if at is None or self._wakes_at is None or at < self._wakes_at:
                self._rung = True
                self._bell.notify_all()

    def _run(self) -> None:
        while not self._ending:
            try:
                while self.deliver_due(most=1) and not self._wanted:
                    pass
                self._wait()
            except Exception as error:
                # Whatever it is, it must not end the deliveries; the message may hold values, the places do not.
                _log.error("delivery failed: %s\n%s", type(error).__name__, "".join(format_tb(error.__traceback__)))
                with self._bell:
                    self._bell.wait(_REST)

    def _wait(self) -> None:
        with self._bell:
            while self._wanted and not self._ending:
                self._bell.wait()
            self._rung = False
            self._wakes_at = None
        due = self.engine.act(lambda turn: next_due(turn.state))[0]
        with self._bell:
            if self._rung or self._ending:
                return
            self._wakes_at = due
            self._bell.wait(self._seconds_to(due))

    def _seconds_to(self, due: datetime | None) -> float:
        clock = self.engine.clock
        if not isinstance(clock, VirtualClock):
            return _POLL  # somebody else's clock jumps without telling
        if due is None or clock.standing:
            return _LONGEST_WAIT
        return min(max((due - clock.now()) / timedelta(seconds=1), 0.0), _LONGEST_WAIT)


def judged(row: Row, answer: Answered | Unanswered, policies: Policies) -> Attempt:
    """Whether the merchant has acknowledged a notification [4.19]."""
    if isinstance(answer, Unanswered):
        return Attempt(answer.outcome, None, answer.why)
    status = answer.status
    if status != 200:
        moved = 300 <= status < 400
        return Attempt("HTTP_STATUS", status, "a redirect, which is not followed" if moved else f"HTTP status {status}")
    wanted = policies.text("notification-acknowledged-by")
    if wanted == "http-200":
        return Attempt("ACKNOWLEDGED", status, "HTTP 200")
    # The answers to notifications that are not shown are taken to be as those to 6.1.
    operation = KINDS[text(row, "kind")].operation or "notifications.receive"
    violations = validate(operation, "answer", answer.body)
    if violations:
        first = violations[0]
        return Attempt(
            "BAD_ANSWER", status, f"the answer breaks the contract at {first.pointer or 'its root'}: {first.code}"
        )
    body = strict_json.parse(answer.body)
    code = body.get("code") if isinstance(body, dict) else None
    if wanted == "success" and code != "SUCCESS":
        return Attempt("NOT_SUCCESS", status, "the answer's code is not SUCCESS")
    return Attempt("ACKNOWLEDGED", status, "acknowledged")


def courier_of(engine: Engine) -> Courier:
    """The courier of an engine; the same one every time."""
    if engine.courier is None:
        engine.courier = Courier(engine)
    assert isinstance(engine.courier, Courier)
    return engine.courier

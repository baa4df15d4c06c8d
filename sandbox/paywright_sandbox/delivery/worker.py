"""The courier: brings what stands in the outbox to the merchants, and lets happen what falls due while nobody asks.

Delivery is I/O and stays outside of every transaction: look what is due, post it, record what became of it. Whoever dies
in between posts again afterwards: at least once, never not at all. Each destination (host and port) gets one delivery at
a time, in order; several destinations get theirs at the same time, so that one that is silent holds up nobody else.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from threading import Condition, RLock, Thread
from time import monotonic
from traceback import format_tb
from typing import Final

from paywright_tools.sandbox.clock import VirtualClock
from paywright_tools.sandbox.engine import Engine
from paywright_tools.sandbox.errands import Answer, Attempt, Errand, carry, carry_all, judged, parcel_of
from paywright_tools.sandbox.fields import text, whole
from paywright_tools.sandbox.notification_faults import keep_notification, packed
from paywright_tools.sandbox.outbox import attempted, due_first, due_now, first_due, notification
from paywright_tools.sandbox.posting import DEADLINE, Answered, Parcel, Unanswered
from paywright_tools.sandbox.store import Cell, Row, State
from paywright_tools.sandbox.turn import Refused, Turn

__all__ = ["AT_ONCE", "Attempt", "Courier", "courier_of", "next_due", "parcel_of"]

_log = logging.getLogger("paywright.sandbox")

AT_ONCE: Final = 8
"""How many destinations are delivered to at the same time."""
_SILENT_AT_ONCE: Final = AT_ONCE // 2
"""How many of these may be ones that did not answer last time: the others are for those that do."""

_LONGEST_WAIT: Final = 3600.0
_POLL: Final = 0.1
_REST: Final = 1.0
_ALL_AT_ONCE: Final = 500


def next_due(state: State, after: datetime | None = None) -> datetime | None:
    """When something falls due next, a timer or a delivery; None if nothing does. With `after` nothing that was due by
    then counts."""
    times = [time for time in (state.next_due(), first_due(state, after)) if time is not None]
    return min(times, default=None)


class Courier:
    """Of one engine. Made by `courier_of`.

    `pack` may change what is sent for a notification: none, one, or several parcels, of which the last one's answer counts;
    it runs in a transaction, and what it makes wait it gives another `next_at`; one that is asked for on demand never waits. `seen` is told of every parcel and what
    came back.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._lock = RLock()
        self._wanted = 0
        self.pack: Callable[[Turn, Row, Parcel, bool], Sequence[Parcel]] = partial(packed, engine)
        self.seen: Callable[[Row, Parcel, Answered | Unanswered], None] = partial(keep_notification, engine)
        self._bell = Condition()
        self._wakes_at: datetime | None = None
        self._rung = False
        self._ending = False
        self._thread: Thread | None = None
        self._left: dict[int, Errand] = {}
        self._back: deque[tuple[Errand, Future[list[Answer]]]] = deque()
        self._silent: set[str] = set()

    # One delivery: packed, carried, kept

    def _errand(self, row: Row, *, asked: bool = False) -> Errand:
        number = whole(row, "id")
        left = None if asked else self._left.pop(number, None)
        if left is not None and left.row == row:
            return left._replace(begun=self.engine.clock.now())
        parcel, begun = parcel_of(self.engine, row), self.engine.clock.now()
        parcels, generation = self.engine.act(
            lambda turn: (self.pack(turn, row, parcel, asked), turn.state.generation)
        )[0]
        return Errand(row, begun, tuple(parcels), asked, generation)

    def _keep(self, errand: Errand, answers: Sequence[Answer]) -> Attempt:
        """Records what came of it. It must not raise for what a merchant did."""
        row, engine = errand.row, self.engine
        outcome, status, why = made = judged(row, answers[-1], engine.settings.policies)
        if outcome == "TIMEOUT":
            self._silent.add(text(row, "destination"))
        else:
            self._silent.discard(text(row, "destination"))
        if errand.generation != engine.store.generation:
            return made  # the workspace is another one since
        for parcel, answer in zip(errand.parcels, answers, strict=True):
            self.seen(row, parcel, answer)
        number, begun, asked = whole(row, "id"), errand.begun, errand.asked
        engine.act(
            lambda turn: attempted(turn, number, at=begun, outcome=outcome, http_status=status, why=why, asked=asked)
        )
        return made

    # Delivering for a caller

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nothing but the caller delivers what is due. The thread, which has time, makes way after the deliveries under
        way."""
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
        """Makes the attempts that are due and returns how many that were.

        All are packed and afterwards recorded in the order in which they are due, whoever answers first: what happened
        depends on no race. At most `most`, and none begins after `until` on `time.monotonic()`.
        """
        made = 0
        with self._lock:
            while made < most and monotonic() < until and not self._ending:
                rows = self._due_now(most - made)
                if not rows:
                    break
                made += self._together(rows, until)
        return made

    def _due_now(self, most: int) -> list[dict[str, Cell]]:
        return self.engine.act(lambda turn: due_now(turn.state, turn.now, most))[0]

    def _together(self, rows: Sequence[Row], until: float) -> int:
        errands = [self._errand(row) for row in rows]
        sent = [errand for errand in errands if errand.parcels]
        answers, wrong = carry_all(
            sent, self.engine.settings.deliver_to, AT_ONCE, lambda: monotonic() < until and not self._ending
        )
        made = len(errands) - len(sent)
        for errand in sent:
            number = whole(errand.row, "id")
            if number in answers:
                self._keep(errand, answers[number])
                made += 1
            else:  # there was no time: what it was packed as is what is sent next time
                self._left[number] = errand
        if wrong is not None:
            raise wrong
        return made

    def redeliver(self, row: int) -> Attempt:
        """Delivers a notification once more, now, whatever became of it and whatever else is under way; the schedule stays
        as it is unless the notification is acknowledged. Raises `Refused` when there is none."""
        found = self.engine.act(lambda turn: notification(turn.state, row))[0]
        if found is None:
            raise Refused("There is no notification of this number.", code="404")
        errand = self._errand(found, asked=True)
        return self._keep(errand, carry(errand, self.engine.settings.deliver_to))

    def forget(self) -> None:
        """The workspace becomes another one: what was packed or is on its way belongs to the old one."""
        self._left.clear()
        self._silent.clear()

    # Delivering in a thread

    def start(self) -> None:
        """Delivers in a thread of its own from now on."""
        self.engine.bell = self.ring
        self._ending = False
        self._thread = Thread(target=self._run, name="paywright-courier", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread; deliveries under way are waited for."""
        with self._bell:
            self._ending = True
            self._bell.notify_all()
        if self._thread is not None:
            self._thread.join(2 * DEADLINE + 5)
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
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="paywright-courier") as carriers:
            while not self._ending:
                try:
                    with self._lock:
                        self._deliver(carriers)
                    self._wait()
                except Exception as error:
                    # Whatever it is, it must not end the deliveries; the message may hold values, the places do not.
                    _log.error("delivery failed: %s\n%s", type(error).__name__, "".join(format_tb(error.__traceback__)))
                    with self._bell:
                        self._bell.wait(_REST)

    def _deliver(self, carriers: ThreadPoolExecutor) -> None:
        """Delivers until nothing is due and nothing under way; begins nothing more when another wants to be alone."""
        under_way: dict[str, Future[list[Answer]]] = {}
        try:
            while True:
                with self._bell:
                    self._rung = False
                    self._wakes_at = None
                while self._back:
                    errand, future = self._back.popleft()
                    under_way.pop(text(errand.row, "destination"), None)
                    self._keep(errand, future.result())
                while not self._wanted and not self._ending and self._begin(carriers, under_way):
                    pass
                if not under_way:
                    return
                self._listen(lambda: bool(self._back), later=True)
        finally:
            wait(under_way.values())

    def _begin(self, carriers: ThreadPoolExecutor, under_way: dict[str, Future[list[Answer]]]) -> bool:
        """Begins the delivery that is due first of those that can begin; False if none can."""
        if len(under_way) >= AT_ONCE:
            return False
        # With too many silent ones under way the others are looked at alone.
        crowded = len(self._silent & under_way.keys()) >= _SILENT_AT_ONCE
        busy = sorted(under_way.keys() | (self._silent if crowded else set()))
        row = self.engine.act(lambda turn: due_first(turn.state, turn.now, busy))[0]
        if row is None:
            return False
        errand = self._errand(row)
        if errand.parcels:
            future = carriers.submit(carry, errand, self.engine.settings.deliver_to)
            under_way[text(row, "destination")] = future
            future.add_done_callback(partial(self._returned, errand))
        return True

    def _returned(self, errand: Errand, future: Future[list[Answer]]) -> None:
        with self._bell:
            self._back.append((errand, future))
            self._bell.notify_all()

    # Waiting

    def _wait(self) -> None:
        with self._bell:
            while self._wanted and not self._ending:
                self._bell.wait()
            self._rung = False
            self._wakes_at = None
        self._listen(lambda: self._ending, later=False)

    def _listen(self, over: Callable[[], bool], *, later: bool) -> None:
        """Waits until something falls due, is `over`, or the bell is rung. With `later` what is due already is under way,
        or has to wait for what is."""
        now = self.engine.clock.now()
        due = self.engine.act(lambda turn: next_due(turn.state, now if later else None))[0]
        with self._bell:
            if self._rung or over():
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


def courier_of(engine: Engine) -> Courier:
    """The courier of an engine; the same one every time."""
    if engine.courier is None:
        engine.courier = Courier(engine)
    assert isinstance(engine.courier, Courier)
    return engine.courier

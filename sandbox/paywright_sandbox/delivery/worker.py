"""The delivery worker: deliver the notifications in the outbox, and run timers while no request arrives.

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

from paywright_sandbox.delivery.http_post import Answered, OutgoingRequest, Unanswered, attempt_seconds
from paywright_sandbox.delivery.notification_faults import keep_notification, packed
from paywright_sandbox.delivery.outbox import Notification, attempted, due_first, due_now, first_due, notification
from paywright_sandbox.delivery.tasks import Answer, Attempt, DeliveryTask, carry, carry_all, judged, parcel_of
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.state.clock import VirtualClock
from paywright_sandbox.engine.state.refusal import Refused
from paywright_sandbox.engine.state.store import State

__all__ = ["AT_ONCE", "Attempt", "DeliveryWorker", "next_due", "parcel_of", "worker_of"]

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
    """Return when a timer or a delivery falls due next; None if nothing does.

    With `after` nothing that was due by then counts.
    """
    times = [time for time in (state.next_due(), first_due(state, after)) if time is not None]
    return min(times, default=None)


class DeliveryWorker:
    """Deliver the notifications of one engine. `make_engine` makes one, which `worker_of` returns.

    `pack` may change what is sent for a notification: none, one, or several requests, of which the last one's answer counts;
    it runs in a transaction, and postpones a delivery by giving it another `next_at`, but never one that is asked for on
    demand. `seen` is called with every request and its response.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._lock = RLock()
        self._wanted = 0
        self.pack: Callable[[RequestContext, Notification, OutgoingRequest, bool], Sequence[OutgoingRequest]] = partial(
            packed, engine
        )
        self.seen: Callable[[Notification, OutgoingRequest, Answered | Unanswered], None] = partial(
            keep_notification, engine
        )
        self._bell = Condition()
        self._wakes_at: datetime | None = None
        self._rung = False
        self._ending = False
        self._thread: Thread | None = None
        self._left: dict[int, DeliveryTask] = {}
        self._back: deque[tuple[DeliveryTask, Future[list[Answer]]]] = deque()
        self._silent: set[str] = set()

    # One delivery: packed, carried, kept

    def _task(self, row: Notification, *, asked: bool = False) -> DeliveryTask:
        number = row.id
        left = None if asked else self._left.pop(number, None)
        if left is not None and left.row == row:
            return left._replace(begun=self.engine.clock.now())
        outgoing, begun = parcel_of(self.engine, row), self.engine.clock.now()
        outgoing_requests, generation = self.engine.act(
            lambda context: (self.pack(context, row, outgoing, asked), context.state.generation)
        )
        return DeliveryTask(row, begun, tuple(outgoing_requests), asked, generation)

    def _keep(self, task: DeliveryTask, answers: Sequence[Answer]) -> Attempt:
        """Record the outcome of a delivery. Never raises for what a merchant did."""
        row, engine = task.row, self.engine
        outcome, status, why = made = judged(row.kind, answers[-1], engine.settings.policies)
        if outcome == "TIMEOUT":
            self._silent.add(row.destination)
        else:
            self._silent.discard(row.destination)
        if task.generation != engine.store.generation:
            return made  # the workspace is another one since
        for outgoing, answer in zip(task.outgoing_requests, answers, strict=True):
            self.seen(row, outgoing, answer)
        number, begun, asked = row.id, task.begun, task.asked
        engine.act(
            lambda context: attempted(
                context, number, at=begun, outcome=outcome, http_status=status, why=why, asked=asked
            )
        )
        return made

    # Delivering for a caller

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Let nothing but the caller deliver what is due.

        The thread makes way after the deliveries under way.
        """
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
        """Make the attempts that are due, and return their number.

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

    def _due_now(self, most: int) -> list[Notification]:
        return self.engine.act(lambda context: due_now(context.state, context.now, most))

    def _together(self, rows: Sequence[Notification], until: float) -> int:
        tasks = [self._task(row) for row in rows]
        sent = [task for task in tasks if task.outgoing_requests]
        answers, wrong = carry_all(
            sent, self.engine.settings, AT_ONCE, lambda: monotonic() < until and not self._ending
        )
        made = len(tasks) - len(sent)
        for task in sent:
            number = task.row.id
            if number in answers:
                self._keep(task, answers[number])
                made += 1
            else:  # there was no time: what it was packed as is what is sent next time
                self._left[number] = task
        if wrong is not None:
            raise wrong
        return made

    def redeliver(self, row: int) -> Attempt:
        """Deliver a notification once more, now, whatever became of it and whatever else is under way.

        The schedule stays as it is unless the notification is acknowledged. Raises `Refused` (404) where there is none of this id.
        """
        found = self.engine.act(lambda context: notification(context.state, row))
        if found is None:
            raise Refused("There is no notification of this number.", code="404")
        task = self._task(found, asked=True)
        return self._keep(task, carry(task, self.engine.settings))

    def forget(self) -> None:
        """Forget what was packed or is on its way: it belongs to a state that was replaced."""
        self._left.clear()
        self._silent.clear()

    # Delivering in a thread

    def start(self) -> None:
        """Start to deliver in a thread."""
        self.engine.bell = self.ring
        self._ending = False
        self._thread = Thread(target=self._run, name="paywright-delivery", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the deliveries under way."""
        with self._bell:
            self._ending = True
            self._bell.notify_all()
        if self._thread is not None:
            self._thread.join(2 * attempt_seconds(self.engine.settings.policies) + 5)
            self._thread = None
        self._ending = False

    @property
    def ending(self) -> bool:
        """Whether `stop` was called: nothing more is delivered."""
        return self._ending

    def ring(self, at: datetime | None = None) -> None:
        """Wake the thread: something falls due at `at`, or the clock was moved."""
        with self._bell:
            if at is None or self._wakes_at is None or at < self._wakes_at:
                self._rung = True
                self._bell.notify_all()

    def _run(self) -> None:
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="paywright-delivery") as carriers:
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
                    task, future = self._back.popleft()
                    under_way.pop(task.row.destination, None)
                    self._keep(task, future.result())
                while not self._wanted and not self._ending and self._begin(carriers, under_way):
                    pass
                if not under_way:
                    return
                self._listen(lambda: bool(self._back), later=True)
        finally:
            wait(under_way.values())

    def _begin(self, carriers: ThreadPoolExecutor, under_way: dict[str, Future[list[Answer]]]) -> bool:
        """Begin the first due delivery that can begin; return False if none can."""
        if len(under_way) >= AT_ONCE:
            return False
        # With too many silent ones under way the others are looked at alone.
        crowded = len(self._silent & under_way.keys()) >= _SILENT_AT_ONCE
        busy = sorted(under_way.keys() | (self._silent if crowded else set()))
        row = self.engine.act(lambda context: due_first(context.state, context.now, busy))
        if row is None:
            return False
        task = self._task(row)
        if task.outgoing_requests:
            future = carriers.submit(carry, task, self.engine.settings)
            under_way[row.destination] = future
            future.add_done_callback(partial(self._returned, task))
        return True

    def _returned(self, task: DeliveryTask, future: Future[list[Answer]]) -> None:
        with self._bell:
            self._back.append((task, future))
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
        """Wait until something falls due, `over` returns True, or the bell is rung.

        With `later` what is due already is under way, or has to wait for what is.
        """
        now = self.engine.clock.now()
        due = self.engine.act(lambda context: next_due(context.state, now if later else None))
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


def worker_of(engine: Engine) -> DeliveryWorker:
    """Return the delivery worker of an engine, the same one at every call."""
    return engine.part(DeliveryWorker)

"""The delivery worker: deliver the notifications in the outbox, and run timers while no request arrives.

Delivery is I/O and stays outside of every transaction: read what is due, post it, record the result. After a crash in
between it is posted again: at least once. Each destination (host and port) gets one delivery at a time, in order;
several destinations are served at the same time, so that a silent one delays no other.
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

from paywright_sandbox.delivery.attempts import (
    Answer,
    DeliveryResult,
    DeliveryTask,
    apply_faults,
    judged,
    outgoing_request,
    record_exchange,
    send,
)
from paywright_sandbox.delivery.http_client import attempt_seconds
from paywright_sandbox.delivery.outbox import KINDS, Notification, attempted, due_first, first_due
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.state.clock import VirtualClock
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import State

_log = logging.getLogger("paywright.sandbox")

AT_ONCE: Final = 8
"""The number of destinations that are delivered to at the same time."""

_LONGEST_WAIT: Final = 3600.0
_POLL: Final = 0.1
_REST: Final = 1.0
_MOST: Final = 500


def next_due(state: State, after: datetime | None = None) -> datetime | None:
    """Return when a timer or a delivery falls due next; None if nothing does.

    With `after`, only deliveries later than that count.
    """
    times = [time for time in (state.next_due(), first_due(state, after)) if time is not None]
    return min(times, default=None)


class DeliveryWorker:
    """Deliver the notifications of one engine. `make_engine` makes one, which `worker_of` returns.

    Before it sends, faults may change a notification or hold it back; afterwards request and response are logged.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._lock = RLock()
        self._wanted = 0
        self._wakeup = Condition()
        self._wakes_at: datetime | None = None
        self._woken = False
        self._ending = False
        self._thread: Thread | None = None
        self._back: deque[tuple[DeliveryTask, Future[list[Answer]]]] = deque()

    # One delivery: prepared, sent, recorded

    def _task(self, row: Notification, *, asked: bool = False) -> DeliveryTask:
        outgoing, begun = outgoing_request(self.engine, row), self.engine.clock.now()
        with self.engine.transaction() as context:
            requests = tuple(apply_faults(self.engine, context, row, outgoing, asked))
            return DeliveryTask(row, begun, requests, asked, context.state.generation)

    def _record(self, task: DeliveryTask, answers: Sequence[Answer]) -> DeliveryResult:
        """Record the result of a delivery. Never raises for what a merchant did."""
        row, engine = task.row, self.engine
        outcome, status, why = made = judged(row.kind, answers[-1], engine.settings.policies)
        if task.generation != engine.store.generation:
            return made  # the state was replaced meanwhile
        for outgoing, answer in zip(task.outgoing_requests, answers, strict=True):
            record_exchange(engine, KINDS[row.kind].operation or row.kind, row.merchant, row.about, outgoing, answer)
        with engine.transaction() as context:
            attempted(context, row.id, at=task.begun, outcome=outcome, http_status=status, why=why, asked=task.asked)
        return made

    # Delivering for a caller

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Reserve delivery for the caller.

        The thread pauses after the deliveries under way, and then looks for what is due now.
        """
        with self._wakeup:
            self._wanted += 1
        try:
            with self._lock:
                yield
        finally:
            with self._wakeup:
                self._wanted -= 1
                self.wake()

    def deliver_due(self, *, most: int = _MOST, until: float = float("inf")) -> int:
        """Make the attempts that are due, one after the other, and return their number.

        They are made in the order in which they are due: no race decides what happened. At most `most`, and none begins
        after `until` on `time.monotonic()`.
        """
        made = 0
        with self._lock:
            while made < most and monotonic() < until and not self._ending:
                with self.engine.transaction() as context:
                    row = due_first(context.state, context.now)
                if row is None:
                    break
                task = self._task(row)
                if task.outgoing_requests:
                    self._record(task, send(task, self.engine.settings))
                made += 1
        return made

    def redeliver(self, row: int) -> DeliveryResult:
        """Deliver a notification again now, whatever its status and whatever else is under way.

        The schedule stays unless the notification is acknowledged. Raises `Refusal` (404) if there is none of this id.
        """
        with self.engine.transaction() as context:
            found = context.state.find(Notification, "WHERE id = ?", row)
        if found is None:
            raise Refusal("There is no notification with this number.", code="404")
        task = self._task(found, asked=True)
        return self._record(task, send(task, self.engine.settings))

    # Delivering in a thread

    def start(self) -> None:
        """Start to deliver in a thread."""
        self.engine.on_due = self.wake
        self._ending = False
        self._thread = Thread(target=self._run, name="paywright-delivery", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the deliveries under way."""
        with self._wakeup:
            self._ending = True
            self._wakeup.notify_all()
        if self._thread is not None:
            self._thread.join(2 * attempt_seconds(self.engine.settings.policies) + 5)
            self._thread = None
        self._ending = False

    @property
    def ending(self) -> bool:
        """True once `stop` was called: nothing more is delivered."""
        return self._ending

    def wake(self, at: datetime | None = None) -> None:
        """Wake the thread: something falls due at `at`, or the clock was moved."""
        with self._wakeup:
            if at is None or self._wakes_at is None or at < self._wakes_at:
                self._woken = True
                self._wakeup.notify_all()

    def _run(self) -> None:
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="paywright-delivery") as senders:
            while not self._ending:
                try:
                    with self._lock:
                        self._deliver(senders)
                    self._wait()
                except Exception as error:
                    # No error may end the deliveries. The message may hold values, the traceback does not.
                    _log.error("delivery failed: %s\n%s", type(error).__name__, "".join(format_tb(error.__traceback__)))
                    with self._wakeup:
                        self._wakeup.wait(_REST)

    def _deliver(self, senders: ThreadPoolExecutor) -> None:
        """Deliver until nothing is due or under way; begin nothing while another caller waits in `alone`."""
        under_way: dict[str, Future[list[Answer]]] = {}
        try:
            while True:
                with self._wakeup:
                    self._woken = False
                    self._wakes_at = None
                while self._back:
                    task, future = self._back.popleft()
                    under_way.pop(task.row.destination, None)
                    self._record(task, future.result())
                while not self._wanted and not self._ending and self._begin(senders, under_way):
                    pass
                if not under_way:
                    return
                self._wait_for(lambda: bool(self._back), later=True)
        finally:
            wait(under_way.values())

    def _begin(self, senders: ThreadPoolExecutor, under_way: dict[str, Future[list[Answer]]]) -> bool:
        """Begin the first due delivery that can begin; return False if none can."""
        if len(under_way) >= AT_ONCE:
            return False
        with self.engine.transaction() as context:
            row = due_first(context.state, context.now, sorted(under_way))
        if row is None:
            return False
        task = self._task(row)
        if task.outgoing_requests:
            future = senders.submit(send, task, self.engine.settings)
            under_way[row.destination] = future
            future.add_done_callback(partial(self._returned, task))
        return True

    def _returned(self, task: DeliveryTask, future: Future[list[Answer]]) -> None:
        with self._wakeup:
            self._back.append((task, future))
            self._wakeup.notify_all()

    # Waiting

    def _wait(self) -> None:
        with self._wakeup:
            while self._wanted and not self._ending:
                self._wakeup.wait()
            self._woken = False
            self._wakes_at = None
        self._wait_for(lambda: self._ending, later=False)

    def _wait_for(self, over: Callable[[], bool], *, later: bool) -> None:
        """Wait until something falls due, `over` returns True, or the thread is woken.

        With `later`, only what is not due yet counts: the rest is under way, or waits for that.
        """
        now = self.engine.clock.now()
        with self.engine.transaction() as context:
            due = next_due(context.state, now if later else None)
        with self._wakeup:
            if self._woken or over():
                return
            self._wakes_at = due
            self._wakeup.wait(self._seconds_to(due))

    def _seconds_to(self, due: datetime | None) -> float:
        clock = self.engine.clock
        if not isinstance(clock, VirtualClock):
            return _POLL  # a caller's clock jumps without notice
        if due is None or clock.standing:
            return _LONGEST_WAIT
        return min(max((due - clock.now()) / timedelta(seconds=1), 0.0), _LONGEST_WAIT)


def worker_of(engine: Engine) -> DeliveryWorker:
    """Return the delivery worker of an engine, the same one at every call."""
    return engine.part(DeliveryWorker)

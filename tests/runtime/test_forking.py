"""What belongs to a process is begun anew in a forked child, once, by whichever thread comes first."""

from __future__ import annotations

import weakref
from threading import Event, Thread

from paywright_runtime.forking import ForkSafe
from tests.support.forks import Fork, any_fork, in_child, needs_fork

pytestmark = needs_fork


class Counter(ForkSafe):
    """It tells what happens to it; the second thread asks while the first one begins anew."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.asks = Event()
        self._made_here()

    def ask(self) -> None:
        self.asks.set()
        self._check_process()
        self.seen.append("asked")

    def _after_fork(self) -> None:
        second = Thread(target=self.ask)
        self.seen.append("begins")
        if not self.asks.is_set():
            second.start()
            assert self.asks.wait(600)
        self.seen.append("begun")


@any_fork
def test_a_child_begins_anew_once_and_its_other_threads_wait(fork: Fork) -> None:
    def in_the_child() -> None:
        counter._check_process()
        while "asked" not in counter.seen:
            pass
        counter._check_process()
        assert counter.seen == ["begins", "begun", "asked"]

    counter = Counter()
    assert in_child(in_the_child, fork) == 0
    counter._check_process()
    assert counter.seen == []


def test_an_object_is_not_kept_for_a_fork() -> None:
    counter = Counter()
    there = weakref.ref(counter)
    del counter
    assert there() is None

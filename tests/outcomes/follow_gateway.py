"""How the shop reaches the gateway of the experiment, through answers that are harmed, and the processes that ask it."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Callable
from itertools import count
from multiprocessing.connection import Connection
from random import Random
from threading import Lock
from typing import Any, Final

from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, TransportFailure
from paywright_sandbox.testing.inprocess import InProcessSandbox, InProcessTransport
from tests.outcomes import spoils
from tests.outcomes.follow_processes import Books, Failure
from tests.outcomes.messages import Reply, Request

__all__ = ["Ask", "Direct", "Gateway", "Process"]

_SPOILS: Final = (spoils.page, spoils.unsigned, spoils.signed_by_another, spoils.mangled, spoils.changed)
Ask = Callable[[SignedRequest], RawAnswer]


class Process:
    """One of the shop's processes: started again whenever it was killed."""

    def __init__(self, what: Callable[[Connection, Books], None], books: Books) -> None:
        self._what, self._books = what, books
        self.killed = 0
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=self._what, args=(theirs, self._books), daemon=True)
        self._process.start()
        theirs.close()

    def do(self, what: object, ask: Ask | None = None, dies: Callable[[], str] = lambda: "") -> Any:
        """Tell the process what to do, answer its questions, and return what it came to; None if it was killed."""
        self._pipe.send(what)
        if ask is None and dies():
            return self.kill()
        while True:
            word, value = self._pipe.recv()
            if word == "done":
                return value
            assert ask is not None, "a receiver asks nothing"
            how = dies()
            if how == "before":
                return self.kill()
            try:
                raw = ask(SignedRequest(*value))
                answer: Any = (raw.status, tuple(raw.headers), raw.body)
            except TransportFailure as failure:
                answer = Failure(failure.phase.value, failure.reason)
            self._pipe.send(answer)
            if how:
                return self.kill()

    def kill(self) -> None:
        """End it with SIGKILL, wherever it is, and start another one."""
        self._process.kill()
        self._process.join()
        self._pipe.close()
        self.killed += 1
        self._start()

    def end(self) -> None:
        self._pipe.send(None)
        self._process.join()
        self._pipe.close()


class Chance:
    """Where the harms draw from; a `spoils.Source` without earlier answers."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def same_key(self, request: Request) -> Reply | None:
        return None

    another_key = another_operation = same_key

    def not_there(self) -> Reply | None:
        return None


class Gateway:
    """The gateway as the shop reaches it: a tenth of its answers is harmed, by key and number of the question."""

    def __init__(self, sandbox: InProcessSandbox, seed: str) -> None:
        self._transport = InProcessTransport(sandbox.engine)
        self._seed = seed
        self._lock = Lock()
        self.asked: Counter[str] = Counter()
        self.harmed = 0

    def harm(self, who: str, number: int) -> Random | None:
        """Return what the harm of an answer draws from, or None for an answer that stays whole."""
        random = Random(f"{self._seed}:{who}:{number}")
        return random if random.random() < 0.1 else None

    def least(self, who: str) -> int:
        """Return how many questions it takes to have one answer that is whole."""
        return next(number for number in count(1) if self.harm(who, number) is None)

    def through(self, name: str) -> Ask:
        """Return the way to the gateway of one who asks: each counts its own questions."""

        def ask(request: SignedRequest) -> RawAnswer:
            asked = Request(*request)
            who = f"{name}:{asked.key}"
            with self._lock:
                self.asked[who] += 1
                harm = self.harm(who, self.asked[who])
                self.harmed += harm is not None
            raw = self._transport.send(request, time.monotonic() + 3600)
            if harm is None:
                return raw
            how = harm.choice((*_SPOILS, None))
            if how is None:
                raise TransportFailure(Phase.WAITING, "connection_lost")
            spoiled = how(Chance(harm), asked, Reply(raw.status, tuple(raw.headers), raw.body))
            return RawAnswer(*spoiled)

        return ask


class Direct:
    """A transport of this process, through the harm."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        return self._ask(request)

    def close(self) -> None:
        """Nothing is open."""

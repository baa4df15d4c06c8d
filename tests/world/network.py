"""The network between a shop and the gateway: each exchange is whole, or becomes one of `HARMS`."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Final

from paywright_runtime.signing.rsa import SignatureProblem
from paywright_runtime.transport.api import Phase, RawAnswer, Reason, SignedRequest, TransportFailure
from tests.outcomes import spoils
from tests.outcomes.messages import Reply, Request, binds, code_of, operation_at
from tests.world import invariants

if TYPE_CHECKING:
    from tests.world.machines import Process

__all__ = ["HARMS", "Wire"]

Harm = Callable[["Wire", SignedRequest], RawAnswer]


class Wire:
    """The way of one process to the gateway: a transport of its client."""

    def __init__(self, process: Process) -> None:
        self.process, self.shop, self.world = process, process.shop, process.world
        self.random = Random(0)
        self._earlier: dict[tuple[str, str], Reply] = {}
        self._not_there: Reply | None = None

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """Carry a request, whole or harmed."""
        asked, world = Request(*request[:3]), self.world
        if self.process.again:  # it may have stood still since it was permitted, and been refused then
            invariants.check_permission(world, self.shop, self.process.again)
            self.process.again = ""
        names = list(HARMS)
        weights = [one[0] * (world.limits.harmful if number else 1) for number, one in enumerate(HARMS.values())]
        harm = names[world.pick("network", names, weights) if world.limits.network else 0]
        if harm != "whole":
            world.counts["harms"] += 1
            world.tell(f"the exchange about {asked.key} is harmed: {harm}")
        answer, at, begun = None, world.now() + world.wrong + self.process.off, world.scheduler.elapsed
        try:
            answer = HARMS[harm][1](self, request)
        finally:
            if harm not in ("nothing leaves",) and not world.gateway.away:
                world.captures.called(self.shop, request, answer, at)
        if self._is_not_there(asked, answer):
            world.absences.setdefault((self.shop.app_id, asked.key), []).append((begun, world.scheduler.elapsed))
        return answer

    def _is_not_there(self, asked: Request, answer: RawAnswer) -> bool:
        """Return whether the gateway said so, now or earlier."""
        if code_of(answer.body) not in operation_at(asked.path).not_found_codes:
            return False
        with suppress(SignatureProblem):
            self.world.gateway.keys.verifier(True).verify(answer.body, ", ".join(answer.get_all("sign")))
            return answer.status == 200
        return False

    def forward(self, request: SignedRequest, *, steady: bool = False) -> RawAnswer:
        """Have the gateway answer; both ways take their time."""
        self.world.seam("a request on its way")
        raw = self.world.gateway.answer(self.shop.app_id, request, steady=steady)
        asked = Request(*request[:3])
        reply = self._earlier[asked.path, asked.key] = Reply(raw.status, tuple(raw.headers), raw.body)
        if code_of(raw.body) in operation_at(asked.path).not_found_codes:
            self._not_there = reply
        self.world.seam("an answer on its way")
        return raw

    def same_key(self, request: Request) -> Reply | None:
        return None  # an old answer about the same key is true, or cannot be told: docs/outcomes.md

    def another_key(self, request: Request) -> Reply | None:
        """An answer that another request of this process had."""
        others = (one for (path, key), one in self._earlier.items() if path == request.path and key != request.key)
        return next((one for one in others if request.key.encode() not in one.body and b'"data":' in one.body), None)

    def another_operation(self, request: Request) -> Reply | None:
        """An answer about the same key that this process had from another operation."""
        others = (one for (path, key), one in self._earlier.items() if key == request.key and path != request.path)
        return next((one for one in others if binds(request.path, one)), None)

    def not_there(self) -> Reply | None:
        """The last "not there" that this process was given, about any key: it names none."""
        self.world.counts["old absences"] += self._not_there is not None
        return self._not_there

    def close(self) -> None:
        """Nothing is open."""


def _unsent(wire: Wire, request: SignedRequest) -> RawAnswer:
    raise TransportFailure(Phase.CONNECTING, "connection_failed")


def _request_lost(wire: Wire, request: SignedRequest) -> RawAnswer:
    wire.world.seam("a request on its way")
    raise TransportFailure(Phase.WAITING, "connection_lost")


def _answer_lost(wire: Wire, request: SignedRequest) -> RawAnswer:
    wire.forward(request)
    raise TransportFailure(Phase.WAITING, "timeout")


def _late(wire: Wire, request: SignedRequest) -> RawAnswer:
    """The request arrives when its sender no longer waits for it."""
    wire.world.counts["late"] += 1

    def arrive() -> None:
        with suppress(TransportFailure):  # the gateway is down by then
            wire.forward(request)

    asked = Request(*request[:3])
    name = wire.shop.late(asked.key) if operation_at(asked.path).write else f"a late question about {asked.key}"
    wire.world.start(name, wire.world, arrive)
    raise TransportFailure(Phase.WAITING, "timeout")


def _doubled(wire: Wire, request: SignedRequest) -> RawAnswer:
    """An intermediary sends it twice, and hands over the first answer."""
    raw = wire.forward(request, steady=True)
    wire.world.gateway.answer(wire.shop.app_id, request, steady=True)
    return raw


def _second_answer(wire: Wire, request: SignedRequest) -> RawAnswer:
    """The same, but the second answer comes. A refusal of one alone cannot be told from one of both: docs/outcomes.md."""
    wire.world.gateway.answer(wire.shop.app_id, request, steady=True)
    return wire.forward(request, steady=True)


def _answer_of_another(wire: Wire, request: SignedRequest) -> RawAnswer:
    """The request is lost, and what the gateway said of another one comes in its place."""
    other = wire.another_key(Request(*request[:3]))
    if other is None:
        return _request_lost(wire, request)
    return RawAnswer(*other)


def _breaks(reason: Reason) -> Harm:
    """The answer begins, and cannot be read to its end."""

    def harm(wire: Wire, request: SignedRequest) -> RawAnswer:
        wire.forward(request)
        raise TransportFailure(Phase.READING, reason)

    return harm


def _instead(how: Callable[..., Reply]) -> Harm:
    """The request is lost, and something answers in the gateway's place."""

    def harm(wire: Wire, request: SignedRequest) -> RawAnswer:
        wire.world.seam("a request on its way")
        return RawAnswer(*how(wire, Request(*request[:3]), None))

    return harm


def _spoiled(how: Callable[..., Reply]) -> Harm:
    def harm(wire: Wire, request: SignedRequest) -> RawAnswer:
        raw = wire.forward(request)
        spoiled = how(wire, Request(*request[:3]), Reply(raw.status, tuple(raw.headers), raw.body))
        return RawAnswer(*spoiled)

    return harm


HARMS: Final[dict[str, tuple[float, Harm]]] = {
    "whole": (0.80, lambda wire, request: wire.forward(request)),
    "nothing leaves": (0.02, _unsent),
    "the request is lost": (0.02, _request_lost),
    "the answer is lost": (0.03, _answer_lost),
    "the request is late": (0.01, _late),
    "the request is sent twice": (0.01, _doubled),
    "the request is sent twice, and the second answer comes": (0.01, _second_answer),
    "the request is lost, and another order's answer comes": (0.01, _answer_of_another),
    "a proxy answers": (0.01, _spoiled(spoils.page)),
    "the signature is missing": (0.01, _spoiled(spoils.unsigned)),
    "a stranger signs": (0.01, _spoiled(spoils.signed_by_another)),
    "the signature is mangled": (0.01, _spoiled(spoils.mangled)),
    "the answer is changed": (0.01, _spoiled(spoils.changed)),
    "another order's answer comes": (0.01, _spoiled(spoils.stale_other)),
    "a stranger says yes": (0.01, _spoiled(spoils.forged_success)),
    "a stranger refuses": (0.01, _spoiled(spoils.forged_refusal)),
    "a stranger says that it is not there": (0.01, _spoiled(spoils.forged_absent)),
    "a proxy answers, and nothing arrives": (0.005, _instead(spoils.page)),
    "a stranger says yes, and nothing arrives": (0.005, _instead(spoils.forged_success)),
    "an old 'not there' comes, and nothing arrives": (0.005, _instead(spoils.stale_absent)),
    "an old 'not there' comes": (0.005, _spoiled(spoils.stale_absent)),
    "another operation's answer comes": (0.005, _spoiled(spoils.stale_operation)),
    "the answer breaks off": (0.005, _breaks("connection_lost")),
    "the answer is no HTTP": (0.005, _breaks("malformed_http")),
    "half of the answer comes": (0.005, _spoiled(lambda wire, asked, reply: reply._replace(body=reply.body[:40]))),
    "a proxy redirects": (0.005, _spoiled(spoils.redirect)),
    "the status is wrong": (0.005, _spoiled(spoils.wrong_status)),
    "a refusal without a signature": (0.005, _spoiled(spoils.unsigned_refusal)),
    "it is signed twice": (0.005, _spoiled(spoils.signed_twice)),
    "the answer is compressed": (0.005, _spoiled(spoils.compressed)),
}
"""Each harm with its share of all exchanges."""

FOR_EVER: Final = time.monotonic() + 10**9
"""A deadline that no world reaches."""

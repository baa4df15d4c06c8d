"""The places of the experiment: a gateway, its clock, and somebody in the middle, in one process or on sockets."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final, Literal
from unittest.mock import patch
from urllib.parse import urlsplit

from paywright import Client, Merchant
from paywright_runtime.client import retrying
from paywright_runtime.client.settings import client_settings_from, merchant_from
from paywright_runtime.clock import FixedClock
from paywright_runtime.transport.api import RawAnswer, SignedRequest, Transport
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.testing.handle import SandboxHandle
from paywright_sandbox.testing.inprocess import InProcessTransport, in_process_sandbox
from paywright_sandbox.testing.served import running_sandbox
from tests.outcomes.fault_proxy import FaultProxy, SometimesRefused, over_http
from tests.outcomes.fault_transport import FaultTransport
from tests.outcomes.harms import HARMS, IN_PROCESS, ON_SOCKETS, ON_TLS
from tests.outcomes.messages import Reply, Request
from tests.outcomes.middle import Middle
from tests.runtime.helpers.transport_servers import Authority

__all__ = ["PATIENCE", "RATE", "THREADS", "Place", "Way", "into", "place_of", "served"]

Way = Literal["in process", "sandbox faults", "sockets", "tls"]

RATE: Final = 0.4
THREADS: Final = 16
PATIENCE: Final = 0.35
"""Seconds that a call over sockets may take: what hangs must not take long."""

_NOON: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
_POLICIES: Final = {"largest-amount": "5000", "initial-balance": "1000000.00", "unshown-notifications": "off"}
_SANDBOX_FAULTS: Final = (
    ("reset", "before"), ("reset", "after"), ("hang", "before"), ("hang", "after"), ("cut", "after"), ("drip", "after"),
    ("html", "before"), ("html", "after"), ("bad-signature", "after"), ("no-signature", "after"),
    ("another-answer", "after"), ("another-answer", "before"), ("stale-answer", "after"), ("stale-answer", "before"),
)  # fmt: skip


class Place:
    """A gateway, its clock, and what stands before it."""

    def __init__(
        self,
        sandbox: SandboxHandle,
        clock: FixedClock,
        middle: Middle,
        transport: Callable[[], Transport],
        url: str = "",
    ) -> None:
        self.sandbox = sandbox
        self.url = url or sandbox.base_url
        self.clock = clock
        self.middle = middle
        self.transport = transport

    def client(self, retries: int) -> Client:
        merchant, _ = merchant_from(Merchant, self.sandbox.env)
        client = Client(
            base_url=self.url, merchant=merchant, timeout=PATIENCE, clock=self.clock,
            paths=client_settings_from(Merchant, self.sandbox.env).paths, transport=self.transport(), retries=retries,
        )  # fmt: skip
        client._budget.capacity = client._budget.left = 1e9  # so that what is tried again is struck again
        return client


@contextmanager
def place_of(way: Way, seed: str, folder: Path) -> Iterator[Place]:
    clock = FixedClock(_NOON)
    with ExitStack() as stack:
        # Reads wait between attempts; nothing here is gained by that.
        stack.enter_context(patch.object(retrying, "_FIRST_PAUSE", 0.0002))
        if way in ("sockets", "tls"):
            sandbox: SandboxHandle = stack.enter_context(served(folder, clock))
            middle = Middle(
                over_http(sandbox.base_url), clock, ON_TLS if way == "tls" else ON_SOCKETS, rate=RATE, seed=seed
            )
            yield _by_sockets(way, sandbox, clock, middle, stack)
            return
        sandbox = stack.enter_context(in_process_sandbox(folder, policies=_POLICIES, clock=clock, seed=seed))
        if Random(seed).random() < 0.5:  # then what arrives past the two minutes is acted on nevertheless
            sandbox.engine.settings.judge_request_time = "off"
        middle = Middle(into(sandbox.engine), clock, IN_PROCESS, rate=RATE, seed=seed)
        if way == "in process":
            yield Place(sandbox, clock, middle, lambda: FaultTransport(middle))
            return
        middle.rate = 0.0  # the sandbox does it itself
        for kind, when in _SANDBOX_FAULTS:
            sandbox.fault(kind, when=when, probability=f"{RATE / len(_SANDBOX_FAULTS):.4f}")
        sandbox.fault("code", code="SYSTEM_ERROR", probability="0.03")
        yield Place(sandbox, clock, middle, lambda: _Noted(sandbox.engine, middle))


@contextmanager
def served(folder: Path, clock: FixedClock) -> Iterator[SandboxHandle]:
    """A served sandbox whose state is new, with the keys of `folder`."""
    with TemporaryDirectory(prefix="paywright-outcomes-") as made:
        copy = Path(shutil.copytree(folder, Path(made) / "sandbox"))
        with running_sandbox(copy, policies=_POLICIES, clock=clock, wall=clock) as sandbox:
            yield sandbox


def _by_sockets(way: Way, sandbox: SandboxHandle, clock: FixedClock, middle: Middle, stack: ExitStack) -> Place:
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="paywright-tls-")))
    own = stranger = ca_file = None
    if way == "tls":
        for name in ("own", "another"):
            (folder / name).mkdir()
        authority, another = (Authority(folder / name) for name in ("own", "another"))
        own, stranger, ca_file = authority.server_context(), another.server_context(), str(authority.file)
    proxy = stack.enter_context(FaultProxy(middle, tls=own, stranger=stranger))
    refused = next(harm for harm in HARMS if harm.ending == "refused")
    share = 0.04  # more than its share: it is what NotSent is said of
    make = lambda: SometimesRefused(middle, refused, proxy.url, share=share, ca_file=ca_file)  # noqa: E731
    return Place(sandbox, clock, middle, make, proxy.url)


def into(engine: Engine) -> Callable[[Request], Reply]:
    host = urlsplit(engine.address).netloc

    def deliver(request: Request) -> Reply:
        headers = [("host", host), *((name.lower(), value) for name, value in request.headers)]
        headers.append(("content-length", str(len(request.body))))
        reply = engine.handle("POST", request.path, headers, request.body)
        return Reply(reply.status, tuple(reply.headers), reply.body)

    return deliver


class _Noted(InProcessTransport):
    """The sandbox's own transport and its own faults; what is sent is noted for the judgement of `NotSent`."""

    def __init__(self, engine: Engine, middle: Middle) -> None:
        super().__init__(engine)
        self._middle = middle

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """One exchange; see `exchange.Transport`."""
        self._middle.note(Request(request.path, request.headers, request.body))
        return super().send(request, deadline)

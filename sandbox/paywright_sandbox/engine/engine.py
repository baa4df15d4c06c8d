"""The gateway without I/O: one request in, one signed answer out.

It knows no socket, sleeps never, and reads time from the clocks it is given. `server` calls it, and so may a test.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from traceback import format_tb
from typing import TypeVar

from paywright.contract import CONTRACT
from paywright_runtime.clock import Clock, SystemClock
from paywright_runtime.facts import Operation
from paywright_tools.sandbox.answers import Reply, failure, signed, success
from paywright_tools.sandbox.captures import Captures
from paywright_tools.sandbox.clock import VirtualClock
from paywright_tools.sandbox.fault_book import FaultBook
from paywright_tools.sandbox.judging import Headers, check, nearest, pick, read_body, time_to_judge_by
from paywright_tools.sandbox.merchant_book import MerchantBook
from paywright_tools.sandbox.operations import DUE, HANDLERS
from paywright_tools.sandbox.settings import SandboxSettings
from paywright_tools.sandbox.snapshots import Shelf
from paywright_tools.sandbox.store import Store, disk_trouble
from paywright_tools.sandbox.turn import Refused, Turn, run_due
from paywright_tools.sandbox.witness import Witness

__all__ = ["Engine"]

T = TypeVar("T")

_log = logging.getLogger("paywright.sandbox")


class Engine:
    """Answers requests. Threads may share it.

    `clock` is the time of all business (a virtual clock may stand in its place), `wall` that of requestTime.
    `address` is where the sandbox can be reached, such as `http://127.0.0.1:8787`. `bell` is rung in a transaction, with
    the time at which something falls due.
    """

    def __init__(
        self,
        settings: SandboxSettings,
        store: Store,
        *,
        address: str,
        clock: Clock | None = None,
        wall: Clock | None = None,
    ) -> None:
        self.settings = settings
        self.store = store
        self.address = address
        self.wall: Clock = wall or SystemClock()
        self.clock: Clock = clock or VirtualClock(store, self.wall)
        self.bell: Callable[[datetime], None] = lambda at: None
        self.courier: object = None  # courier_of makes it; the engine knows no socket
        self.captures = Captures(store, settings.log_keeps)
        self.faults = FaultBook(store, settings.seed, settings.faults, self.captures.write)
        self.merchants = MerchantBook(store, settings)
        self.snapshots = Shelf(store)
        self._routes = _routes(settings.paths)
        self.paths = tuple(self._routes)

    def handle(self, method: str, path: str, headers: Headers, raw: bytes) -> Reply:
        """One request to the gateway. `path` has no query, `headers` are pairs as they came. Never raises.

        The answer may carry an order to the server: see `Reply.fault`.
        """
        exchange = Witness(self, path, headers, raw)
        return exchange.over(self._answered(exchange, method, path, headers, raw))

    def _answered(self, exchange: Witness, method: str, path: str, headers: Headers, raw: bytes) -> Reply:
        operations = self._routes.get(path)
        if operations is None:
            return self.refuse(
                404, "PATH_NOT_FOUND", "No operation has this address; see section 4 of the specification."
            )
        if method != "POST":
            return self.refuse(
                405, "METHOD_NOT_ALLOWED", "Every operation is a POST [4].", headers=(("allow", "POST"),)
            )
        if len(raw) > self.settings.max_body:
            return self.too_large()
        body: Mapping[str, object] = {}
        operation: Operation | None = operations[0]
        asked: object = None
        try:
            body = parsed = read_body(raw)
            operation = pick(operations, parsed)
            if operation is not None:
                # The forms without an envelope ask at the top.
                asked = parsed.get("data") if operation.data is not None else parsed
                exchange.names(operation.name, asked)
            now = time_to_judge_by(self.settings, self.wall.now(), self.clock.now())
            merchant, let_pass = check(
                self.settings, self.merchants.registered, operations, operation, headers, raw, parsed, now
            )
            assert operation is not None  # check refuses what is for none
            handler = HANDLERS.get(operation.name)
            if handler is None:
                raise Refused(
                    f"{operation.name} is in the contract, and the sandbox does not play it yet: nothing happened.",
                    policy="invalid-request",
                )
            if not isinstance(asked, dict):
                raise Refused("/data is required", policy="invalid-request")
            data: dict[str, object] = asked
            exchange.meets(operation.name, merchant.app_id)
            result, decided = exchange.play(lambda turn: handler(turn.hearing(headers), merchant, data))
        except Refused as refused:
            shape = operation or nearest(operations, headers, body)
            answer, policy = failure(shape, refused, self.settings.policies, body)
            return signed(self.settings.signer, answer, operation=_name(operation, path), policy=policy)
        except Exception as error:
            return self._broken(operation or operations[0], error)
        policy = decided or let_pass
        return signed(self.settings.signer, success(operation, result), operation=operation.name, policy=policy)

    def act(self, what: Callable[[Turn], T]) -> tuple[T, str | None]:
        """Does something to the state in one transaction, after all that has fallen due.

        Returns what it returns, and the policy that decided it. When it raises, nothing of it is kept.
        """
        with self.store.transaction() as state:
            turn = Turn(
                state,
                self.clock.now(),
                self.settings.policies,
                self.address,
                self.settings.seed,
                self.merchants.registered,
            )
            run_due(turn, DUE)
            try:
                with state.undone_if_it_raises():
                    return what(turn), turn.decided
            except Refused as refused:
                # Raised again outside, so that what had fallen due is kept.
                reason = refused
            finally:
                if state.soonest is not None:
                    self.bell(state.soonest)
        raise reason

    def refuse(self, status: int, code: str, msg: str, *, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
        """A refusal on the level of HTTP, signed as every answer is. Which statuses the service uses is not shown [7.9]."""
        return signed(self.settings.signer, {"code": code, "msg": msg}, status=status, headers=headers)

    def failing(self, what: str, error: Exception) -> str:
        """Log an error of the sandbox itself, and return the words for whoever asked; a trouble of the disk is named."""
        trouble = disk_trouble(error, self.store.file)
        if trouble is not None:
            _log.error("%s: %s", what, trouble)
            return trouble
        # The message of the error may hold values of the request; where it happened never does.
        _log.error("%s failed with %s\n%s", what, type(error).__name__, "".join(format_tb(error.__traceback__)))
        return "The sandbox itself failed; its log says where. Nothing was kept."

    def too_large(self) -> Reply:
        """The refusal of a body that is larger than allowed."""
        return self.refuse(413, "BODY_TOO_LARGE", f"The body has more than {self.settings.max_body} bytes.")

    def _broken(self, operation: Operation, error: Exception) -> Reply:
        refused = Refused(self.failing(operation.name, error), policy="internal-error")
        answer, policy = failure(operation, refused, self.settings.policies, {})
        return signed(self.settings.signer, answer, status=500, operation=operation.name, policy=policy)


def _routes(paths: Mapping[str, str]) -> dict[str, Sequence[Operation]]:
    routes: dict[str, list[Operation]] = {}
    for name in CONTRACT.operations():
        operation = CONTRACT.operation(name)
        path = paths.get(name) or operation.path
        if path is not None and not operation.inbound:
            routes.setdefault(path, []).append(operation)
    return {path: tuple(operations) for path, operations in routes.items()}


def _name(operation: Operation | None, path: str) -> str:
    return operation.name if operation is not None else path

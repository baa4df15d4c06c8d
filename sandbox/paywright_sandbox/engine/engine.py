"""The gateway without I/O: one request in, one signed answer out.

It uses no socket, never sleeps, and reads time from its clocks. `http.server` calls it, and so may a test.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from difflib import get_close_matches
from email.utils import format_datetime
from traceback import format_tb
from typing import Protocol, TypeVar

from paywright.contract import CONTRACT
from paywright_runtime.clock import Clock, SystemClock
from paywright_runtime.contract.addresses import Addresses, operation_for
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.value_checks import within
from paywright_runtime.redaction import shown_word, visible
from paywright_sandbox.engine.context import Decisions, Enqueue, Handler, RequestContext, TimerHandler, run_due
from paywright_sandbox.engine.merchants import MerchantRegistry
from paywright_sandbox.engine.request_checks import Headers, RequestCheck, nearest, read_body, time_to_judge_by
from paywright_sandbox.engine.responses import HttpReply, failure, signed, success
from paywright_sandbox.engine.settings import SandboxSettings
from paywright_sandbox.engine.state.captures import Captures
from paywright_sandbox.engine.state.clock import VirtualClock
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.store import Store, disk_trouble

T = TypeVar("T")

_log = logging.getLogger("paywright.sandbox")


class _Undone(Exception):
    """End a request whose effect is undone."""


class ExchangeHooks(Protocol):
    """Hooks around one request, such as fault injection and the log, in the order in which the engine calls them."""

    def identify(self, operation: str, data: object) -> None:
        """Note the operation and the request's data, before anything is checked."""

    def admit(self, operation: str, merchant: str) -> None:
        """Note that the request of this app id has passed all checks."""

    @property
    def undoes(self) -> bool:
        """True if the request is handled, and then undone."""
        ...

    def finish(self, reply: HttpReply) -> HttpReply:
        """Return the answer to send in place of `reply`, or `reply`. Called for refused requests too."""
        ...


class Engine:
    """Answers requests. Threads may share it.

    `handlers` answer operations by name, `timers` handle timers by kind, and `enqueue` puts notifications into the
    outbox. `hooks` makes the hooks of a request from the engine, the path, the headers and the body.
    `clock` is business time (default: a virtual clock), `wall` the time of requestTime.
    `address` is the sandbox's own, such as `http://127.0.0.1:8787`. `on_due` is called in a transaction,
    with the time at which something falls due.
    """

    def __init__(
        self,
        settings: SandboxSettings,
        store: Store,
        *,
        handlers: Mapping[str, Handler],
        timers: Mapping[str, TimerHandler],
        enqueue: Enqueue,
        hooks: Callable[[Engine, str, Headers, bytes], ExchangeHooks],
        address: str,
        clock: Clock | None = None,
        wall: Clock | None = None,
    ) -> None:
        self.settings = settings
        self.store = store
        self.handlers = handlers
        self.timers = timers
        self._enqueue = enqueue
        self._hooks = hooks
        self.address = address
        self.wall: Clock = wall or SystemClock()
        self.clock: Clock = clock or VirtualClock(store, self.wall)
        self.on_due: Callable[[datetime], None] = lambda at: None
        self.captures: Captures = Captures(store, settings.log_keeps)
        self.merchants: MerchantRegistry = MerchantRegistry(store, settings)
        self._routes = Addresses(CONTRACT, settings.paths).calls
        self.paths: tuple[str, ...] = tuple(self._routes)
        self._parts: dict[type, object] = {}
        self._date: tuple[datetime | None, str] = None, ""  # the header of the last second

    def add_part(self, part: object) -> None:
        """Keep an object of another package, such as the delivery worker: one of each type."""
        self._parts[type(part)] = part

    def part(self, kind: type[T]) -> T:
        """Return the part of exactly this type. Raises `LookupError` without one."""
        part = self._parts.get(kind)
        if not isinstance(part, kind):
            raise LookupError(f"The engine has no {kind.__name__}: make it with paywright_sandbox.gateway.make_engine.")
        return part

    def handle(self, method: str, path: str, headers: Headers, raw: bytes) -> HttpReply:
        """Answer one request to the gateway. `path` is as sent, with its query; `headers` are pairs as received. Never raises.

        The server has to carry out `HttpReply.fault`.
        """
        exchange = self._hooks(self, path, headers, raw)
        return exchange.finish(self._answered(exchange, method, path, headers, raw))

    def _answered(self, exchange: ExchangeHooks, method: str, path: str, headers: Headers, raw: bytes) -> HttpReply:
        place = path.partition("?")[0]
        operations = self._routes.get(place)
        if operations is None:
            return self.refuse(404, "PATH_NOT_FOUND", f"No operation has this address{_nearest(place, self.paths)}")
        if method != "POST":
            return self.refuse(
                405, "METHOD_NOT_ALLOWED", "Every operation is a POST [4].", headers=(("allow", "POST"),)
            )
        if len(raw) > self.settings.max_body:
            return self.too_large(self.settings.max_body)
        body: Mapping[str, object] = {}
        decisions = Decisions()
        operation: Operation | None = operations[0]
        asked: object = None
        try:
            body = parsed = read_body(raw)
            operation = operation_for(operations, parsed)
            if operation is not None:
                # Forms without an envelope have their data at the top.
                asked = within(parsed, operation.payload_paths[0])
                exchange.identify(operation.name, asked)
            merchant = RequestCheck(
                self.settings, self.merchants.registered, operations, operation, path, headers, raw, parsed, decisions
            ).merchant(time_to_judge_by(self.settings, self.wall, self.clock))
            assert operation is not None  # check refuses a request for no operation
            handler = self.handlers.get(operation.name)
            if handler is None:
                raise Refusal(
                    f"{operation.name} is in the contract, but the sandbox does not implement it yet: nothing happened.",
                    policy="invalid-request",
                )
            if not isinstance(asked, dict):
                raise Refusal("/data is required", policy="invalid-request")
            data: dict[str, object] = asked
            exchange.admit(operation.name, merchant.app_id)
            with self.transaction(undone=exchange.undoes) as context:
                context.pairs, context.decisions = headers, decisions
                result = handler(context, merchant, data)
        except Refusal as refused:
            shape = operation or nearest(operations, headers, body)
            answer = failure(shape, refused, self.settings.policies, body, decisions)
            return signed(
                self.settings.signer,
                answer,
                operation=operation.name if operation else place,
                headers=decisions.headers,
            )
        except Exception as error:
            return self._broken(operation or operations[0], error)
        return signed(
            self.settings.signer, success(operation, result), operation=operation.name, headers=decisions.headers
        )

    def date(self) -> str:
        """Return the `Date` header of a response: the time that requestTime is judged by, else the wall clock's."""
        now = time_to_judge_by(self.settings, self.wall, self.clock) or self.wall.now()
        second, text = self._date
        if now.replace(microsecond=0) != second:
            second = now.replace(microsecond=0)
            text = format_datetime(second.astimezone(UTC), usegmt=True)
            self._date = second, text
        return text

    def run_due_timers(self) -> None:
        """Run the timers that have fallen due."""
        with self.transaction():
            pass

    @contextmanager
    def transaction(self, *, undone: bool = False) -> Iterator[RequestContext]:
        """Open a transaction, run the timers that have fallen due, and hand over the context for one request.

        An exception undoes what was done with the context, and so does `undone` at the end. The effects of the timers
        stay with it, and with a `Refusal`.
        """
        reason: Refusal | None = None
        with self.store.transaction() as state:
            context = RequestContext(
                state,
                self.clock.now(),
                self.settings.policies,
                self.address,
                self.settings.seed,
                self.merchants.registered,
                self._enqueue,
                undone,
            )
            run_due(context, self.timers)
            try:
                with state.undone_if_it_raises():
                    yield context
                    if undone:
                        raise _Undone
            except _Undone:
                pass
            except Refusal as refused:
                reason = refused  # raised below: after the transaction has kept the effects of the timers
            finally:
                if state.soonest is not None:
                    self.on_due(state.soonest)
        if reason is not None:
            raise reason

    def refuse(self, status: int, code: str, msg: str, *, headers: tuple[tuple[str, str], ...] = ()) -> HttpReply:
        """Return a signed refusal with an HTTP status. The gateway's own statuses are not shown [7.9]."""
        return signed(self.settings.signer, {"code": code, "msg": msg}, status=status, headers=headers)

    def failing(self, what: str, error: Exception) -> str:
        """Log an error of the sandbox itself and return the message for the caller; problems of the disk are named."""
        what = shown_word(visible(what))  # it may be a stranger's path, and the log may be a terminal
        trouble = disk_trouble(error, self.store.file) or self.store.damage()
        if trouble is not None:
            _log.error("%s: %s", what, trouble)
            return trouble
        # The message of the error may hold values of the request; the traceback does not.
        _log.error("%s failed with %s\n%s", what, type(error).__name__, "".join(format_tb(error.__traceback__)))
        return "The sandbox itself failed; see its log. Nothing was kept."

    def too_large(self, limit: int) -> HttpReply:
        """Return the refusal of a body that is too large."""
        return self.refuse(413, "BODY_TOO_LARGE", f"The body has more than {limit} bytes.")

    def _broken(self, operation: Operation, error: Exception) -> HttpReply:
        refused = Refusal(self.failing(operation.name, error), policy="internal-error")
        decisions = Decisions()
        answer = failure(operation, refused, self.settings.policies, {}, decisions)
        return signed(self.settings.signer, answer, status=500, operation=operation.name, headers=decisions.headers)


def _nearest(path: str, paths: Sequence[str]) -> str:
    """Suggest the address that was meant, by the last step: most addresses begin alike."""
    by_step = {known.rpartition("/")[2].lower(): known for known in paths}
    near = get_close_matches(path.rstrip("/").rpartition("/")[2].lower(), by_step, 2, 0.7)
    if not near:
        return "; see section 4 of the specification."
    return f". Did you mean {' or '.join(by_step[step] for step in near)}?"

"""Serve one request: its context, and the timers that fall due before it."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from traceback import format_tb
from typing import TYPE_CHECKING, Final, TypeAlias

from paywright_sandbox.engine.state.refusal import Refusal

if TYPE_CHECKING:
    from paywright_sandbox.engine.merchant import RegisteredMerchant
    from paywright_sandbox.engine.policies import Policies
    from paywright_sandbox.engine.state.state import State

Handler: TypeAlias = "Callable[[RequestContext, RegisteredMerchant, Mapping[str, object]], dict[str, object]]"
"""Answer one operation: the merchant and the request's `data` in, the answer's `data` out. Raises `Refusal`."""

Enqueue: TypeAlias = "Callable[[RequestContext, str, str, str | None, Mapping[str, object], str], int | None]"
"""Put a notification into the outbox; see `RequestContext.notify`."""


class Decisions:
    """The policies that decided the answer to one request, in order, and the headers that say so.

    `unknown` are the members of the request that are not in the contract.
    """

    __slots__ = ("policies", "unknown")

    def __init__(self) -> None:
        self.policies: list[str] = []
        self.unknown: str = ""

    def add(self, policy: str) -> None:
        """Add the name of a policy that accepted or refused something."""
        if policy not in self.policies:
            self.policies.append(policy)

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """The headers of the answer; none where nothing was decided."""
        policies = (("x-sandbox-policy", ", ".join(self.policies)),) if self.policies else ()
        return (*policies, ("x-sandbox-unknown-members", self.unknown)) if self.unknown else policies


@dataclass(slots=True, eq=False, repr=False)
class RequestContext:
    """State, time and policies for one request; `address` is the sandbox's own, without a slash at the end.

    `undone` is True if the request will be undone although its answer may be sent: a fault before the commit. `pairs` are
    the request's headers.
    """

    state: State
    now: datetime
    policies: Policies
    address: str
    seed: str
    merchants: Sequence[RegisteredMerchant]
    enqueue: Enqueue
    undone: bool = False
    decisions: Decisions = field(default_factory=Decisions)
    pairs: Sequence[tuple[str, str]] = ()

    def decided_by(self, policy: str) -> None:
        """Name a policy that decides the answer or refusal, for the header X-Sandbox-Policy."""
        self.decisions.add(policy)

    @property
    def headers(self) -> Mapping[str, str]:
        """The request's headers, by their names in lower case."""
        return {name.lower(): value for name, value in self.pairs}

    def merchant(self, app_id: str) -> RegisteredMerchant | None:
        """Return the registered merchant of this app id; None if it is registered no more."""
        return next((merchant for merchant in self.merchants if merchant.app_id == app_id), None)

    def notify(self, merchant: str, kind: str, url: str | None, body: Mapping[str, object], about: str) -> int | None:
        """Put a notification into the outbox, in this transaction, and return its id [6].

        `merchant` is the app id, `kind` a notifyType of `outbox.KINDS`, `url` the address of the request (it wins over
        the merchant's in sandbox.toml), `about` the merchant's number of the subject. `body` holds `data`, and members
        of the root that differ: code, msg, version, keyVersion, appId, merchantNo, notifyTime and notifyType are filled
        in. Sends nothing and returns None without an address, or by the policy unshown-notifications.
        Raises `Refusal` (409) if the contract does not allow the merchant's numbers in the message, and
        `AssertionError` if the message breaks the contract otherwise.
        """
        return self.enqueue(self, merchant, kind, url, body, about)

    def number(self, kind: str, table: str) -> str:
        """Return the gateway's id for the next row of a table. The same seed and history give the same id.

        A request that is undone gets other ids than one that is kept: no later row repeats an id of its answer.
        """
        row = self.state.next_id(table)
        drawn = f"{self.seed}:{kind}:{row}" + (":undone" if self.undone else "")
        return f"{kind}{row:010d}{sha256(drawn.encode()).hexdigest()[:12].upper()}"


_log: Final = logging.getLogger("paywright.sandbox")

TimerHandler: TypeAlias = Callable[[RequestContext, int], object]
"""Handle a timer of one row, given by its id."""


def run_due(context: RequestContext, handlers: Mapping[str, TimerHandler]) -> None:
    """Run all timers that have fallen due, in order, each at its own time.

    A timer that fails is undone alone, is not run again, and becomes the event `timer.failed`: one bad row must not stop
    the sandbox. Raises only the errors of a database that cannot be written.
    """
    now = context.now
    while (timer := context.state.take_due(now)) is not None:
        context.now = timer.at
        try:
            with context.state.undone_if_it_raises():
                handlers[timer.kind](context, timer.subject)
        except sqlite3.OperationalError:
            raise  # an error of the disk, not of the timer, which stays due
        except Exception as error:
            # The message of an error may hold values of a request; the traceback does not.
            where = "".join(format_tb(error.__traceback__))
            _log.error("the timer %s failed with %s\n%s", timer.kind, type(error).__name__, where)
            why = error.msg if isinstance(error, Refusal) else ""
            detail = {"timer": timer.kind, "row": timer.subject, "error": type(error).__name__, "why": why}
            context.state.record(timer.at, "timer.failed", timer.kind, detail)
    context.now = now

"""The context of one request: what a handler is given, and how it refuses."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from traceback import format_tb
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from paywright_sandbox.engine.policies import Policies
    from paywright_sandbox.engine.settings import RegisteredMerchant
    from paywright_sandbox.engine.store import State

__all__ = ["Due", "Enqueue", "Handler", "Refused", "RequestContext", "run_due"]

_log: Final = logging.getLogger("paywright.sandbox")

Handler: TypeAlias = "Callable[[RequestContext, RegisteredMerchant, Mapping[str, object]], dict[str, object]]"
"""Answers one operation: the merchant and the request's `data` in, the answer's `data` out. Raises `Refused`."""

Due: TypeAlias = "Callable[[RequestContext, int], None]"
"""Does what falls due for one row."""

Enqueue: TypeAlias = "Callable[[RequestContext, str, str, str | None, Mapping[str, object], str], int | None]"
"""Puts a notification into the outbox; takes the arguments of `RequestContext.notify`."""


class Refused(Exception):
    """The request is refused, and nothing of it is kept.

    It has the code of a policy, or a code of the specification's own, and words that name the reason and never a value.
    """

    def __init__(self, msg: str, *, policy: str | None = None, code: str | None = None) -> None:
        super().__init__(msg)
        self.msg = msg
        self.policy = policy
        self.code = code


class RequestContext:
    """State, time and policy for one request; `address` is the sandbox's own, without a slash at the end.

    `decided` is the policy that decided the answer, if one did. `undone` says that nothing of the request will be kept,
    although its answer may be told: a fault before the commit.
    """

    __slots__ = ("_enqueue", "_heard", "address", "decided", "merchants", "now", "policies", "seed", "state", "undone")

    def __init__(
        self,
        state: State,
        now: datetime,
        policies: Policies,
        address: str,
        seed: str,
        merchants: Sequence[RegisteredMerchant],
        enqueue: Enqueue,
    ) -> None:
        self.state = state
        self.now = now
        self.policies = policies
        self.address = address
        self.seed = seed
        self.merchants = merchants
        self._enqueue = enqueue
        self.undone = False
        self.decided: str | None = None
        self._heard: Sequence[tuple[str, str]] = ()

    def hearing(self, headers: Sequence[tuple[str, str]]) -> RequestContext:
        """Return the context, with the request's headers from now on."""
        self._heard = headers
        return self

    @property
    def headers(self) -> Mapping[str, str]:
        """The request's headers, by their names in lower case."""
        return {name.lower(): value for name, value in self._heard}

    def merchant(self, app_id: str) -> RegisteredMerchant | None:
        """Return the registered merchant of this app id; None if it was taken out of the settings since."""
        return next((merchant for merchant in self.merchants if merchant.app_id == app_id), None)

    def notify(self, merchant: str, kind: str, url: str | None, body: Mapping[str, object], about: str) -> int | None:
        """Put a notification into the outbox, in this transaction, and return its id [6].

        `merchant` is the app id, `kind` a notifyType of `outbox.KINDS`, `url` the address of the request (it wins over
        the merchant's in sandbox.toml), `about` the merchant's own number of the thing. `body` holds `data`, and of
        the root what differs: code, msg, version, keyVersion, appId, merchantNo, notifyTime and notifyType are filled
        in. None, and nothing is sent, where no address is known or the policy unshown-notifications says so.
        Raises `Refused` (409) where the merchant's numbers do not fit into the message that the contract shows, and
        `AssertionError` where anything else of it is not as shown.
        """
        return self._enqueue(self, merchant, kind, url, body, about)

    def number(self, kind: str, table: str) -> str:
        """Return the gateway's id for the next row of a table. The same seed and the same past give the same.

        A request that is undone draws other ids than one that is kept: what its answer told is never another row's.
        """
        row = self.state.next_id(table)
        drawn = f"{self.seed}:{kind}:{row}" + (":undone" if self.undone else "")
        return f"{kind}{row:010d}{sha256(drawn.encode()).hexdigest()[:12].upper()}"


def run_due(context: RequestContext, handlers: Mapping[str, Due]) -> None:
    """Run all timers that have fallen due, in order, each at its own time.

    A timer that fails is undone alone, is not run again, and becomes the event `timer.failed`: one row that cannot be
    handled must not stop the whole workspace. Raises only what the database raises when it cannot be written.
    """
    now = context.now
    while (timer := context.state.take_due(now)) is not None:
        context.now = timer.at
        try:
            with context.state.undone_if_it_raises():
                handlers[timer.kind](context, timer.subject)
        except sqlite3.OperationalError:
            raise  # the disk, not the timer: it stays due
        except Exception as error:
            # The message of an error may hold values of a request; where it happened never does.
            where = "".join(format_tb(error.__traceback__))
            _log.error("the timer %s failed with %s\n%s", timer.kind, type(error).__name__, where)
            why = error.msg if isinstance(error, Refused) else ""
            detail = {"timer": timer.kind, "row": timer.subject, "error": type(error).__name__, "why": why}
            context.state.record(timer.at, "timer.failed", timer.kind, detail)
    context.now = now

"""The permission to place an order again [4.3]: which call may use it, how that ended. `resolution` decides when it is given."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, NoReturn

from paywright_runtime.clock import Clock, Moment
from paywright_runtime.error_text import ADVICE
from paywright_runtime.errors import InvalidArgument, TooEarly
from paywright_runtime.json_value import plain_text
from paywright_runtime.redaction import shown_key
from paywright_runtime.settling.not_there import has_expired

if TYPE_CHECKING:
    from paywright_runtime.contract.operation import Operation
    from paywright_runtime.settling.resolution import End, ResolutionState
    from paywright_runtime.settling.stored_document import Owner


class Permission:
    """The permission to place one order again under its key [4.3], in this process.

    A resolver or a follower gives it. It holds for one call to the same gateway, for the same merchant, with the same
    content. It expires after the time that the specification demands between two queries. One call uses it up, however it ends; so
    does closing the follower's item, in any process. Threads may share it. It cannot be copied, stored or given to another process,
    which resolves the order itself.
    """

    def __init__(self, resolving: ResolutionState, owner: Owner, clock: Clock, since: Moment) -> None:
        self.key: str = resolving.key
        self._query = resolving.query
        self._content = dict(resolving.content)
        self._owner = owner
        self._clock = clock
        self._since = since
        self._held = resolving.permitted_for
        self._lock = Lock()
        # Asked once, before the first attempt: why it does not hold any more, or "".
        self.holds: Callable[[], str] | None = None
        self._user: object | None = None  # the call that uses it
        self.ended: tuple[End, Moment] | None = None  # how and when that call ended
        self._process = os.getpid()

    @property
    def blocks(self) -> bool:
        """Return whether its use is written into a database, which an event loop is not to wait for."""
        return self.holds is not None

    def check(self, operation: Operation, values: Mapping[str, object], owner: Owner) -> None:
        """Raise `InvalidArgument` for a call of another operation, key, merchant or address."""
        if operation.resolution is None or operation.resolution.operation != self._query:
            self._refuse(f"{operation.name} does not place what this permission is for")
        if plain_text(values.get(operation.key or "")) != self.key:
            self._refuse(
                f"{operation.name} was called with another {operation.key}, which makes another order, paid for separately"
            )
        if not self._owner.same(owner):
            self._refuse(f"the permission is for {self._owner}, and {operation.name} was called by a client of {owner}")

    def sending(self, call: object, content: Mapping[str, str]) -> None:
        """Allow an attempt of a call with this content. Raises `InvalidArgument` for other content, or `TooEarly`."""
        # Each text exactly: a gateway may write one in other letters, but a call that differs by them is not the same.
        if not self._content.items() <= content.items():
            self._refuse("the order is placed again with other content than the first call's")
        if self._process != os.getpid():
            raise self._too_early("this permission was given to the process that forked this one")
        now = Moment.of(self._clock)
        with self._lock:
            if self._user is not None and self._user is not call:
                why = "another call uses this permission" if self.ended is None else ADVICE["used"]
            elif has_expired(self._since, now, self._held):
                why = ADVICE["expired"].format(seconds=self._held.total_seconds())
            else:
                why = self.holds() if self._user is None and self.holds is not None else ""
                if not why:
                    self._user, self.ended = call, None
                    return
        raise self._too_early(why)

    def _too_early(self, why: str) -> TooEarly:
        return TooEarly(key=self.key, why=f"{why}; continue with the queries, which can give another one")

    def report(self, end: End) -> None:
        """Record how the call that uses it ended, or one attempt of that call."""
        with self._lock:
            self.ended = end, Moment.of(self._clock)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "A permission cannot be copied or stored: store the resolver, resume it, and ask it for another permission."
        )

    def __repr__(self) -> str:
        return f"<Permission {self.key!r}>"

    def _refuse(self, why: str) -> NoReturn:
        raise InvalidArgument(
            f"{shown_key(self.key)!r} must not be placed again like this: {why}. Nothing was sent: repeat the first call, with its key, "
            "content and client."
        )

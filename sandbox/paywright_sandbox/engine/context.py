"""The context of one request: what a handler is given, and how it refuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from paywright_sandbox.engine.merchants.merchant import RegisteredMerchant
    from paywright_sandbox.engine.settings.policies import Policies
    from paywright_sandbox.engine.state.store import State

__all__ = ["Decisions", "Enqueue", "Handler", "RequestContext"]

Handler: TypeAlias = "Callable[[RequestContext, RegisteredMerchant, Mapping[str, object]], dict[str, object]]"
"""Answers one operation: the merchant and the request's `data` in, the answer's `data` out. Raises `Refused`."""

Enqueue: TypeAlias = "Callable[[RequestContext, str, str, str | None, Mapping[str, object], str], int | None]"
"""Puts a notification into the outbox; takes the arguments of `RequestContext.notify`."""


class Decisions:
    """The policies that decide the answer to one request, in the order in which they did, and what the headers of the answer say.

    `unknown` are the members of the request that the contract does not have.
    """

    __slots__ = ("policies", "unknown")

    def __init__(self) -> None:
        self.policies: list[str] = []
        self.unknown = ""

    def add(self, policy: str) -> None:
        """Add the name of a policy, whether it let something pass or refused it."""
        if policy not in self.policies:
            self.policies.append(policy)

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """The headers that say so; none where there is nothing to say."""
        named = (("x-sandbox-policy", ", ".join(self.policies)), ("x-sandbox-unknown-members", self.unknown))
        return tuple(header for header in named if header[1])


class RequestContext:
    """State, time and policies for one request; `address` is the sandbox's own, without a slash at the end.

    `undone` says that nothing of the request will be kept, although its answer may be told: a fault before the commit.
    """

    __slots__ = (
        "_decisions", "_enqueue", "_headers", "address", "merchants", "now", "policies", "seed", "state", "undone",
    )  # fmt: skip

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
        self._decisions = Decisions()
        self._headers: Sequence[tuple[str, str]] = ()

    def for_call(self, headers: Sequence[tuple[str, str]], decisions: Decisions) -> RequestContext:
        """Return the context of a call: with the request's headers, and with what `decided_by` adds to."""
        self._headers = headers
        self._decisions = decisions
        return self

    def decided_by(self, policy: str) -> None:
        """Name a policy that decides the answer, which may be a refusal: it stands in the header X-Sandbox-Policy."""
        self._decisions.add(policy)

    @property
    def headers(self) -> Mapping[str, str]:
        """The request's headers, by their names in lower case."""
        return {name.lower(): value for name, value in self._headers}

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

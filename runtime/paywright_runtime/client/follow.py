"""Follow items to their last state with a client: the state machine of `following.state`, and the queries that it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from paywright_runtime.client.calls import OperationRef
from paywright_runtime.client.resolver import Resolver, ResolverBase
from paywright_runtime.contract.violations import within
from paywright_runtime.errors import InvalidArgument, PaywrightError
from paywright_runtime.following.resolution import ResolutionState
from paywright_runtime.following.state import FollowState
from paywright_runtime.following.state_json import to_json

if TYPE_CHECKING:
    from paywright_runtime.client.permission import Permission
    from paywright_runtime.json_value import JSON

__all__ = ["Follow", "FollowBase", "FollowCall"]

R = TypeVar("R")


class FollowBase(ResolverBase[R]):
    """What both kinds of follow share: everything but waiting for an answer."""

    @property
    def kind(self) -> str:
        """Return the resource, such as `orders`."""
        return self.state.kind

    @property
    def state(self) -> FollowState:
        """Return what is known, and what decides when to ask: it has no I/O."""
        self._read_end()
        return cast(FollowState, self._state)

    @property
    def last_state(self) -> str | None:
        """Return the last state that the gateway showed, as it stands on the wire; None until it showed one."""
        return self.state.last_state

    @property
    def unknown(self) -> bool:
        """Return whether nobody knows yet if the gateway has the item."""
        return self.state.unknown

    @property
    def paid(self) -> bool:
        """Return whether the state that is known says that money moved."""
        return self.state.paid

    @property
    def settled(self) -> bool:
        """Return whether a last state is known: nothing follows it, or only the return of what was paid."""
        return self.state.settled

    @property
    def final(self) -> bool:
        """Return whether nothing follows the state that is known."""
        return self.state.final

    @property
    def amount(self) -> str | None:
        """Return the amount that the gateway showed, digit for digit; None until it showed one."""
        return self.state.amount

    @property
    def currency(self) -> str | None:
        """Return the currency of `amount`."""
        return self.state.currency

    def hint(self, says: str | None = None) -> None:
        """Take a hint that the state may have changed: the payer came back, or a notification came. Then `step` asks soon.

        `says` is the state that a verified notification names (`""` if it names none that can be read), None for a payer who
        came back: what is known already is not asked for again. However many hints come, the questions keep a distance.
        """
        self.state.hint(self._now(), says)

    def placed(self) -> None:
        """Record that the call was a verified success, where it was opened as `unknown` before the call."""
        self.state.placed(self._now())

    def told(self, notification: Mapping[str, JSON]) -> None:
        """Take over a verified notification, as parsed JSON (`event.body`), for what the contract has no query for [6.2].

        Raises `InvalidArgument` for a kind that is followed by a query (give it `hint`), and for another key.
        """
        path = self._contract.operation(self._contract.following(self.kind).operation).payload_paths[0]
        data = within(notification, *path)
        if not isinstance(data, dict):
            raise InvalidArgument(f"A notification is an object with a member {'.'.join(path)}, such as event.body.")
        self.state.told(data, self._now())

    def ask_now(self) -> None:
        """Have the next `step` ask for what may be placed again, so that a permission can be given."""
        self.state.ask_now(self._now())

    def use_up(self) -> Permission:
        """Return the permission to place it again that is there now, used up: store it before it is given. Raises `TooEarly`."""
        return self._give()[0]

    def take_over(self, given: Permission | None) -> None:
        """Take over the permission that was given for it, or None: it says how the call with it ended."""
        self._given = given

    @property
    def _resolving(self) -> ResolutionState | None:
        return self.state.resolving

    @_resolving.setter
    def _resolving(self, resolving: ResolutionState) -> None:
        self.state.resolve_again(resolving)

    def _stored(self) -> str:
        return to_json(self.state, self._owner)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.kind} {self.key!r}, {self.look().state}>"


class Follow(FollowBase[R], Resolver[R]):
    """Follows an item (an order, a refund, an exchange, a withdrawal, a link) until its last state is known [3].

    `client.orders.follow(...)` makes one and sends nothing.

    Call `step` when `step().at` has come, in this process or, with `to_json` and `client.resume`, in another. It queries the
    gateway at most once and never sleeps. It asks soon after a hint, then further and further apart, and once more when the
    item must be closed. If the item was opened as `unknown`, its outcome is resolved first, as `Resolver` does, with a
    `permission` to place it again where the contract allows it. `docs/outcomes.md` explains all of it.
    """


class FollowCall(Protocol):
    """The client's method that makes a follow, for generated code.

    It takes the resource, the query (for the type alone), the key, what else the query asks for, what the write asked for,
    until when the item can stay open, whether the write is unknown, and the error that it ended with.
    """

    def __call__(
        self,
        kind: str,
        query: OperationRef[R],
        key: str,
        asks: Mapping[str, str] | None = None,
        content: Mapping[str, object] | None = None,
        expires_at: datetime | None = None,
        unknown: bool = False,
        after: PaywrightError | None = None,
    ) -> Follow[R]:
        """Make a follow of the item with that key; see the class."""
        ...

"""What a merchant relies on, in words: the reference that knows nothing of tables, leases, schedules or statuses.

A paid item reaches the handler once, with its amount. Nothing acknowledged is lost. No "paid" comes after a return. Nobody hears of
another's payment. What is open at the gateway is asked about or listed. True means done, False that it was so before; whatever else
happens is an error, and changed nothing.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

__all__ = ["Facts", "Wrong", "rank"]

APART: Final = 300.0
"""Seconds between two "not there" after which an order may be placed again, and for which a permission holds [4.3]."""


class Wrong(AssertionError):
    """Something that a merchant relies on is not so."""


def rank(state: str) -> int:
    """How far a state is: open, an end without money, paid, returned. Whatever is further was later."""
    if "SUCCESS" in state:
        return 2
    return {"BOUNCEBACK": 3, "": -1}.get(state, 1 if state in ("FAILED", "CLOSED", "REFUND_FAILED", "EXPIRED") else 0)


class Facts(NamedTuple):
    """What is known of one item, whatever the product has stored.

    `told`: what its handler was given. `shown`: what the gateway has signed, to us, about it; `acknowledged`: what of it we said that we
    have. `by_hand`: what people have decided about; `unread`: what of it no ledger could read. `owed`: whether it was promised to be
    asked about. `absences`: when this address said "not there" since the last call. `permission`: "", held, or used and dead, since when.
    """

    told: tuple[str, ...] = ()
    shown: frozenset[str] = frozenset()
    acknowledged: frozenset[str] = frozenset()
    by_hand: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()
    registered: bool = False
    called: str = ""
    owed: bool = False
    absences: tuple[float, ...] = ()
    permission: str = ""
    permitted: float = 0.0

    # What happens

    def is_told(self, result: Any, theirs: bool, amount: object, ordered: bool = True) -> Facts:
        """The handler is given a result, whose states are `ordered` unless those of several periods are meant."""
        state = str(result.state)
        if theirs:
            raise Wrong(f"the handler hears of another buyer's payment: {state}")
        if rank(state) > 0 and state not in self.shown:
            raise Wrong(f"the handler is told {state}, and nobody has signed that")
        if result.amount != amount:
            raise Wrong(f"the handler is told {state} of {result.amount}, and {amount} was asked for")
        if state in self.told:
            raise Wrong(f"the handler is told {state} twice")
        if result.is_paid != (rank(state) == 2):
            raise Wrong(f"the handler is told {state}, and is_paid is {result.is_paid}")
        was = self.told[-1] if self.told else None
        if (None if result.was is None else str(result.was)) != was:
            raise Wrong(f"the handler is told that {result.was} was before {state}, and was given {was}")
        later = [one for one in self.shown if rank(one) > rank(state)]
        if later and ordered:
            raise Wrong(f"the handler is told {state} after the gateway has signed {later[0]}")
        return self._replace(told=(*self.told, state), owed=False)

    def is_told_again(self, result: Any) -> None:
        """The handler is given a result once more, because somebody asked for that."""
        if str(result.state) != self.told[-1]:
            raise Wrong(f"the handler is told {result.state} again, and was told {self.told[-1]} last")

    def signed(self, state: str) -> Facts:
        return self._replace(shown=self.shown | {state}) if rank(state) > 0 else self

    def acknowledges(self, state: str) -> Facts:
        return self._replace(acknowledged=self.acknowledged | {state}) if rank(state) > 0 else self

    def is_asked(self, shown: str, now: float) -> Facts:
        """A question was answered: with a state, or with "" for "not there"."""
        absences = () if shown else (*self.absences[:1], now)
        return self.signed(shown)._replace(owed=False, absences=absences)

    def is_called(self, now: float) -> Facts:
        """A call has left for the gateway."""
        return self._replace(absences=())

    def is_permitted(self, now: float) -> Facts:
        if not (len(self.absences) == 2 and self.absences[1] - self.absences[0] >= APART and self.absences[1] == now):
            raise Wrong(
                "it may be placed again, and this address has not said twice, five minutes apart, that it is not there"
            )
        return self._replace(permission="held", permitted=now)

    def uses(self, sent: bool, now: float) -> Facts:
        """Somebody called with the permission."""
        if not sent:
            return self
        if self.permission != "held" or now - self.permitted >= APART:
            why = self.permission if self.permission != "held" else "too old"
            raise Wrong(f"it was placed again with a permission that is {why}")
        return self._replace(permission="used")

    def from_now(self, now: float) -> list[object]:
        """Return this with times as they are from now, and without what was acknowledged and can no longer be forgotten."""
        known = max((rank(one) for one in (*self.told, *self.by_hand)), default=0)
        left = self._replace(
            acknowledged=frozenset(one for one in self.acknowledged if rank(one) > known),
            absences=tuple(min(now - one, APART) for one in self.absences),
            permitted=min(now - self.permitted, APART) if self.permission else 0.0,
        )
        return [sorted(one) if isinstance(one, frozenset) else one for one in left]

    # What must be so when all is quiet

    def at_rest(
        self, state: str, theirs: bool, listed: bool, settled: bool, closed: bool, due: bool, asked: bool
    ) -> str:
        """Say what is missing when handlers work, followers ran for days, and what failed was tried again; "" if nothing is.

        Of what somebody closed by hand, money alone must be told; by a webhook, if all questions showed that it had ended. `due`
        says that there is a question left, `asked` that a person is asked about it.
        """
        ended = state in (*self.told, *self.by_hand - self.unread) and all(
            rank(one) <= rank(state) for one in self.shown
        )
        if asked and ended and not theirs:
            return "a person is asked, and there is nothing to decide"
        if theirs and settled:
            return "another buyer's payment settles it"
        if listed:
            return ""
        if self.owed:
            return "it was promised to be asked about, and never was"
        known = max((rank(one) for one in (*self.told, *self.by_hand)), default=0)
        matters = [one for one in sorted(self.acknowledged) if not closed or rank(one) == 2 or known == 2]
        forgotten = [one for one in matters if rank(one) > known]
        if forgotten:
            return f"{forgotten[0]} was acknowledged, and is forgotten"
        over = closed and not due and any(rank(one) == 1 for one in self.shown)
        if (
            self.registered
            and not theirs
            and not known
            and not over
            and (rank(state) == 2 or (rank(state) > 0 and not closed))
        ):
            return f"it is {state} at the gateway, and nobody was told"
        return ""

"""Faults put back into the product, one at a time: what the walk must find. Each takes one rule of an item's life away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pkgutil import resolve_name
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from tests.receiver.lives.variants import InOneTransaction

__all__ = ["PLANTED", "Fault", "planted"]

_RECEIVER: Final = "paywright_receiver"


class Fault(NamedTuple):
    """What takes the place of what, and the walk that finds it: its start, of `walk.STARTS`, its depth, and its world.

    A replacement is given the original, and returns what is put in its place.
    """

    at: Mapping[str, Callable[[Any], Any]]
    start: str
    depth: int = 2
    world: Mapping[str, Any] = {}


def _remembers(kept: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """Have an item's memory be judged without some of its lines."""
    return lambda original: lambda request, memory: original(request, [one for one in memory if kept(one)])


def _one_notice(original: Any) -> Any:
    """Have a later notice take the place of all before it."""

    def read(text: str) -> Any:
        found = original(text)
        notices = [one for one in found if one.answered == "no"]
        return tuple(one for one in found if one not in notices[:-1])

    return read


def _committed(original: Any) -> Any:
    """Have a record be on disk before what its handler writes."""

    def claimed(self: Any, db: Any, *given: Any, **named: Any) -> Any:
        found = original(self, db, *given, **named)
        db.connection.commit()
        db.execute("BEGIN IMMEDIATE")
        return found

    return claimed


def _nothing(original: Any) -> Any:
    return lambda *given, **named: None


PLANTED: Final = {
    "a closed item stays closed when it is placed": Fault(
        {f"{_RECEIVER}.items.follow_state.FollowState.open_again": _nothing}, "not placed, and closed"
    ),
    "the reference is not compared": Fault(
        {
            "paywright_runtime.contract.same_content._differs": lambda original: (
                lambda shown, *given: shown.asked != "reference" and original(shown, *given)
            )
        },
        "nothing",
        world={"theirs": True},
    ),
    "only what had its effect counts": Fault(
        {f"{_RECEIVER}.items.delivery_verdict.supersedes": _remembers(lambda one: one.had)}, "contradicted"
    ),
    "a later notice erases an earlier one": Fault(
        {f"{_RECEIVER}.ledgers.sql.{one}.read": _one_notice for one in ("sql_open_items", "delivery_claims")}, "noted"
    ),
    "a hint is forgotten": Fault({f"{_RECEIVER}.items.follow_state.FollowState._notices_at": _nothing}, "paid"),
    "a follower without a receiver ends an item for all": Fault(
        {
            f"{_RECEIVER}.following.core.FollowerCore.is_done": lambda original: (
                lambda self, kind: self.receiver is None or original(self, kind)
            )
        },
        "placed",
    ),
    "what a person has decided is forgotten": Fault(
        {
            f"{_RECEIVER}.items.delivery_verdict.supersedes": _remembers(
                lambda one: one.source not in ("kept", "decided", "discarded")
            )
        },
        "contradicted",
    ),
    "not there is carried to another address": Fault(
        {f"{_RECEIVER}.items.follow_state.FollowState.begin_anew": _nothing}, "absent, at another address"
    ),
    "a record is on disk before its effect": Fault(
        {f"{_RECEIVER}.ledgers.sql.delivery_claims.SqlClaim._claimed": _committed},
        "placed",
        world={"of": InOneTransaction},
    ),
    "a permission outlives the closing of its item": Fault(
        {f"{_RECEIVER}.following.core.FollowerCore._use": lambda original: lambda self, *given: ""}, "permitted"
    ),
}


@contextmanager
def planted(name: str) -> Iterator[Fault]:
    """Plant a fault while the block runs."""
    fault = PLANTED[name]
    with ExitStack() as stack:
        for target, change in fault.at.items():
            stack.enter_context(patch(target, change(resolve_name(target))))
        yield fault

"""Open the ledger and the follower for the commands of `paywright follow`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from paywright_cli.common.loading import ledger_of
from paywright_cli.common.terminal import Failed

if TYPE_CHECKING:
    from paywright import Client
    from paywright_receiver import Follower
    from paywright_receiver.items.book import Item
    from paywright_receiver.ledgers.sql.sql_book import SqlBook

OPTION: Final = "--receiver"


def book_of(args: argparse.Namespace, *, whole: bool = False) -> SqlBook:
    """Return the items of the ledger that the arguments name; with `whole` check the whole ledger first.

    Raises `Usage`, or `LedgerProblem` if there is no ledger, or if it is damaged.
    """
    ledger, _ = ledger_of(args, OPTION)
    if whole:
        ledger.check_whole()
    return ledger.book


@contextmanager
def opened(args: argparse.Namespace) -> Iterator[tuple[Client, Follower]]:
    """Open the follower of the merchant in the settings, over an existing ledger.

    Raises `Usage`, `ConfigurationError` or `InvalidArgument` for settings that do not fit together, and `LedgerProblem` for a
    ledger that cannot be used or does not exist.
    """
    from paywright import Client
    from paywright_cli.common.loading import environment
    from paywright_receiver import Follower

    ledger, receiver = ledger_of(args, OPTION)
    with Client.from_env(environment(args.env)) as client:
        follower = Follower(client, ledger, receiver=receiver, book_only=getattr(args, "book_only", False))
        follower.counts()  # reading makes no tables, so that a wrong name of a schema is no new ledger
        yield client, follower


def known(follower: Follower, kind: str, key: str) -> Item:
    """Return an item. Raises `Failed` for an unknown item, and `InvalidArgument` for a kind that is not followed."""
    item = follower.get(kind, key)
    if item is None:
        raise Failed(f"there is no {kind} {key!r}; `paywright follow list --status all` shows all items")
    return item


def registered(item: Item) -> tuple[str | None, str | None]:
    """Return the registered amount and currency of an item; None for one that was not given."""
    import json

    from paywright.contract import CONTRACT

    following = CONTRACT.following(item.id.kind)
    write = None if following.write is None else CONTRACT.operation(following.write)
    content = json.loads(item.content).get("content", {})
    asked = {} if write is None else {shown.answered: content.get(shown.asked) for shown in write.shows}
    amount = asked.get(following.amount or "")
    return amount and re.sub(r"\.\d$", r"\g<0>0", amount), asked.get(following.currency or "")


def amount_of(item: Item) -> str:
    """Return amount and currency in words: the gateway's, or else the registered ones."""
    if item.amount is not None:
        return item.amount if item.currency is None else f"{item.amount} {item.currency}"
    amount, currency = registered(item)
    return "amount not shown" if amount is None else f"{amount} {currency or ''} registered".replace("  ", " ")

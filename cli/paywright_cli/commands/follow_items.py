"""`paywright follow list`, `report`, `open`, `hint`, `move`, `close` and `redeliver`."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from paywright import Client, Follow
from paywright.contract import CONTRACT
from paywright_cli.commands.item_view import amount_of, row_of_item, show_item
from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.loading import environment, ledger_of
from paywright_cli.common.options import members
from paywright_cli.common.terminal import Failed, Usage, complain, paint, say, say_json
from paywright_receiver import Follower
from paywright_receiver.items.open_items import Item
from paywright_receiver.items.state_memory import effect_of
from paywright_receiver.ledgers.sql.sql_open_items import SqlBook
from paywright_runtime.error_text import advised
from paywright_runtime.errors import InvalidArgument, LedgerProblem, PaywrightError

# The follower, and what is known of an item


@contextmanager
def opened(args: argparse.Namespace) -> Iterator[tuple[Client, Follower]]:
    """Open the follower of the merchant in the settings, over an existing ledger.

    Raises `Usage`, `ConfigurationError` or `InvalidArgument` for settings that do not fit together, and `LedgerProblem` for a
    ledger that cannot be used or does not exist.
    """
    ledger, receiver = ledger_of(args)
    with Client.from_env(environment(args.env)) as client:
        follower = Follower(client, ledger, receiver=receiver, book_only=getattr(args, "book_only", False))
        follower.counts()  # reading makes no tables, so that a wrong name of a schema is no new ledger
        yield client, follower


def known(follower: Follower, kind: str, key: str) -> Item:
    """Return an item. Raises `Failed` for an unknown item, and `InvalidArgument` for a kind that is not followed."""
    item = follower.get(kind, key)
    if item is None:
        raise Failed(f"{kind} {key!r} is not registered; `paywright follow list --status all` shows all items")
    return item


# Reading


def list_items(args: argparse.Namespace) -> None:
    """List items."""
    found: list[Item] = []
    more = False
    for item in _chosen(ledger_of(args)[0].book, args):
        if more := len(found) == args.most:
            break
        found.append(item)
    now = datetime.now(UTC)
    if args.format == "json":
        say_json([row_of_item(item, now) for item in found], indent=2)
        return
    for item in found:
        show_item(item, now)
    if more or not found:
        say("more are there: --most N lists more" if more else "nothing")


def _chosen(book: SqlBook, args: argparse.Namespace) -> Iterator[Item]:
    if args.kind is not None:
        CONTRACT.following(args.kind)  # refuses in words what is not followed
    _check_app_id(book, args.app_id)
    for item in book.open_items() if args.status == "open" else book.items():
        chosen = args.status in ("all", item.status) and args.kind in (None, item.id.kind)
        if chosen and args.app_id in (None, item.id.app_id):
            yield item


def report(args: argparse.Namespace) -> int:
    """Report items that are open for too long. Exit code 1 if they are more than allowed."""
    now = datetime.now(UTC)
    listed: list[Item] = []
    steps, places = Counter[str](), Counter[str]()
    try:
        ledger, _ = ledger_of(args)
        ledger.check_whole()
        _check_app_id(ledger.book, args.app_id)
        for item in ledger.book.open_items(before=now - args.older):
            if args.app_id in (None, item.id.app_id):
                steps[item.step] += 1
                places[item.address] += 1
                listed += [item] if len(listed) < args.most else []
    except LedgerProblem as problem:
        complain(str(problem))
        return Exit.UNJUDGED
    count = steps.total()
    above = count > args.at_most
    if args.format == "json":
        said = {
            "at": now.isoformat(),
            "olderSeconds": int(args.older.total_seconds()),
            "open": count,
            "atMost": args.at_most,
        }
        rows = [row_of_item(item, now) for item in listed]
        say_json({**said, "steps": steps, "addresses": places, "items": rows}, indent=2)
        return Exit.NO if above else Exit.OK
    for item in listed:
        show_item(item, now)
    if count > len(listed):
        say(f"{count - len(listed)} more: --most N lists more")
    if len(places) > 1:
        parts = ", ".join(f"{number} at {place}" for place, number in sorted(places.items()))
        say(f"{parts}: only a run with that address asks about them; or move them here with `paywright follow move`")
    word = paint("above", "red") if above else paint("ok", "green")
    by_step = f" ({', '.join(f'{number} {step}' for step, number in sorted(steps.items()))})" if steps else ""
    say(f"{word}  {count} open for {args.older} or longer, at most {args.at_most}{by_step}")
    return Exit.NO if above else Exit.OK


def _check_app_id(book: SqlBook, app_id: str | None) -> None:
    """Raise `Failed` for a merchant app without items: its report would always be fine."""
    if app_id is not None and not book.has_merchant(app_id):
        raise Failed(f"there are no items of the merchant app {app_id!r}: leave --app-id out to see all items")


# Changing


def open_item(args: argparse.Namespace) -> None:
    """Register an item."""
    with opened(args) as (_, follower):
        write = CONTRACT.following(args.kind).write
        numbers = {one.asked for one in CONTRACT.operation(write).shows if one.number} if write is not None else set()
        content = members(args.content, numbers)
        follow = Follow(args.kind, args.key, content=content, expires_at=args.expires, unknown=args.unknown)
        if args.correct:
            word = "corrected" if follower.correct(follow) else "correct already"
        else:
            word = "opened" if follower.open(None, follow) else "open already"
        item = known(follower, args.kind, args.key)
    when = "not asked about" if item.due_at is None else f"asked about at {item.due_at.isoformat(timespec='seconds')}"
    say(f"{word}  {args.kind} {item.key}  It is {when}.")


def hint(args: argparse.Namespace) -> None:
    """Schedule an inquiry for the next run."""
    with opened(args) as (_, follower):
        item = known(follower, args.kind, args.key)
        if not follower.hint(args.kind, args.key, settled=args.settled):
            if item.status != "settled":
                raise Failed(f"{args.kind} {item.key!r} is not asked about: no query shows it")
            raise Failed(f"{args.kind} {item.key!r} is settled: it is not asked about. With --settled it is, once")
    say(f"noted  {args.kind} {item.key}  The next run asks about it.")


def move(args: argparse.Namespace) -> int:
    """Move items from another address to this one: those that wait there, and those that are named."""
    moved, left = 0, 0
    with opened(args) as (client, follower):
        owner = client.context.owner
        named = {one.id for kind in CONTRACT.followed() for key in args.as_is if (one := follower.get(kind, key))}
        waits = (one for one in follower.items() if one.status == "open" or one.due_at is not None or one.id in named)
        mine = [one for one in waits if one.id.app_id in owner.merchant.values() and one.address != owner.address]
        for item in mine:
            what = f"{item.id.kind} {item.key}"
            why = f"{owner.address} does not show it as it was registered; if you know that it is there: --as-is {item.key}"
            try:
                done = follower.move(item.id.kind, item.key, as_is=item.id in named)
            except PaywrightError as error:
                done, why = False, str(error)
            moved, left = moved + done, left + (not done)
            word, tail = (paint("moved", "green"), f"from {item.address}") if done else (paint("left ", "red"), why)
            say(f"{word}  {what}  {tail}")
    say(f"{moved} moved to {owner.address}, {left} left" if moved or left else "nothing waits at another address")
    return Exit.NO if left else Exit.OK


def close(args: argparse.Namespace) -> None:
    """Stop following an item."""
    with opened(args) as (_, follower):
        item = known(follower, args.kind, args.key)
        if not follower.close(args.kind, args.key, args.why, state=args.state):
            raise Failed(f"{args.kind} {item.key!r} is closed already: {item.why}")
    money = "If it moved money, record that by hand, and say so with --state."
    if args.state is not None:
        money = f"A webhook or an answer with {args.state} has no effect any more."
    say(f"closed  {args.kind} {item.key}  No handler was called. {advised('closed')}. {money}")


def redeliver(args: argparse.Namespace) -> int:
    """Call the handlers again with what is known of one item, or of all that were handled since a time."""
    if args.receiver is None:
        raise Usage("name --receiver MODULE:RECEIVER, whose handlers are called")
    since = args.since
    if (args.key is None) == (since is None) or (args.kind is None) != (args.key is None):
        raise Usage("name KIND and KEY, or --since TIME")
    with opened(args) as (client, follower):
        if since is None:
            return Exit.OK if _redelivered(follower, known(follower, args.kind, args.key)) else Exit.NO
        app_id = next(iter(client.context.owner.merchant.values()))
        all_since = follower.handled(since, datetime.max.replace(tzinfo=UTC))
        mine = [one for one in all_since if one.id.app_id == app_id]
        found = [one for one in mine if one.effect is not None or one.status == "settled"]
        if args.confirm != len(found):
            for item in found:
                at, last = item.handled_at, effect_of(item.signed)
                when = "no handler" if at is None else f"handled {at.isoformat(timespec='seconds')}"
                when = when if last is None or last.source == "handled" else "booked by hand"
                say(f"{item.effect or item.state}  {item.id.kind} {item.key}  {amount_of(item)}  {when}")
            if found:
                count = "1 result" if len(found) == 1 else f"{len(found)} results"
                say(f"{count}. No handler was called. To call the handlers: --confirm {len(found)}")
            else:
                say("nothing was handled since then: there is nothing to call a handler with")
            return Exit.OK if args.confirm is None else Exit.NO
        done = sum(_redelivered(follower, item) for item in found)
    say(f"{done} handled again, {len(found) - done} not")
    return Exit.OK if done == len(found) else Exit.NO


def _redelivered(follower: Follower, item: Item) -> bool:
    """Call the handler of an item again, and return whether it returned."""
    what = f"{item.id.kind} {item.key}"
    try:
        reply = follower.redeliver(item.id.kind, item.key)
    except InvalidArgument as refused:
        say(f"{paint('refused', 'red')}  {what}  {refused}")
        return False
    done = reply.outcome == "handled"
    state = item.effect or item.state
    say(f"{paint(reply.outcome, 'green' if done else 'red')}  {what}  {state if done else reply.why}")
    return done

"""`paywright follow list`, `report`, `open`, `hint`, `move`, `close` and `redeliver`."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from paywright_cli.commands.follow.opening import OPTION, amount_of, book_of, known, opened, registered
from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.options import members
from paywright_cli.common.terminal import Failed, Usage, complain, paint, say, say_json
from paywright_runtime.error_text import ADVICE

if TYPE_CHECKING:
    from paywright_receiver import Follower
    from paywright_receiver.items.book import Item
    from paywright_receiver.ledgers.sql.sql_book import SqlBook

_COLOURS: Final = {"settled": "green", "closed": "dim", "untold": "red", "decide": "red", "place_again": "red"}


# Reading


def list_items(args: argparse.Namespace) -> int:
    """List items."""
    found: list[Item] = []
    more = False
    for item in _chosen(book_of(args), args):
        if len(found) == args.most:
            more = True
            break
        found.append(item)
    now = datetime.now(UTC)
    if args.format == "json":
        import json

        say_json(json.dumps([row_of_item(item, now) for item in found], indent=2))
        return Exit.OK
    for item in found:
        show_item(item, now)
    if more:
        say("more are there: --most N lists more")
    if not found:
        say("nothing")
    return Exit.OK


def _chosen(book: SqlBook, args: argparse.Namespace) -> Iterator[Item]:
    from paywright.contract import CONTRACT

    if args.kind is not None:
        CONTRACT.following(args.kind)  # refuses in words what is not followed
    _check_app_id(book, args.app_id)
    for item in book.open_items() if args.status == "open" else book.items():
        wanted = (
            args.status in ("all", item.status),
            args.kind in (None, item.id.kind),
            args.app_id in (None, item.id.app_id),
        )
        if all(wanted):
            yield item


def report(args: argparse.Namespace) -> int:
    """Report items that are open for too long. Exit code 1 if they are more than allowed."""
    from paywright_runtime.errors import LedgerProblem

    now = datetime.now(UTC)
    listed: list[Item] = []
    steps: Counter[str] = Counter()
    places: Counter[str] = Counter()
    try:
        book = book_of(args, whole=True)
        _check_app_id(book, args.app_id)
        for item in book.open_items(before=now - args.older):
            if args.app_id in (None, item.id.app_id):
                steps[item.step] += 1
                places[item.address] += 1
                if len(listed) < args.most:
                    listed.append(item)
    except LedgerProblem as problem:
        complain(str(problem))
        return Exit.UNJUDGED
    count = steps.total()
    above = count > args.at_most
    if args.format == "json":
        import json

        found = {
            "at": now.isoformat(),
            "olderSeconds": int(args.older.total_seconds()),
            "open": count,
            "atMost": args.at_most,
        }
        say_json(
            json.dumps(
                {**found, "steps": steps, "addresses": places, "items": [row_of_item(item, now) for item in listed]},
                indent=2,
            )
        )
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


def show_item(item: Item, now: datetime) -> None:
    """Print an item: its state, since when, why, and its next step."""
    word = item.step if item.status == "open" else item.status
    state = item.state or "no state shown"
    since = item.opened_at.isoformat(timespec="seconds")
    say(
        f"{paint(f'{word:<11}', _COLOURS.get(word, 'yellow'))} {item.id.kind} {item.key}  {state}  "
        f"{amount_of(item)}  since {since}  at {item.address}"
    )
    say(f"            {item.why}")
    if item.status != "settled" or item.step == "untold":
        say(f"            next: {_next(item, now)}")


def _next(item: Item, now: datetime) -> str:
    """Describe the next step of an item that is not done."""
    if item.status == "closed" or item.step == "untold":
        return ADVICE["closed" if item.status == "closed" else "untold"]
    due = None if item.due_at is None else item.due_at.isoformat(timespec="seconds")
    late = item.due_at is not None and item.due_at <= now
    asked = "nothing more is asked" if due is None else f"{'due since' if late else 'asked about at'} {due}"
    if item.step == "place_again":
        return f"{ADVICE['place_again']}; {asked}"
    if item.step == "untold":
        return f"{ADVICE['untold']}: paywright follow run --receiver MODULE:RECEIVER"
    if item.step == "decide" or due is None:
        return f"a person decides, as the reason says; {asked}"
    if not late:
        return asked
    return f"{asked}; if this stays so, no `paywright follow run` is running for {item.id.app_id} at {item.address}"


def row_of_item(item: Item, now: datetime) -> dict[str, object]:
    """Return an item for JSON."""
    return {
        "appId": item.id.app_id,
        "kind": item.id.kind,
        "key": item.key,
        "address": item.address,
        "status": item.status,
        "step": item.step,
        "state": item.state,
        "settledState": item.settled_state,
        "effect": item.effect,
        "effectAt": None if item.effect_at is None else item.effect_at.isoformat(),
        "paid": item.paid,
        "amount": item.amount,
        "currency": item.currency,
        "registered": dict(zip(("amount", "currency"), registered(item), strict=True)),
        "openedAt": item.opened_at.isoformat(),
        "changedAt": item.changed_at.isoformat(),
        "settledAt": None if item.settled_at is None else item.settled_at.isoformat(),
        "dueAt": None if item.due_at is None else item.due_at.isoformat(),
        "asked": item.asked,
        "why": item.why,
        "next": _next(item, now) if item.status == "open" else None,
    }


# Changing


def open_item(args: argparse.Namespace) -> int:
    """Register an item."""
    from paywright import Follow

    with opened(args) as (_, follower):
        content = _content(args.kind, args.content)
        expires_at = _time("--expires", args.expires)
        new = follower.open(
            None, Follow(args.kind, args.key, content=content, expires_at=expires_at, unknown=args.unknown)
        )
        item = known(follower, args.kind, args.key)
    word = "opened" if new else "open already"
    asked = (
        "is not asked about"
        if item.due_at is None
        else f"is asked about at {item.due_at.isoformat(timespec='seconds')}"
    )
    say(f"{word}  {args.kind} {item.key}  It {asked}.")
    return Exit.OK


def _content(kind: str, words: list[str]) -> dict[str, object]:
    """Return the content of a write from words such as totalAmount=10.50. Raises `Usage`."""
    from paywright.contract import CONTRACT

    write = CONTRACT.following(kind).write
    numbers = {one.asked for one in CONTRACT.operation(write).shows if one.number} if write is not None else set()
    return members(words, numbers)


def _time(option: str, text: str | None) -> datetime | None:
    try:
        found = None if text is None else datetime.fromisoformat(text)
    except ValueError:
        found = None
    if text is not None and (found is None or found.utcoffset() is None):
        raise Usage(f"{option} is a time with its offset, such as 2026-11-22T12:00:00+00:00")
    return found


def hint(args: argparse.Namespace) -> int:
    """Schedule an inquiry for the next run."""
    with opened(args) as (_, follower):
        item = known(follower, args.kind, args.key)
        if not follower.hint(args.kind, args.key, settled=args.settled):
            complain(f"{args.kind} {item.key!r} is settled: it is not asked about. With --settled it is, once")
            return Exit.NO
    say(f"noted  {args.kind} {item.key}  The next run asks about it.")
    return Exit.OK


def move(args: argparse.Namespace) -> int:
    """Move open items from another address to this one."""
    from paywright_runtime.errors import PaywrightError

    moved, left = 0, 0
    with opened(args) as (client, follower):
        owner = client.context.owner
        waits = (one for one in follower.items() if one.status == "open" or one.due_at is not None)
        mine = [one for one in waits if one.id.app_id in owner.merchant.values() and one.address != owner.address]
        for item in mine:
            what = f"{item.id.kind} {item.key}"
            why = f"{owner.address} does not show it as it was registered; if you know that it is there: --as-is {item.key}"
            try:
                as_is = item.id in (one.id for key in args.as_is if (one := follower.get(item.id.kind, key)))
                done = follower.move(item.id.kind, item.key, as_is=as_is)
            except PaywrightError as error:
                done, why = False, str(error)
            moved, left = moved + done, left + (not done)
            say(
                f"{paint('moved', 'green')}  {what}  from {item.address}"
                if done
                else f"{paint('left', 'red')}   {what}  {why}"
            )
    say(f"{moved} moved to {owner.address}, {left} left" if moved or left else "nothing waits at another address")
    return Exit.NO if left else Exit.OK


def close(args: argparse.Namespace) -> int:
    """Stop following an item."""
    with opened(args) as (_, follower):
        item = known(follower, args.kind, args.key)
        if not follower.close(args.kind, args.key, args.why, state=args.state):
            complain(f"{args.kind} {item.key!r} is closed already: {item.why}")
            return Exit.NO
    say(
        f"closed  {args.kind} {item.key}  It is asked about once more, a day from now, and no handler was called. If it moved "
        "money, record that by hand, and say so with --state."
    )
    return Exit.OK


def redeliver(args: argparse.Namespace) -> int:
    """Call the handlers again with what is known of one item, or of all that were handled since a time."""
    if args.app is None:
        raise Usage(f"name {OPTION} MODULE:RECEIVER, whose handlers are called")
    since = _time("--since", args.since)
    if (args.key is None) == (since is None) or (args.kind is None) != (args.key is None):
        raise Usage("name KIND and KEY, or --since TIME")
    with opened(args) as (client, follower):
        if since is None:
            return Exit.OK if _redelivered(follower, known(follower, args.kind, args.key)) else Exit.NO
        app_id = next(iter(client.context.owner.merchant.values()))
        found = [
            one
            for one in follower.handled(since, datetime.max.replace(tzinfo=UTC))
            if one.id.app_id == app_id and (one.effect is not None or one.status == "settled")
        ]
        if args.confirm != len(found):
            for item in found:
                when = (
                    "no handler"
                    if item.handled_at is None
                    else f"handled {item.handled_at.isoformat(timespec='seconds')}"
                )
                say(f"{item.effect or item.state}  {item.id.kind} {item.key}  {amount_of(item)}  {when}")
            say(
                f"{len(found)} results. No handler was called. To have them called with all of these: --confirm {len(found)}"
            )
            return Exit.OK if args.confirm is None else Exit.NO
        done = sum(_redelivered(follower, item) for item in found)
    say(f"{done} handled again, {len(found) - done} not")
    return Exit.OK if done == len(found) else Exit.NO


def _redelivered(follower: Follower, item: Item) -> bool:
    """Call the handler of an item again, and return whether it returned."""
    from paywright_runtime.errors import InvalidArgument

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

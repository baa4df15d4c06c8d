"""`paywright follow statement`: what a day amounts to, and how a table of the merchant's own differs from it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from paywright_cli.commands.follow.items import UNREADABLE
from paywright_cli.commands.follow.opening import amount_of, book_of
from paywright_cli.common.terminal import Exit, Usage, complain, paint, say
from paywright_runtime.redaction import visible

if TYPE_CHECKING:
    from paywright_receiver import DayChange, DayLine, DayStatement, Difference
    from paywright_runtime.webhooks.book import Book

__all__ = ["day", "offset", "statement"]

_NO_FILE: Final = (
    "The gateway shows no settlement file. These sums are of what its inquiries and notifications showed, before fees; compare them "
    "with what your bank received."
)


def day(text: str) -> date:
    """Return the day that an argument names. Raises `ArgumentTypeError`."""
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError("a day is written as 2026-11-22")


def offset(text: str) -> timedelta:
    """Return the offset from UTC that an argument names: Z or +07:00. Raises `ArgumentTypeError`."""
    found = re.fullmatch(r"([+-])([01]\d|2[0-3]):([0-5]\d)", text, re.ASCII)
    if text == "Z":
        return timedelta(0)
    if found is None:
        raise argparse.ArgumentTypeError(
            "an offset from UTC is written as --offset=+07:00 or --offset=-03:30, and UTC as Z"
        )
    away = timedelta(hours=int(found[2]), minutes=int(found[3]))
    return -away if found[1] == "-" else away


def statement(args: argparse.Namespace) -> int:
    """Print the statement of a day, and the differences from a table."""
    from paywright_receiver import day_statement
    from paywright_runtime.errors import LedgerProblem

    table: Path | None = args.compare
    if table is not None and args.app_id is None:
        raise Usage("--compare needs --app-id: the merchant app to which the table belongs")
    try:
        book = book_of(args)
        made = day_statement(book, args.day, offset=args.offset, app_id=args.app_id)
        found = None if table is None else _differences(book, made, table, args)
    except LedgerProblem as problem:
        complain(str(problem))
        return UNREADABLE
    if args.format == "json":
        import json

        say(json.dumps(_json(made, found), indent=2))
    else:
        _print(made, args.day)
        if found is not None and table is not None:
            _print_differences(found, table.name)
    return Exit.NO if found else Exit.OK


def _differences(book: Book, made: DayStatement, path: Path, args: argparse.Namespace) -> list[Difference]:
    from paywright_receiver import differences, read_table

    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = read_table(lines, kind=args.kind)
            return list(
                differences(
                    book,
                    rows,
                    app_id=args.app_id,
                    since=made.since,
                    until=made.until,
                    kinds=(args.kind,),
                    source=path.name,
                )
            )
    except UnicodeDecodeError:
        raise Usage(f"{path}: it is not UTF-8; nothing was compared") from None


def call(operation: str, arguments: object) -> str:
    """Return the command that shows what the gateway says."""
    import json
    import shlex

    text = json.dumps(arguments)
    program = "printf %s" if "\\" in text else "echo"  # which some shells let change backslashes
    return f"{program} {shlex.quote(text)} | paywright call {operation}"


# Text


def _print(made: DayStatement, of: date) -> None:
    name = made.since.tzname() or "UTC"
    running = "" if made.complete else "; the day is not over"
    say(f"{of.isoformat()} in {name}: from {_at(made.since)} until before {_at(made.until)}{running}")
    several = len({(line.app_id, line.address) for line in (*made.settled, *made.unsettled)}) > 1
    _print_lines("settled on this day", made.settled, several=several)
    _print_changes("changed after this day", made.changed)
    _print_changes("settled before, changed on this day", made.earlier)
    _print_lines("not settled at the end of this day", made.unsettled, several=several)
    if made.disputed:
        say("in dispute: settled, and the gateway has shown something else since")
        for item in made.disputed:
            say(f"  {item.id.kind} {visible(item.key)}  {visible(item.state or '')}  {visible(item.why)}")
    say(_NO_FILE)


def _print_lines(title: str, lines: Iterable[DayLine], *, several: bool) -> None:
    say(title)
    none = True
    for line in lines:
        none = False
        state = visible(line.state or "no state shown")
        money = {True: "paid", False: "not paid", None: "not known"}[line.paid]
        word = f"{state}, closed by hand" if line.status == "closed" else state
        total = (
            f"{line.total:f} {visible(line.currency or '(no currency shown)')}"
            if line.items > line.without_amount
            else "-"
        )
        without = f"  ({line.without_amount} without amount)" if line.without_amount else ""
        whose = f"  {visible(line.app_id)} at {visible(line.address)}" if several else ""
        say(f"  {line.kind:<14} {word:<18} {money:<9} {line.items:>7}  {total:>20}{without}{whose}")
    if none:
        say("  nothing")


def _print_changes(title: str, changes: Iterable[DayChange]) -> None:
    for number, one in enumerate(changes):
        if not number:
            say(title)
        name = f"  {one.item.id.kind} {visible(one.item.key)}  {visible(amount_of(one.item))}  "
        if one.refund is None:
            what = f"{visible(one.was or '')} -> {visible(one.now or '')}"
        else:
            what = f"refunded {visible(amount_of(one.refund))} by {visible(one.refund.key)}"
        say(f"{name}{what}  at {_at(one.at)}")


def _print_differences(found: list[Difference], name: str) -> None:
    for one in found:
        say(f"{paint(one.what, 'red')}  {one.kind} {visible(one.key)}  {visible(one.why)}")
        say(f"            {visible(call(one.query, one.arguments))}")
    number = "no difference" if not found else "1 difference" if len(found) == 1 else f"{len(found)} differences"
    say(f"{number} between {visible(name)} and what the gateway has shown")


def _at(time: datetime) -> str:
    return time.isoformat(timespec="seconds")


# JSON


def _json(made: DayStatement, found: list[Difference] | None) -> dict[str, object]:
    members: dict[str, object] = {
        "since": made.since.isoformat(),
        "until": made.until.isoformat(),
        "complete": made.complete,
        "settled": [_line(line) for line in made.settled],
        "changed": [_change(one) for one in made.changed],
        "earlier": [_change(one) for one in made.earlier],
        "unsettled": [_line(line) for line in made.unsettled],
        "disputed": [
            {"kind": item.id.kind, "key": item.key, "state": item.state, "why": item.why} for item in made.disputed
        ],
    }
    if found is not None:
        members["differences"] = [
            {**one._asdict(), "arguments": dict(one.arguments), "call": call(one.query, one.arguments)} for one in found
        ]
    return members


def _line(line: DayLine) -> dict[str, object]:
    return {
        "appId": line.app_id,
        "address": line.address,
        "kind": line.kind,
        "status": line.status,
        "state": line.state,
        "paid": line.paid,
        "currency": line.currency,
        "items": line.items,
        "total": format(line.total, "f"),
        "withoutAmount": line.without_amount,
    }


def _change(one: DayChange) -> dict[str, object]:
    return {
        "kind": one.item.id.kind,
        "key": one.item.key,
        "amount": one.item.amount,
        "currency": one.item.currency,
        "was": one.was,
        "now": one.now,
        "at": one.at.isoformat(),
        "refund": None if one.refund is None else one.refund.key,
        "refunded": None if one.refund is None else one.refund.amount,
    }

"""`paywright show`: what the ledger and the follower know of a number, and what the gateway says of it, in order of time.

`item_view.next_step` says what is next for an item; the commands to run are made here.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from shlex import quote
from typing import Final, NamedTuple

from paywright import Client
from paywright.contract import CONTRACT
from paywright_cli.commands.item_view import amount_of, row_of_item, show_item
from paywright_cli.commands.notifications import named_record, records_of, row_of, times
from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.loading import environment, ledger_of, named
from paywright_cli.common.options import add_format, add_ledger
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Failed, Usage, say, say_bytes, say_json
from paywright_receiver.items.item_reader import ItemReader
from paywright_receiver.items.ledger import Entry
from paywright_receiver.items.open_items import Item, ItemId
from paywright_receiver.items.times import at_micros
from paywright_runtime.contract.value_checks import within
from paywright_runtime.errors import GatewayError, PaywrightError
from paywright_sandbox.pages.message_view import laid_out

_EXAMPLES: Final = """\
examples:
  paywright show ORD_1 --ledger shop.db                          your number, in any letters
  paywright show ORD_1 --receiver shop.payments:receiver --ask   also what the gateway says now
  paywright show app_1/RECEIVE/R20250601/SETTLED --ledger shop.db    one webhook, with its body if that is still kept

What to do next is a command that runs as it is printed, once MODULE:RECEIVER is yours. Bodies are shown without credentials, card
numbers and personal data. The ledger is only read; --ask calls the gateway with the PAYWRIGHT_* settings (--env FILE reads more of
them), and changes nothing.

exit codes: 0 found, 1 nothing is known of it, or the gateway gave no verified answer, 2 usage, settings or keys
"""
_SOURCES: Final = {
    "hint": "you said: ask soon",
    "noted": "a webhook says so, and the gateway is to be asked",
    "kept": "a webhook says so, and is kept",
    "shown": "the gateway's answer shows it",
    "stale": "a webhook says so, behind a newer one",
    "handled": "your handler was called, and returned",
    "booked": "booked by hand",
    "discarded": "the webhook was discarded by hand",
    "replayed": "the webhook was replayed, under another key or to have this asked about",
    "decided": "it contradicts, and was decided",
    "other": "a webhook with other content",
}
_WAITING: Final = ("failed", "unhandled", "unreadable")


class _Row(NamedTuple):
    at: datetime
    who: str
    about: str
    what: str


def fill(parser: Parser) -> None:
    """Add what `show` takes."""
    parser.description = (
        "Show what ledger, follower and gateway know of a number, in order of time, and what to do next."
    )
    parser.epilog = _EXAMPLES
    parser.takes("KEY", "your own number, or the key of a webhook")
    parser.takes("--ask", "ask the gateway too")
    parser.takes("--digest HEX", "of a webhook's records the one with this content")
    parser.takes("--raw", "print only the body of a webhook, byte for byte")
    parser.takes("--people", "do not hide personal data in the body")
    add_format(parser)
    add_ledger(parser)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    ledger, _ = ledger_of(args)
    whole = "/" in args.key
    if (args.raw or args.digest) and not whole:
        raise Usage(f"--raw and --digest go with the key of a webhook, which `paywright show {quote(args.key)}` lists")
    records = records_of(ledger, args.key, args.digest) if whole else list(ledger.list(key=args.key, most=1_000))
    body = ledger.body(records[0].key, None if args.digest is None else records[0].digest) if whole else None
    if args.raw:
        if body is None:
            raise Failed(f"the body of {args.key} is no longer kept")
        say_bytes(body)
        return Exit.OK
    number = records[0].key.split("/")[2:3] if whole else [args.key]
    items = [item for one in number for item in ledger.book.numbered(one.replace("%2F", "/").replace("%25", "%"))]
    rows = [row for item in items for row in _of_item(item)] + [row for entry in records for row in _of_record(entry)]
    said, place = _asked(args, "".join(number), items) if args.ask else ([], ())
    found = [there for _, there in said]
    if not items and any(found):  # of another kind there is nothing of this number
        said = [(row, there) for row, there in said if there]
    rows = sorted([*rows, *(row for row, _ in said)], key=lambda row: row.at)
    known = [item for item in items if item.status in ("open", "settled", "closed")]
    shown = {row.about for row, shows in said if shows}
    there = {item.id for item in known if _named(item) in shown and (item.id.app_id, item.address) == place}
    do = list(_commands(args, known, records, there))
    now = datetime.now(UTC)
    if args.format == "json":
        timeline = [{**row._asdict(), "at": row.at.isoformat()} for row in rows]
        rows_of = {
            "items": [row_of_item(item, now, shown=item.id in there) for item in known],
            "notifications": [row_of(entry) for entry in records],
        }
        say_json({"key": args.key, "timeline": timeline, **rows_of, "do": do}, indent=2)
    elif rows:
        about = max(len(row.about) for row in rows)
        say(
            *(f"{row.at.isoformat(timespec='seconds')}  {row.who:<8}  {row.about:<{about}}  {row.what}" for row in rows)
        )
        for item in known:
            say()
            show_item(item, now, shown=item.id in there)
        for one in do:
            say(f"do: {one}")
        if whole:
            kept = "The body is no longer kept." if body is None else laid_out(body, people=args.people)
            say("", *kept.split("\n"))
    if not (items or records or any(found)):
        asked = "" if args.ask else "; --ask asks the gateway"
        raise Failed(f"nothing here is about {args.key}: nobody registered it, and no webhook about it is kept{asked}")
    return Exit.NO if any(there is None for _, there in said) else Exit.OK


def _of_item(item: Item) -> Iterator[_Row]:
    """Yield what the follower knows, of what was never registered only its memory."""
    about = _named(item)
    for one in item.signed:
        yield _Row(at_micros(one.at), "follower", about, ": ".join(filter(None, (one.state, _SOURCES[one.source]))))
    if item.handled_at is not None:
        state = next((one.state for one in reversed(item.signed) if one.source == "handled"), item.effect)
        yield _Row(item.handled_at, "ledger", about, f"{state}: your handler's effect was committed")
    if item.status not in ("open", "settled", "closed"):
        return
    yield _Row(item.opened_at, "follower", about, f"opened: {amount_of(item)}, at {item.address}")
    if item.settled_at is not None:
        yield _Row(item.settled_at, "follower", about, f"{item.status}: {item.why}")
    if item.due_at is not None:
        often = "once" if item.asked == 1 else f"{item.asked} times"
        yield _Row(item.due_at, "follower", about, f"is asked about ({often} so far)")


def _named(item: Item) -> str:
    return f"{item.id.kind} {item.key or item.id.number}"


def _of_record(entry: Entry) -> Iterator[_Row]:
    about = named_record(entry)
    yield _Row(entry.notify_time, "gateway", about, "said this, in a webhook or an answer")
    if entry.first_at != entry.changed_at:
        yield _Row(entry.first_at, "receiver", about, "first delivered")
    what = ": ".join(filter(None, (f"{entry.status}, {times(entry)}", entry.why)))
    yield _Row(entry.changed_at, "receiver", about, what)


def _asked(
    args: argparse.Namespace, number: str, items: list[Item]
) -> tuple[list[tuple[_Row, bool | None]], tuple[str, str]]:
    """Ask the gateway about the items, or about a number of any kind.

    Return whether each is there, None without an answer; and the merchant and the address that the answers are about.
    """
    kinds = {(item.id.kind, item.key or number) for item in items}
    asked = sorted(kinds) or [(kind, number) for kind in CONTRACT.followed()]
    with Client.from_env(environment(args.env)) as client:
        said = [_answer(client, kind, key) for kind, key in asked if not CONTRACT.following(kind).told]
        owner = client.context.owner
    return said, (next(iter(owner.merchant.values()), ""), owner.address)


def _answer(client: Client, kind: str, key: str) -> tuple[_Row, bool | None]:
    following = CONTRACT.following(kind)
    operation = CONTRACT.operation(following.operation)
    there: bool | None = True
    try:
        answer = client.call_by_name(operation.name, {following.by: key}).answer
        payload = within(answer.body, operation.payload_paths[1])
        seen = ItemReader(CONTRACT, following).read(payload if isinstance(payload, dict) else {})
        state = f"{seen.state or 'no state'}{'' if seen.amount is None else ','}"
        what = " ".join(filter(None, (state, seen.amount, seen.currency)))
    except GatewayError as refused:
        there = False if refused.code in operation.not_found_codes else None
        what = f"{refused.code}: {refused.msg}"
    except PaywrightError as error:
        there, what = None, f"no verified answer: {error}"
    return _Row(datetime.now(UTC), "gateway", f"{kind} {key}", f"says now: {what}"), there


def _commands(args: argparse.Namespace, items: list[Item], records: list[Entry], there: set[ItemId]) -> Iterator[str]:
    """Yield commands for what `next_step` says. `there` has the items that the gateway shows now."""
    ledger = named(args)
    receiver = ledger if args.receiver is not None else "--receiver MODULE:RECEIVER"
    for item in items:
        what = _named(item)
        if item.step == "untold":
            yield f"paywright follow run {receiver}   # it calls your handler"
        elif item.due_at is not None and item.due_at <= datetime.now(UTC):
            yield f"paywright follow run {receiver}   # nobody asks: it is due since {item.due_at.isoformat(timespec='seconds')}"
        elif item.status == "open" and item.due_at is not None and (item.step != "place_again" or item.id in there):
            yield f"paywright follow hint {ledger} {what}   # and the next run asks"
        if item.effect is not None:
            yield f"paywright follow redeliver {receiver} {what}   # if your own tables lack {item.effect}"
    if items and not records:
        yield "grep paywright.receiver in your web server's log   # no webhook about it was taken; one that was refused has a line"
    for entry in records:
        which = named_record(entry)
        if entry.status in _WAITING:
            yield f"paywright notifications replay {receiver} {which}   # once its cause is mended"
        elif entry.status == "claimed":
            yield f"paywright notifications release {ledger} {which}   # if its process died"
        elif entry.status == "conflict":
            yield f"paywright show {ledger} {which}   # compare it, then `paywright notifications discard` it"

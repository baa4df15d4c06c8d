"""`paywright notifications`: show a receiver's ledger, and replay notifications that failed."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta
from typing import Final

from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.loading import ledger_of, named
from paywright_cli.common.options import add_format, add_ledger, distance, whole_number
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Failed, Usage, complain, paint, say, say_json
from paywright_cli.common.wording import json_row
from paywright_receiver.items.item_operations import TABLE, Operation
from paywright_receiver.items.ledger import STATUSES, Entry, Status
from paywright_receiver.ledgers.sql.sql_ledger import Ledger
from paywright_receiver.webhooks.delivery import shown_ledger_key
from paywright_receiver.webhooks.receiver import BaseReceiver
from paywright_runtime.error_text import ADVICE, advised
from paywright_runtime.errors import InvalidArgument, LedgerProblem
from paywright_runtime.redaction import shown_word

_EXAMPLES: Final = """\
examples:
  paywright notifications list --ledger shop.db
  paywright notifications list --receiver shop.payments:receiver --status conflict --format json
  paywright notifications list --ledger shop.db --key ORD_1
  paywright notifications replay --receiver shop.payments:receiver app_1/RECEIVE/R20250601/SETTLED
  paywright notifications replay --receiver shop.payments:receiver --all failed
  paywright notifications discard --ledger shop.db app_1/RECEIVE/R20250601/SETTLED --digest 3f2a
  paywright notifications release --ledger shop.db app_1/RECEIVE/R20250601/SETTLED
  paywright notifications accept --ledger shop.db app_1/PAYMENT
  paywright notifications prune --ledger shop.db --older-than 90d
  paywright notifications count --ledger postgresql:///shop --schema paywright
  paywright notifications check --ledger shop.db --failed 0 --older 10m

--receiver names a module and the receiver in it, whose handlers and ledger are used; modules of this folder are found.
KEY alone means the key's own record; --digest selects the record with that content, also one kept beside it because it
contradicts it (the first digits are enough). Bodies are kept until the notification is done; `paywright show KEY` prints one.
These commands create no file, schema or table. With a postgresql:// URL the first schema of its search path is used, unless
--schema names another one.
exit codes: 0 done, 1 something could not be done, or is not there, 2 usage; of `check`: 0 within the limits, 1 above one,
2 usage, 3 the ledger could not be read
"""
_COLOURS: Final = {"done": "green", "stale": "dim", "claimed": "yellow", "unhandled": "yellow"}
_AGAIN: Final = ("failed", "unhandled", "unreadable")
_DONE: Final = ("handled", "duplicate", "stale")
_OPEN: Final[tuple[Status, ...]] = ("failed", "unhandled", "unreadable", "conflict")
_LIMITED: Final[tuple[Status, ...]] = (*_OPEN, "claimed")
_ALL: Final = 1_000_000


def fill(parser: Parser) -> None:
    """Add what `notifications` takes."""
    parser.description = "List the ledger of a receiver, and retry notifications (webhooks) that failed."
    parser.epilog = _EXAMPLES
    add = parser.group(required=True)
    listed = add("list", "list records, the last changed first", _list)
    listed.takes("--status STATUS", "such as failed, conflict or done", choices=STATUSES)
    listed.takes("--key KEY", "only the records of a key, or of a number in any letters")
    listed.takes("--most N", "how many at most (50)", type=whole_number, default=50)
    again = add("replay", "call the handlers again", _replay)
    again.takes("KEY", "as `list` shows it", dest="keys", nargs="*")
    again.takes("--all STATUS", "all records of a status: failed, unhandled or unreadable", choices=_AGAIN)
    discarded = add("discard", "mark a record done without calling a handler, and delete its body", _discard)
    released = add("release", "end the claim of a handler that died or hangs", _release)
    pruned = add("prune", "delete old records that are done or stale", _prune)
    pruned.takes("--older-than DISTANCE", "such as 90d or 1d12h", type=distance, required=True)
    says = "accept another identity for the effects of a kind, after its handler was registered with another one"
    accepted = add("accept", says, _accept)
    accepted.takes("KIND", "as the error names it, such as app_1/PAYMENT")
    counted = add("count", "count the records of each status", _count)
    checked = add("check", "compare the counts with limits and set the exit code, for monitoring", _check)
    for status in _LIMITED:
        checked.takes(f"--{status} N", f"how many records may be {status}", type=whole_number)
    for action in (discarded, released):
        action.takes("KEY", "as `list` shows it")
    for action in (listed, counted):
        add_format(action)
    for action in (counted, checked):
        says = "only records first delivered at least this long ago, such as 10m"
        action.takes("--older DISTANCE", says, type=distance, default=timedelta(0))
    for action in (again, discarded, released):
        action.takes("--digest HEX", "the record with this content; the first digits of the digest that `list` shows")
    for action in (listed, again, discarded, released, pruned, accepted, counted, checked):
        add_ledger(action)


# Reading


def _list(args: argparse.Namespace) -> None:
    if not 0 < args.most <= _ALL:
        raise Usage(f"--most is a number from 1 to {_ALL}")
    ledger, _ = ledger_of(args)
    entries = ledger.list(status=args.status, key=args.key, most=args.most)
    if args.format == "json":
        say_json([row_of(entry) for entry in entries], indent=2)
        return
    for entry in entries:
        status = paint(f"{entry.status:<10}", _COLOURS.get(entry.status, "red"))
        why = f"  {entry.why}" if entry.why else ""
        say(f"{status} {entry.changed_at.isoformat(timespec='seconds')}  {named_record(entry)}  {times(entry)}{why}")
    if not entries:
        say("nothing")


def named_record(entry: Entry) -> str:
    """Return the words that name a record to a command: its key as it is shown, and its digest if it is not the key's own."""
    return shown_ledger_key(entry.key) + ("" if entry.own else f" --digest {entry.digest[:12]}")


def times(entry: Entry) -> str:
    """Return how often a notification was delivered, in words."""
    return "1 attempt" if entry.attempts == 1 else f"{entry.attempts} attempts"


def row_of(entry: Entry) -> dict[str, object]:
    """Return a record for JSON."""
    state = None if entry.state is None else shown_word(entry.state)
    known = json_row(entry, "status own why attempts digest notify_time first_at changed_at")
    return {"key": shown_ledger_key(entry.key), "kind": shown_word(entry.kind), "state": state, **known}


def records_of(ledger: Ledger, key: str, digest: str | None) -> list[Entry]:
    """Return the records of a key, its own first; with a digest the one that begins so. Raises `Failed`.

    A key may also be given as `list` shows it, if only one is shown like that.
    """
    found = [entry for entry in ledger.list(key=key, most=_ALL) if "/" in key or entry.key == key]
    if not found and "*" in key:
        found = [entry for entry in ledger.list(most=_ALL) if shown_ledger_key(entry.key) == key]
        if len({entry.key for entry in found}) > 1:
            raise Failed(f"the ledger shows more than one notification as {key}; name the exact key")
    found = sorted(found, key=lambda entry: not entry.own)
    if not found:
        raise Failed(
            f"the ledger has no notification {key}; `paywright notifications list` shows the keys it has, --key those of a number"
        )
    if digest is None:
        return found
    meant = [entry for entry in found if digest and entry.digest.startswith(digest.lower())]
    if len(meant) != 1:
        there = ", ".join(entry.digest[:12] for entry in found)
        what = "no record with that digest" if not meant else "more than one record with that digest"
        raise Failed(f"{key} has {what}; it has {there}. Give more digits, or different ones")
    return meant


def _one(ledger: Ledger, key: str, digest: str | None) -> Entry:
    """Return one record: the key's own, or the one with a digest. Raises `Failed`."""
    found = records_of(ledger, key, digest)[0]
    if digest is None and not found.own:
        raise Failed(f"{key} has no record of its own any more; name --digest {found.digest[:12]}")
    return found


def _count(args: argparse.Namespace) -> None:
    found = ledger_of(args)[0].counts(older_than=args.older)
    if args.format == "json":
        say_json(dict(found))
        return
    for status, count in found.items():
        say(f"{status:<10} {count}")


def _check(args: argparse.Namespace) -> int:
    given: dict[Status, int | None] = {status: getattr(args, status) for status in _LIMITED}
    limits: dict[Status, int] = {status: most for status, most in given.items() if most is not None}
    limits = limits or dict.fromkeys(_OPEN, 0)
    try:
        ledger, _ = ledger_of(args)
        ledger.check_whole()
        found = ledger.counts(older_than=args.older)
    except LedgerProblem as problem:
        complain(str(problem))
        return Exit.UNJUDGED
    above = {status: found[status] for status, most in limits.items() if found[status] > most}
    for status, most in limits.items():
        word = paint("above", "red") if status in above else paint("ok", "green")
        say(f"{word}  {status} {found[status]}, at most {most}")
    if above:
        say(
            f"Notifications that need attention: {sum(above.values())}; `paywright notifications list --status "
            f"{next(iter(above))} {named(args)}` shows them and why. {advised('kept')}."
        )
    return Exit.NO if above else Exit.OK


# Changing


def _replay(args: argparse.Namespace) -> int:
    if args.receiver is None or args.ledger is not None:
        raise Usage("replay calls your handlers: use --receiver instead of --ledger")
    if bool(args.keys) == bool(args.all):
        raise Usage("name keys, or --all STATUS")
    if args.digest is not None and len(args.keys) != 1:
        raise Usage("--digest goes with one key")
    ledger, receiver = ledger_of(args)
    assert receiver is not None  # --receiver is named
    if args.all:
        # The oldest first, so that states are handled in their order.
        waiting = sorted(ledger.list(status=args.all, most=_ALL), key=lambda entry: entry.notify_time)
    else:
        waiting = [_one(ledger, key, args.digest) for key in args.keys]
        for entry in waiting:
            _allow("replay", entry)
    failed = sum(not _again(receiver, entry) for entry in waiting)
    if not waiting:
        say("nothing")
    return Exit.NO if failed else Exit.OK


def _allow(operation: Operation, entry: Entry) -> None:
    """Raise `Failed` if the table refuses an operation on a record of this status."""
    cell = TABLE[operation, entry.status]
    if cell.answer == "False":
        raise Failed(f"{shown_ledger_key(entry.key)} is {entry.status}: {ADVICE[cell.sentence]}")


def _again(receiver: BaseReceiver, entry: Entry) -> bool:
    """Replay a record, and return whether it now has its effect."""
    key = shown_ledger_key(entry.key)
    try:
        reply = receiver.replay(entry.key, None if entry.own else entry.digest)
    except InvalidArgument as refused:
        say(f"{paint('not kept', 'red')}  {key}  {refused}")
        return False
    if reply.outcome in _DONE:
        say(f"{paint(reply.outcome, 'green')}  {key}")
        return True
    kept = (one.why for one in receiver.ledger.list(key=reply.key, most=_ALL) if one.why and one.own == entry.own)
    more = "; reconcile it with a handler of on_conflict, or discard it" if reply.outcome == "conflict" else ""
    say(f"{paint(reply.outcome, 'red')}  {key}  {next(kept, reply.why)}{more}")
    return False


def _discard(args: argparse.Namespace) -> None:
    ledger, _ = ledger_of(args)
    entry = _one(ledger, args.key, args.digest)
    _allow("discard", entry)
    if not ledger.discard(entry.key, None if entry.own else entry.digest):
        raise Failed(f"{shown_ledger_key(entry.key)} was changed meanwhile: look at it again")
    say(
        f"discarded  {shown_ledger_key(entry.key)}  It is marked done, and its body is deleted. If it should have moved money, do that by hand, "
        "and say so with `paywright follow close --state`."
    )


def _release(args: argparse.Namespace) -> None:
    ledger, _ = ledger_of(args)
    entry = _one(ledger, args.key, args.digest)
    key = shown_ledger_key(entry.key)
    if not ledger.release(entry.key, None if entry.own else entry.digest):
        raise Failed(f"{key} is {entry.status}: it has no claim")
    say(
        f"released  {key}  The next delivery, or a replay, handles it again; the previous handler will not be acknowledged."
    )


def _accept(args: argparse.Namespace) -> None:
    before = ledger_of(args)[0].forget_identity(args.kind)
    if before is None:
        raise Failed(f"the ledger has no identity for the effects of {args.kind} yet: there is nothing to accept")
    say(
        f"accepted  {args.kind}  Effects were identified by {before}; from now on the next receiver decides. A notification that was "
        "handled before can have its effect again if it is sent again: compare those of the next days with your records."
    )


def _prune(args: argparse.Namespace) -> None:
    ledger, receiver = ledger_of(args)
    now = datetime.now(UTC) if receiver is None else receiver.clock.now()
    say(
        f"{ledger.prune(now - args.older_than)} deleted, which were done or stale. Records that could still be delivered again stay, "
        "and so do conflicts and those kept to be tried again."
    )

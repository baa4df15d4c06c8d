"""`paywright notifications`: show a receiver's ledger, and replay notifications that failed."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.loading import ledger_of
from paywright_cli.common.options import add_ledger, distance, show_help, whole_number
from paywright_cli.common.parser import HelpFormatter
from paywright_cli.common.terminal import Failed, Usage, complain, paint, say, say_json
from paywright_runtime.error_text import ADVICE, advised

if TYPE_CHECKING:
    from paywright_receiver.items.ledger import Entry, Status
    from paywright_receiver.items.transitions import Operation
    from paywright_receiver.ledgers.sql.sql_ledger import Ledger
    from paywright_receiver.webhooks.receiver import BaseReceiver

_EXAMPLES: Final = """\
examples:
  paywright notifications list --ledger shop.db
  paywright notifications list --app shop.payments:receiver --status conflict --format json
  paywright notifications list --ledger shop.db --key ORD_1
  paywright notifications replay --app shop.payments:receiver app_1/RECEIVE/R20250601/SETTLED
  paywright notifications replay --app shop.payments:receiver --all failed
  paywright notifications discard --ledger shop.db app_1/RECEIVE/R20250601/SETTLED --digest 3f2a
  paywright notifications release --ledger shop.db app_1/RECEIVE/R20250601/SETTLED
  paywright notifications accept --ledger shop.db app_1/PAYMENT
  paywright notifications prune --ledger shop.db --older-than 90d
  paywright notifications count --ledger postgresql:///shop --schema paywright
  paywright notifications check --ledger shop.db --failed 0 --older 10m

--app names a module and the receiver in it, whose handlers and ledger are used; modules of this folder are found.
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
_UNSEEN: Final = 3
_ALL: Final = 1_000_000

_Groups = argparse._SubParsersAction  # the only name argparse has for it


def register(groups: _Groups[argparse.ArgumentParser]) -> None:
    """Add `notifications` to the command line."""
    parser = groups.add_parser(
        "notifications",
        help="a receiver's ledger: list, count and check notifications, replay failed ones",
        description="List the ledger of a receiver, and retry notifications (webhooks) that failed.",
        epilog=_EXAMPLES,
        formatter_class=HelpFormatter,
    )
    parser.set_defaults(run=show_help(parser))
    actions = parser.add_subparsers(title="actions", metavar="ACTION")
    listed = actions.add_parser("list", help="list records, the last changed first")
    listed.add_argument("--status", metavar="STATUS", help="such as failed, conflict or done")
    listed.add_argument("--key", metavar="KEY", help="only the records of a key, or of a number in any letters")
    listed.add_argument("--most", type=int, default=50, metavar="N", help="how many at most (50)")
    listed.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")
    listed.set_defaults(run=_list)
    again = actions.add_parser("replay", help="call the handlers again")
    again.add_argument("keys", nargs="*", metavar="KEY", help="as `list` shows it")
    again.add_argument(
        "--all", choices=_AGAIN, metavar="STATUS", help="all records of a status: failed, unhandled or unreadable"
    )
    again.set_defaults(run=_replay)
    discarded = actions.add_parser("discard", help="mark a record done without calling a handler, and delete its body")
    discarded.add_argument("key", metavar="KEY", help="as `list` shows it")
    discarded.set_defaults(run=_discard)
    released = actions.add_parser("release", help="end the claim of a handler that died or hangs")
    released.add_argument("key", metavar="KEY", help="as `list` shows it")
    released.set_defaults(run=_release)
    pruned = actions.add_parser("prune", help="delete old records that are done or stale")
    pruned.add_argument("--older-than", type=distance, required=True, metavar="DISTANCE", help="such as 90d or 1d12h")
    pruned.set_defaults(run=_prune)
    accepted = actions.add_parser(
        "accept",
        help="accept another identity for the effects of a kind, after its handler was registered with another one",
    )
    accepted.add_argument("kind", metavar="KIND", help="as the error names it, such as app_1/PAYMENT")
    accepted.set_defaults(run=_accept)
    counted = actions.add_parser("count", help="count the records of each status")
    counted.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")
    counted.set_defaults(run=_count)
    checked = actions.add_parser("check", help="compare the counts with limits and set the exit code, for monitoring")
    for status in _LIMITED:
        checked.add_argument(f"--{status}", type=whole_number, metavar="N", help=f"how many records may be {status}")
    checked.set_defaults(run=_check)
    for action in (counted, checked):
        action.add_argument(
            "--older",
            type=distance,
            default=timedelta(0),
            metavar="DISTANCE",
            help="only records first delivered at least this long ago, such as 10m",
        )
    for action in (again, discarded, released):
        action.add_argument(
            "--digest",
            metavar="HEX",
            help="the record with this content; the first digits of the digest that `list` shows",
        )
    for action in (listed, again, discarded, released, pruned, accepted, counted, checked):
        add_ledger(action, "--app")


# Reading


def _list(args: argparse.Namespace) -> int:
    from paywright_receiver.items.ledger import STATUSES

    if args.status is not None and args.status not in STATUSES:
        raise Usage(f"--status is one of {', '.join(STATUSES)}")
    if not 0 < args.most <= _ALL:
        raise Usage(f"--most is a number from 1 to {_ALL}")
    ledger, _ = ledger_of(args)
    entries = ledger.list(status=args.status, key=args.key, most=args.most)
    if args.format == "json":
        import json

        say_json(json.dumps([row_of(entry) for entry in entries], indent=2))
        return Exit.OK
    for entry in entries:
        status = paint(f"{entry.status:<10}", _COLOURS.get(entry.status, "red"))
        why = f"  {entry.why}" if entry.why else ""
        when = entry.changed_at.isoformat(timespec="seconds")
        which = "" if entry.own else f"  --digest {entry.digest[:12]}"
        say(f"{status} {when}  {name_of(entry)}{which}  {_times(entry.attempts)}{why}")
    if not entries:
        say("nothing")
    return Exit.OK


def name_of(entry: Entry) -> str:
    """Return the key of a record as it is shown."""
    from paywright_receiver.webhooks.delivery import shown_key

    return shown_key(entry.key)


def _times(attempts: int) -> str:
    return "1 attempt" if attempts == 1 else f"{attempts} attempts"


def row_of(entry: Entry) -> dict[str, object]:
    """Return a record for JSON."""
    from paywright_runtime.redaction import shown_word

    return {
        "key": name_of(entry),
        "kind": shown_word(entry.kind),
        "state": None if entry.state is None else shown_word(entry.state),
        "status": entry.status,
        "own": entry.own,
        "why": entry.why,
        "attempts": entry.attempts,
        "digest": entry.digest,
        "notifyTime": entry.notify_time.isoformat(),
        "firstAt": entry.first_at.isoformat(),
        "changedAt": entry.changed_at.isoformat(),
    }


def records_of(ledger: Ledger, key: str, digest: str | None) -> list[Entry]:
    """Return the records of a key, its own first; with a digest the one that begins so. Raises `Failed`.

    A key may also be given as `list` shows it, if only one is shown like that.
    """
    found = [entry for entry in ledger.list(key=key, most=_ALL) if "/" in key or entry.key == key]
    if not found and "*" in key:
        found = [entry for entry in ledger.list(most=_ALL) if name_of(entry) == key]
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


def _count(args: argparse.Namespace) -> int:
    ledger, _ = ledger_of(args)
    found = ledger.counts(older_than=args.older)
    if args.format == "json":
        import json

        say_json(json.dumps(dict(found)))
        return Exit.OK
    for status, count in found.items():
        say(f"{status:<10} {count}")
    return Exit.OK


def _check(args: argparse.Namespace) -> int:
    from paywright_runtime.errors import LedgerProblem

    given: dict[Status, int | None] = {status: getattr(args, status) for status in _LIMITED}
    limits: dict[Status, int] = {status: most for status, most in given.items() if most is not None}
    limits = limits or dict.fromkeys(_OPEN, 0)
    try:
        ledger, _ = ledger_of(args)
        ledger.check_whole()
        found = ledger.counts(older_than=args.older)
    except LedgerProblem as problem:
        complain(str(problem))
        return _UNSEEN
    above = {status: found[status] for status, most in limits.items() if found[status] > most}
    for status, most in limits.items():
        word = paint("above", "red") if status in above else paint("ok", "green")
        say(f"{word}  {status} {found[status]}, at most {most}")
    if above:
        say(
            f"Notifications that need attention: {sum(above.values())}; `paywright notifications list --status "
            f"{next(iter(above))}` shows them and why. {advised('kept')}."
        )
    return Exit.NO if above else Exit.OK


# Changing


def _replay(args: argparse.Namespace) -> int:
    if args.app is None or args.ledger is not None:
        raise Usage("replay calls your handlers: use --app instead of --ledger")
    if bool(args.keys) == bool(args.all):
        raise Usage("name keys, or --all STATUS")
    if args.digest is not None and len(args.keys) != 1:
        raise Usage("--digest goes with one key")
    ledger, receiver = ledger_of(args)
    assert receiver is not None  # --app is named
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
    from paywright_receiver.items.transitions import TABLE

    cell = TABLE[operation, entry.status]
    if cell.answer == "False":
        raise Failed(f"{name_of(entry)} is {entry.status}: {ADVICE[cell.sentence]}")


def _again(receiver: BaseReceiver, entry: Entry) -> bool:
    """Replay a record, and return whether it now has its effect."""
    from paywright_runtime.errors import InvalidArgument

    key = name_of(entry)
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


def _discard(args: argparse.Namespace) -> int:
    ledger, _ = ledger_of(args)
    entry = _one(ledger, args.key, args.digest)
    _allow("discard", entry)
    if not ledger.discard(entry.key, None if entry.own else entry.digest):
        raise Failed(f"{name_of(entry)} was changed meanwhile: look at it again")
    say(
        f"discarded  {name_of(entry)}  It is marked done, and its body is deleted. If it should have moved money, do that by hand, and "
        "say so with `paywright follow close --state`."
    )
    return Exit.OK


def _release(args: argparse.Namespace) -> int:
    ledger, _ = ledger_of(args)
    entry = _one(ledger, args.key, args.digest)
    if not ledger.release(entry.key, None if entry.own else entry.digest):
        raise Failed(f"{name_of(entry)} is {entry.status}: it has no claim")
    say(
        f"released  {name_of(entry)}  The next delivery, or a replay, handles it again; the previous handler will not be acknowledged."
    )
    return Exit.OK


def _accept(args: argparse.Namespace) -> int:
    ledger, _ = ledger_of(args)
    before = ledger.forget_identity(args.kind)
    if before is None:
        raise Failed(f"the ledger has no identity for the effects of {args.kind} yet: there is nothing to accept")
    say(
        f"accepted  {args.kind}  Effects were identified by {before}; from now on the next receiver decides. A notification "
        f"that was handled before can have its effect again if it is sent again: compare those of the next days with your "
        f"records."
    )
    return Exit.OK


def _prune(args: argparse.Namespace) -> int:
    ledger, receiver = ledger_of(args)
    now = datetime.now(UTC) if receiver is None else receiver.clock.now()
    gone = ledger.prune(now - args.older_than)
    say(
        f"{gone} deleted, which were done or stale. Records that could still be delivered again stay, and so do conflicts "
        "and those kept to be tried again."
    )
    return Exit.OK

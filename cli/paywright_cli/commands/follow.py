"""`paywright follow`: follow open orders, refunds and the like to their last state, and list them."""

from __future__ import annotations

import argparse
import select
import signal
import socket
from collections.abc import Sequence
from datetime import datetime, timedelta
from types import FrameType
from typing import Final

from paywright import Client
from paywright_cli.commands import follow_items as items
from paywright_cli.commands.follow_items import opened
from paywright_cli.commands.item_view import amount_of
from paywright_cli.common.exit_codes import Exit, signal_exit
from paywright_cli.common.options import add_format, add_ledger, distance, moment, whole_number
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Usage, complain, flush, say, say_json
from paywright_cli.common.wording import json_row
from paywright_receiver import Follower, FollowRun
from paywright_receiver.items.open_items import Elsewhere
from paywright_runtime.errors import LedgerProblem

_EXAMPLES: Final = """\
examples:
  paywright follow run --receiver shop.payments:receiver                 once, from cron or a systemd timer
  paywright follow run --receiver shop.payments:receiver --every 30s     until SIGTERM or Ctrl-C
  paywright follow list --ledger shop.db --kind orders
  paywright follow report --ledger shop.db --older 30m
  paywright follow open --ledger shop.db orders ORD_1 totalAmount=10.50 currency=USD
  paywright follow hint --ledger shop.db orders ORD_1
  paywright follow close --ledger shop.db orders ORD_1 --why 'cancelled by phone'
  paywright follow move --ledger shop.db                                 after the gateway's address has changed
  paywright follow redeliver --receiver shop.payments:receiver orders ORD_1
  paywright follow redeliver --receiver shop.payments:receiver --since 2026-11-22T03:00:00+00:00

--receiver names a module and the receiver in it. Its ledger is used, and `run` and `redeliver` call its handlers of on_result;
modules of this folder are found. `run` without a receiver needs --book-only: it stores and prints results, and no handler ever gets them.
run, open, hint, close, move and redeliver act as the merchant of the PAYWRIGHT_* settings (--env FILE reads more of them); list and report
need no settings and no keys, and ask the gateway nothing.
No command creates a file, schema or table. With a postgresql:// URL the first schema of its search path is used, unless --schema
names another one.

exit codes: 0 done, 1 something failed, was refused, or is not there, 2 usage, settings or keys; of `run` also 1 if the run stopped
early, no inquiry was answered, or items of another merchant or address have waited for a day, and 128 + N if signal N ended it
(a loop of --every ends with 0); of `report` 1 if more items are open than allowed, 3 if the ledger could not be read
"""


def fill(parser: Parser) -> None:
    """Add what `follow` takes."""
    parser.description = "Follow the open items of a ledger until their last state is known."
    parser.epilog = _EXAMPLES
    add = parser.group(required=True)
    run = add("run", "ask about due items, and pass the results to the receiver's handlers", _run)
    run.takes("--every DISTANCE", "repeat until a signal, such as every 30s", type=distance)
    run.takes("--limit N", "most items in a run (default 1000)", type=whole_number, default=1_000)
    run.takes("--book-only", "call no handler: store results and print them")
    add_format(run, "text (default) or json: an object a line")
    listed = add("list", "list items: the open ones, the oldest first, or those of another status", items.list_items)
    status, says = ("open", "settled", "closed", "all"), "open (default), settled, closed or all"
    listed.takes("--status", says, choices=status, default="open")
    listed.takes("--kind KIND", "such as orders or refunds")
    says = "items open for too long, with the reason and the next step; the exit code is for monitoring"
    report = add("report", says, items.report)
    report.takes("--older DISTANCE", "open for at least this long (default 30m)", type=distance, default="30m")
    report.takes("--at-most N", "how many are allowed (default 0)", type=whole_number, default=0)
    for action in (listed, report):
        action.takes("--app-id ID", "only this merchant app (default: all)")
        action.takes("--most N", "how many are listed at most (50)", type=whole_number, default=50)
        add_format(action)
    says = "follow an item from now on, such as an order placed before there was a follower"
    opened = add("open", says, items.open_item)
    hint = add("hint", "ask about an item at the next run", items.hint)
    hint.takes("--settled", "also if it is settled: its money may have been returned")
    closed = add("close", "stop the regular questions about an item; no handler is called", items.close)
    closed.takes("--why TEXT", "the reason, which is stored with the item", required=True)
    closed.takes("--state STATE", "the last state that you have put into your own books")
    for action in (opened, hint, closed):
        action.takes("KIND", "orders, refunds, exchanges, withdrawals or payment_links")
        action.takes("KEY", "your own key of it")
    opened.takes("NAME=VALUE", "members of its request: totalAmount=10.50", dest="content", nargs="*")
    opened.takes("--expires TIME", "until when it can stay open: 2026-11-22T12:00:00+00:00", type=moment)
    opened.takes("--correct", "replace what it was registered with, such as a mistyped amount, unless it had an effect")
    opened.takes("--unknown", "the gateway may not have it: the outcome of its call is unknown")
    says = "move open items from another address to this one, if this gateway shows the same"
    moved = add("move", says, items.move)
    moved.takes("--as-is KEY", "move this item without asking the gateway", action="append", default=[])
    says = "call the handlers again with what is known, after your own tables were restored from a backup"
    again = add("redeliver", says, items.redeliver)
    again.takes("KIND", "such as orders or refunds", nargs="?")
    again.takes("KEY", "your own key of it", nargs="?")
    says = "all results handled since this time, that of the backup: 2026-11-22T03:00:00+00:00"
    again.takes("--since TIME", says, type=moment)
    says = "how many results that are; without it they are only listed"
    again.takes("--confirm N", says, type=whole_number)
    for action in (run, listed, report, opened, hint, closed, moved, again):
        add_ledger(action)


_TICK: Final = timedelta(microseconds=1)


class _Signals:
    """Records the first SIGINT or SIGTERM, so that the item in hand is finished. A second one ends the process at once."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._wakes, self._woken = socket.socketpair()
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` and shells have it
                signal.signal(number, self._arrived)

    def _arrived(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self._wakes.send(b"!")

    def __call__(self) -> bool:
        """Return whether a signal has come."""
        return self.number is not None

    def wait(self, seconds: float) -> None:
        """Wait for so long, or until a signal comes. An `Event` could not be set by a signal that comes while it is locked."""
        self._wakes.setblocking(False)
        # Of a signal that comes just before the wait, no line of Python runs until the wait is over: the system writes for it.
        before = signal.set_wakeup_fd(self._wakes.fileno())
        try:
            if not self():
                select.select([self._woken], [], [], seconds)
        finally:
            signal.set_wakeup_fd(before)


def _run(args: argparse.Namespace) -> int:
    """Run once, or repeatedly until a signal comes."""
    if args.receiver is None and not args.book_only:
        raise Usage(
            "name --receiver MODULE:RECEIVER, whose handlers of on_result get the results. Without it an order would be "
            "settled here, and no handler would record it in your shop. If your shop reads the stored results: --book-only"
        )
    if args.receiver is not None and args.book_only:
        raise Usage("--book-only calls no handler: leave out --receiver, and name --ledger")
    if args.limit < 1:
        raise Usage("--limit is 1 or more")
    if args.every is not None and args.every < timedelta(seconds=1):
        raise Usage("--every is a second or more")
    with opened(args) as (client, follower):
        signals = _Signals()
        rounds = _Rounds(client, follower, args, signals)
        if args.every is None:
            return rounds.once()
        seconds = args.every.total_seconds()
        rounds.say(f"following every {seconds:g} seconds, until SIGTERM or Ctrl-C")
        while not signals():
            if not rounds.one_of_many():
                signals.wait(seconds)
        rounds.say("ended by a signal, after the item in hand")
    return Exit.OK


class _Rounds:
    """Runs of one follower, and their output."""

    def __init__(self, client: Client, follower: Follower, args: argparse.Namespace, signals: _Signals) -> None:
        self._client = client
        self._follower = follower
        self._limit: int = args.limit
        self._json: bool = args.format == "json"
        self._signals = signals
        self._elsewhere: set[tuple[str, str]] = set()

    def say(self, text: str) -> None:
        """Print a line at once, unless lines are JSON."""
        if not self._json:
            say(text)
            flush()

    def once(self) -> int:
        """Run once, and return the exit code."""
        done = self._run(quiet=False)
        if done.stopped and self._signals.number is not None:
            return signal_exit(self._signals.number)
        return Exit.NO if done.wrong else Exit.OK

    def one_of_many(self) -> bool:
        """Run once, and return whether more items are due now. Waits for a database that is unreachable."""
        try:
            done = self._run(quiet=True)
        except LedgerProblem as problem:
            complain(f"{problem} It is tried again.")
            return False
        return done.taken == self._limit and not done.stopped

    def _run(self, *, quiet: bool) -> FollowRun:
        begun = self._client.context.clock.now()
        done = self._follower.run_due(self._limit, stop=self._signals)
        self._print_results(begun)
        if done.taken or done.stopped or not quiet:
            self._print(done)
        if done.stopped and not self._signals():
            complain(done.stopped)
        self._complain_of(done.elsewhere)
        flush()
        return done

    def _print_results(self, since: datetime) -> None:
        """Print the results since the run began, of any process."""
        owner = self._client.context.owner
        for item in self._follower.handled(since, self._client.context.clock.now() + _TICK):
            if item.status != "settled" or (item.id.app_id, item.address) != (owner.merchant["app_id"], owner.address):
                continue
            if self._json:
                say_json({"result": {"kind": item.id.kind, **json_row(item, "key state paid amount currency")}})
            else:
                say(f"{item.state or ''}  {item.id.kind} {item.key}  {amount_of(item)}")

    def _complain_of(self, elsewhere: Sequence[Elsewhere]) -> None:
        """Print the items that nobody asks about here, once until the places change."""
        places = {(one.app_id, one.address) for one in elsewhere}
        owner = self._client.context.owner
        me = next(iter(owner.merchant.values()))
        former, others = (
            "If that is this gateway's former address: `paywright follow move`",
            "A run with that merchant's settings asks about them",
        )
        for one in elsewhere if places != self._elsewhere else ():
            complain(
                f"Open items of {one.app_id} that belong to {one.address} and are not asked about here, as {me} at {owner.address}: "
                f"{one.items}. {former if one.app_id == me else others}."
            )
        self._elsewhere = places

    def _print(self, done: FollowRun) -> None:
        if self._json:
            counts = json_row(done, "asked handled repeated unanswered failed conflicts taken stopped next_due")
            elsewhere = [json_row(one, "app_id address items") for one in done.elsewhere]
            say_json({"run": {**counts, "elsewhere": elsewhere}})
            return
        parts = [
            (done.asked, "asked about"),
            (done.handled, "handled"),
            (done.unanswered, "without an answer and asked again later: `paywright follow list` says why"),
            (done.repeated, "known to the handlers already"),
            (done.conflicts, "in conflict: see `paywright notifications list --status conflict`"),
            (done.failed, "failed and tried again later: `paywright follow list` says why"),
        ]
        said = ", ".join(f"{number} {words}" for at, (number, words) in enumerate(parts) if number or at < 2)
        due = "nothing else is open" if done.elsewhere else "nothing is open"
        if done.next_due is not None:
            due = f"next due {done.next_due.isoformat(timespec='seconds')}"
        say(f"{said}; {due}")

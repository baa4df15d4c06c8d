"""`paywright follow run`: ask about due items, once or in a loop. A signal ends it after the item in hand."""

from __future__ import annotations

import argparse
import select
import signal
import socket
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from types import FrameType
from typing import Final

from paywright import Client
from paywright_cli.commands.follow_items import OPTION, amount_of, opened
from paywright_cli.common.exit_codes import Exit, signal_exit
from paywright_cli.common.terminal import Usage, complain, say, say_json
from paywright_cli.common.wording import json_row
from paywright_receiver import Follower, FollowRun
from paywright_receiver.items.book import Elsewhere
from paywright_runtime.errors import LedgerProblem

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


def run(args: argparse.Namespace) -> int:
    """Run once, or repeatedly until a signal comes."""
    if args.app is None and not args.book_only:
        raise Usage(
            f"name {OPTION} MODULE:RECEIVER, whose handlers of on_result get the results. Without it an order would be "
            f"settled here, and no handler would record it in your shop. If your shop reads the stored results: --book-only"
        )
    if args.app is not None and args.book_only:
        raise Usage(f"--book-only calls no handler: leave out {OPTION}, and name --ledger")
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
            sys.stdout.flush()

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
        sys.stdout.flush()
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
            "If that is this gateway's former address: paywright follow move",
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

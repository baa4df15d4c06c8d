"""One run over all due items: lease each, ask about it, hand over its result, and store it.

If a run dies in between, its lease expires, and the item is asked about again. The ledger knows whether the effect was there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING, Final

from paywright_receiver.following.inquiry import NO_ANSWER, FollowRun, Lane, wrong_with
from paywright_receiver.items.state_memory import follows, read, written
from paywright_receiver.items.stored_follow import apply_follow, apply_notification, of_another_call, readable, to_json
from paywright_runtime.client.answer_reader import payload
from paywright_runtime.error_text import advised
from paywright_runtime.errors import (
    GatewayError,
    InvalidArgument,
    LedgerProblem,
    NoAnswer,
    NotSent,
    PaywrightError,
    TooEarly,
)
from paywright_runtime.tracebacks import interrupts

if TYPE_CHECKING:
    from paywright_receiver.following.core import FollowerCore
    from paywright_receiver.following.inquiry import Inquiry
    from paywright_receiver.items.follow_state import FollowState
    from paywright_receiver.items.ledger import Transaction
    from paywright_receiver.items.open_items import Item, Leased
    from paywright_receiver.webhooks.reply import Reply
    from paywright_runtime.json_value import JSON
    from paywright_runtime.settling.permission import Permission
    from paywright_runtime.settling.stored_document import Owner

_FIRST_PAUSE: Final = timedelta(seconds=30)
_LONGEST_PAUSE: Final = timedelta(hours=1)
_UNANSWERED: Final = 3
"""Inquiries in a row about one kind without a verified answer, after which the newest item is tried: the older ones may be the cause."""
_REFUSED: Final = 5
"""Inquiries in a row about one kind with the same refusal, after which the newest items are tried, and then none."""


class Run:
    """One run over all due items. Threads may share it."""

    def __init__(self, core: FollowerCore, limit: int, stop: Callable[[], bool] | None = None) -> None:
        if type(limit) is not int or limit < 1:
            raise InvalidArgument("limit is a whole number of items, 1 or more.")
        if stop is not None and not callable(stop):
            raise InvalidArgument("stop is a function without arguments, which returns True to end the run.")
        self._core = core
        self._limit = limit
        self._stop = stop
        self._start = core.now().wall
        self._lock = Lock()
        self._counts: dict[str, int] = dict.fromkeys(
            ("taken", "asked", "handled", "repeated", "conflicts", "failed", "unanswered"), 0
        )
        self._lanes = deque(map(Lane, core.kinds))
        self._of_kind = {lane.kind: lane for lane in self._lanes}
        self._answered = False
        self._ready: deque[Leased] = deque()
        self._left: list[str] = []
        self._stopped = ""

    def summary(self) -> FollowRun:
        """Return the result of the run."""
        left = f"{' '.join(self._left)} The rest stays due; run again when the cause is gone." if self._left else ""
        core = self._core
        elsewhere = core.book.elsewhere(core.app_id, core.owner.address)
        next_due = core.next_due()
        core.book.rest()
        stopped, elsewhere = self._stopped or left, tuple(elsewhere)
        wrong = " ".join(wrong_with(self._counts, stopped, elsewhere, core.now().wall))
        return FollowRun(**self._counts, stopped=stopped, next_due=next_due, elsewhere=elsewhere, wrong=wrong)

    def take(self) -> Leased | None:
        """Lease the next item that was due when the run began, of each kind in turn; None if the run is over."""
        if self._stop is not None and self._stop():
            with self._lock:
                self._stopped = self._stopped or "stop() returned True. The rest stays due."
            self.put_back()
        with suppress(IndexError):
            return self._ready.popleft()
        while (lane := self._next_lane()) is not None:
            lease = self._of(lane)
            if lease is not None:
                return lease
        return None

    def _of(self, lane: Lane, within: Transaction | None = None) -> Leased | None:
        """Lease the next item of a kind; without one, that kind is done."""
        core = self._core
        place, untold = (core.app_id, core.owner.address, lane.kind), core.tells(lane.kind)
        lease = core.book.take(*place, self._start, core.lease, newest=lane.newest, untold=untold, within=within)
        if lease is None:
            with self._lock:
                self._counts["taken"] -= 1
                self._end(lane)
        return lease

    def put_back(self) -> None:
        """Give back what is leased and will not be asked about, because the run ends."""
        with suppress(LedgerProblem):
            while self._ready:
                self._core.book.give_back(self._ready.popleft())
                self._count("taken", -1)

    def _next_lane(self) -> Lane | None:
        with self._lock:
            if self._stopped or self._counts["taken"] >= self._limit or not self._lanes:
                return None
            self._counts["taken"] += 1
            self._lanes.rotate(-1)
            return self._lanes[-1]

    def _end(self, lane: Lane) -> None:
        if lane in self._lanes:  # another thread may have been faster
            self._lanes.remove(lane)

    def asks(self, lease: Leased, inquiry: Inquiry) -> bool:
        """Return whether to ask the gateway now. Otherwise the item is stored with its next step."""
        if inquiry.look().state == "query":
            return True
        self._store(lease, self._after(lease, inquiry))
        return False

    def learned(self, lease: Leased, inquiry: Inquiry) -> None:
        """Handle the answer to an inquiry, or the error in `inquiry.error`."""
        core, item = self._core, lease.item
        self._count("asked")
        self._watch(item.id.kind, inquiry.error)
        shown = self._shown(item, inquiry)
        if core.receiver is None or shown is None or not self._is_news(item, inquiry, shown):
            self._store(lease, self._after(lease, inquiry), shown)
            return
        now, kept = core.applied(item, inquiry.state, done=True), list[bool]()  # written together with its effect
        try:
            reply = core.receiver.hand_over(
                item.id.kind,
                core.whole(inquiry.state, {**shown, core.contract.following(item.id.kind).by: item.key}),
                core.now().wall,
                also=lambda within: kept.append(self._merge(lease, now, shown, within)),
            )
        except BaseException as struck:  # otherwise a handler that is slower than the limit would hold up all others
            with suppress(LedgerProblem):
                self.failed(lease, f"its result was not handled: {type(struck).__name__} ended the run", inquiry)
            raise
        self._handed_over(lease, inquiry, now, reply)
        if False in kept:
            core.book.give_back(lease)

    def moves(self, lease: Leased, inquiry: Inquiry, *, as_is: bool) -> bool:
        """Move an item of another address here: as it is, or if it is this gateway's, with what the answer shows of it.

        Its verified answer shows the key, and no other content. Return False if it does not, or the item was changed meanwhile.
        """
        core, item, error = self._core, lease.item, inquiry.error
        if error is not None and not (isinstance(error, GatewayError) and self._is_absence(error)):
            raise error
        shown = self._shown(item, inquiry)
        ours = shown is not None and not of_another_call(core.contract, item, shown)
        if not core.answer("move as it is" if as_is else "move" if ours else "move to where it is not", item):
            return False
        here = core.moved(item)
        if as_is:
            return core.book.keep(lease, here)
        self.learned(lease._replace(item=here), inquiry)
        there = core.book.get(item.id)
        return there is not None and there.address == here.address

    def permits(self, lease: Leased, inquiry: Inquiry) -> Permission:
        """Give the permission to place an item again, after its inquiry. If there is none, handle the answer and raise `TooEarly`."""
        try:
            return self._core.give(lease, inquiry)
        except TooEarly:
            self.learned(lease, inquiry)
            raise

    def _handed_over(self, lease: Leased, inquiry: Inquiry, now: Item, reply: Reply | None) -> None:
        """Store the item after its result was handed over, or schedule another try."""
        if reply is None:  # it shows no last state
            self._keep(lease, now)
        elif reply.outcome == "handled":
            self._count("handled")
            if reply.reconciled:
                self._keep(lease, self._as_effect(lease, inquiry))
        elif reply.outcome == "duplicate":
            self._count("repeated")
            self._keep(lease, now)
        elif reply.outcome == "stale":
            self._count("repeated")
            self._stale(lease, inquiry)
        elif reply.outcome == "conflict":
            self._count("conflicts")
            self._undecided(
                lease,
                inquiry,
                f"the inquiry shows a result that contradicts the one that had its effect: see the conflict {reply.key} in the ledger. "
                f"{advised('decide.conflict')}",
            )
        else:
            self.failed(lease, f"its result was not handled ({reply.outcome}): {reply.why}", inquiry)

    def failed(self, lease: Leased, why: str, inquiry: Inquiry | None = None) -> None:
        """Schedule another try for an item as it was before; the inquiry is repeated."""
        self._count("failed")
        core, item = self._core, lease.item
        again = core.now().wall + min(_LONGEST_PAUSE, _FIRST_PAUSE * (1 << min(item.attempts, 10)))
        text, asked = item.follow, item.asked
        found = readable(core.contract, item) if inquiry is None else self._but_asked(item, lease, inquiry)
        if found is not None:
            state, owner = found
            state.next_at = state.next_at if inquiry is None else again
            text, asked = to_json(item, state, owner, why), state.asked
        self._keep(lease, item._replace(why=why, due_at=again, attempts=item.attempts + 1, asked=asked, follow=text))

    def goes_on(self, lease: Leased, error: BaseException) -> bool:
        """Handle an error about an item that did not come from the gateway. Return whether the run goes on after it.

        The database's ends it, and so does whatever this library did not raise itself: a time limit, Ctrl-C, a defect.
        """
        if isinstance(error, LedgerProblem):
            self._ready.clear()  # what could not be leased with what could not be stored
            return False
        if interrupts(error):
            with suppress(LedgerProblem):
                self._core.book.give_back(lease)
            return False
        name = type(error).__name__
        said = f": {error}" if isinstance(error, PaywrightError) else ""
        self.failed(lease, f"it could not be asked about: {name}{said}")
        self._goes_wrong(lease.item.id.kind, name, _REFUSED, f"every inquiry ended with {name}{said}")
        return isinstance(error, PaywrightError)

    # What becomes of an item

    def _as_effect(self, lease: Leased, inquiry: Inquiry) -> Item:
        """Return the item in the state that had its effect, whatever the answer shows."""
        core, id, now = self._core, lease.item.id, self._core.now()
        state, owner = self._but_asked(lease.item, lease, inquiry)
        there = core.book.get(id)
        if there is not None and there.effect is not None:
            paid = there.paid and there.state == there.effect
            state.notified(core.facts(id.kind).in_state(there.key, there.effect, paid=paid), now)
        return apply_follow(lease.item, state, owner, now)

    def _stale(self, lease: Leased, inquiry: Inquiry) -> None:
        """Store an item whose answer shows an older state: it stands in the one that had its effect, or else a person decides."""
        there, state = self._core.book.get(lease.item.id), inquiry.state.last_state
        if there is not None and there.effect is not None and state is not None:
            order = self._core.facts(lease.item.id.kind).order
            if there.effect == state or follows(order, there.effect, state):
                self._keep(lease, self._as_effect(lease, inquiry))
                return
        why = f"the inquiry shows it as {state}, and a later state was signed, which had no effect. {advised('decide.conflict')}"
        self._undecided(lease, inquiry, why)

    def _after(self, lease: Leased, inquiry: Inquiry) -> Item:
        core = self._core
        now = core.applied(lease.item, inquiry.state)
        if now.step == "untold" and core.tells(lease.item.id.kind):  # the answer was no result
            now = now._replace(due_at=core.now().wall + _LONGEST_PAUSE)
        return now

    def _undecided(self, lease: Leased, inquiry: Inquiry, why: str) -> None:
        """Leave an item to a person: the gateway has shown two results that contradict each other."""
        core, at = self._core, self._core.now()

        def undecided(there: Item) -> Item:
            state, owner = self._but_asked(there, lease, inquiry)
            state.undecided(why, at)
            return apply_follow(there, state, owner, at)

        if not core.book.keep(lease, undecided(lease.item)):
            core.book.change(lease.item.id, undecided)
            core.book.give_back(lease)

    def _store(self, lease: Leased, now: Item, shown: dict[str, JSON] | None = None) -> None:
        """Store an item, and lease the next one in the same transaction, if the run takes items."""
        lane = self._next_lane() if self._counts["taken"] else None
        with self._core.book.transaction() as within:
            if shown is None:
                self._keep(lease, now, within)
            else:
                self._merge(lease, now, shown, within, asked=True)
            ahead = None if lane is None else self._of(lane, within)
            if ahead is not None:
                self._ready.append(ahead)  # before it is committed: whatever strikes then, it is given back

    def _merge(
        self, lease: Leased, now: Item, shown: dict[str, JSON], within: Transaction, *, asked: bool = False
    ) -> bool:
        """Store an item. If a notification or a person changed it meanwhile, merge the answer into that change; return False.

        One that was only `asked` about had no effect: whoever closed it meanwhile is right.
        """
        core, id = self._core, lease.item.id
        if core.book.keep(lease, _later(now, lease), within=within):
            return True
        at, ends = core.now(), core.ends(id.kind)

        def merged(there: Item) -> Item | None:
            found = apply_notification(core.contract, there, shown, at, ends, asked=asked)
            return found and _later(found, lease)

        core.book.change(id, merged, within=within)
        if asked:
            core.book.give_back(lease, within=within)
        return False

    def _keep(self, lease: Leased, now: Item, within: Transaction | None = None) -> None:
        """Store an item, unless it was changed meanwhile: closed by hand, or settled by a notification."""
        if not self._core.book.keep(lease, _later(now, lease), within=within):
            self._core.book.give_back(lease, within=within)

    def _but_asked(self, item: Item, lease: Leased, inquiry: Inquiry) -> tuple[FollowState, Owner]:
        """Return the follow as it was before the inquiry, which still counts."""
        state, owner = self._core.following(item)
        state.asked, state.asked_at, state.hinted = inquiry.state.asked, inquiry.state.asked_at, inquiry.state.hinted
        if item.version == inquiry.version:  # nothing but notices came meanwhile: it has its answer
            state.closed_at = inquiry.state.closed_at
            came = (one for one in item.signed if one not in lease.item.signed)
            state.signed = read(written((*inquiry.state.signed, *came)))
        return state, owner

    def _is_news(self, item: Item, inquiry: Inquiry, shown: dict[str, JSON]) -> bool:
        """Return whether to hand over an answer: it shows the last state, or one that contradicts it.

        An answer older than the known state is no news, and one with another amount than was requested belongs to another call. Of what
        was closed by hand, or was signed in a later state, a person decides.
        """
        state = inquiry.state
        held = state.closed_at is not None or state.disputed or state.behind or not self._core.tells(item.id.kind)
        if held or state.parts_open or of_another_call(self._core.contract, item, shown):
            return False
        return (state.decide and not state.unknown) or (
            state.settled and self._core.facts(item.id.kind).inquired_state(shown) == state.last_state
        )

    def _shown(self, item: Item, inquiry: Inquiry) -> dict[str, JSON] | None:
        """Return the data of the verified answer to the last question; None if it has none, or is about another key."""
        contract, query = self._core.contract, inquiry.state.query
        if query is None or inquiry.error is not None or inquiry.result is None:
            return None
        data = payload(contract.operation(query), inquiry.result.answer.body)
        if data is None:
            return None
        by = contract.following(item.id.kind).by
        key = data.get(by) or item.key  # it may leave out the key that it was asked for
        if key != item.key and (not isinstance(key, str) or self._core.id(item.id.kind, key) != item.id):
            return None
        return {**data, by: key}

    # When a run ends early

    def _watch(self, kind: str, error: PaywrightError | None) -> None:
        if isinstance(error, (NoAnswer, NotSent)):
            self._count("unanswered")
            self._goes_wrong(kind, NO_ANSWER, _UNANSWERED, f"the gateway gives no verified answer: {error}")
            return
        self._answered = True
        if isinstance(error, GatewayError) and not self._is_absence(error):
            self._count("unanswered")
            self._goes_wrong(kind, error.code, _REFUSED, f"every inquiry was refused: {error}")
        else:
            with self._lock:
                self._of_kind[kind].wrong = ""

    def _is_absence(self, error: GatewayError) -> bool:
        return error.code in self._core.contract.operation(error.operation).not_found_codes

    def _goes_wrong(self, kind: str, what: str, most: int, why: str) -> None:
        with self._lock:
            lane = self._of_kind[kind]
            if lane not in self._lanes or lane.goes_on(what, most):
                return
            self._end(lane)
            self._left.append(f"Of {kind}, {why}")
            if what == NO_ANSWER and not self._answered:  # it is away, whatever it is asked about
                self._lanes.clear()

    def _count(self, name: str, more: int = 1) -> None:
        with self._lock:
            self._counts[name] += more


def _later(item: Item, lease: Leased) -> Item:
    """Return an item that the run that leased it asks about once, whatever its clock does. An untold one waits for another follower."""
    at = None if item.step == "untold" else item.due_at
    return item if at is None or at >= lease.next_at else item._replace(due_at=lease.next_at)

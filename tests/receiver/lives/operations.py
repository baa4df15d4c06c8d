"""What can happen to an item, by name: each operation, when it is possible, and what it must have done if it says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from paywright import InvalidArgument, OutcomeUnknown, PaywrightError, contract
from paywright_receiver.items.open_items import Item
from tests.receiver.helpers.desk import APP, written
from tests.receiver.lives.life import ADDRESSES, AMOUNT, DAY, KEYS, KINDS, LIFETIME, REFERENCES, START, Life
from tests.receiver.lives.merchant import APART, Wrong, rank

__all__ = ["Story"]

ENDINGS: Final = ("ok", "refused", "not sent", "lost", "late", "gone")
"""How a call ends: with a success, refused, not sent; unknown and carried out, to be carried out later, or never."""
LISTED: Final = ("failed", "unhandled", "unreadable", "conflict")
LOCAL: Final = ("open", "correct", "placed", "hint", "close", "move", "discard")
"""What changes nothing if it raises, or returns False."""
LATE: Final = 10.0
"""Seconds after which the next run of a follower sees what is due."""
OTHER: Final = Decimal("99.00")


class Story(Life):
    """A life in which one operation follows another."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._rested: set[bytes] = set()
        self.calls = 0
        self.wrong: Wrong | None = None

    def do(self, name: str) -> str:
        """Let something happen, check it against what a merchant relies on, and return what came of it. Raises `Wrong`."""
        kind, _, what = name.partition(": ") if ": " in name else ("", "", name)
        verb, _, how = what.partition(", ")
        try:
            return self._do(kind or self.kinds[0], verb, how)
        except Wrong as wrong:
            self.look()
            for kept in (self.gateway.asked, self.given, self.taken):
                kept.clear()
            first, self.wrong = self.wrong or wrong, None
            raise first from None

    def _do(self, kind: str, verb: str, how: str) -> str:
        before, stored, owed = self.items[kind], self.rows, self.facts[kind].owed
        try:
            found: object = getattr(self, "_" + verb.replace(" ", "_"))(kind, how)
        except PaywrightError as error:
            found = f"! {type(error).__name__}"
        finally:
            self.failing, self.gateway.away, self.gateway.meanwhile = False, False, None
            self.gateway.mode, self.gateway.amount = "ok", str(AMOUNT)
        self._collect()
        if self.wrong is not None:
            raise self.wrong
        same = self.look() or (verb in LOCAL and self.stored() == self._stored(stored))
        self._check(kind, verb, found, before, self.items[kind], same, owed)
        return str(found)

    # What is possible

    def possible(self) -> Iterator[str]:
        """Name what can happen now."""
        for kind in self.kinds:
            front = "" if kind == self.kinds[0] else f"{kind}: "
            yield from (front + one for one in self._possible(kind))
        if self.address == 0 and any(self.items.values()):
            yield "change the address"
        if self.follower.next_due() is not None:
            yield from ("run", "run, the handler fails", "run, without a receiver", "run, the gateway is away")
            if "orders" in self.kinds:
                yield from ("run, of another amount", "run, of no amount")
        yield from ("wait, 5 seconds", "wait, 5 minutes", "wait, a day")
        if self._listed(*LISTED):
            yield from ("discard", "replay", "replay, conflicts")
        if self._listed("done", "stale"):
            yield "prune"

    def _possible(self, kind: str) -> Iterator[str]:
        item, thing, facts = self.items[kind], self.gateway.things[kind], self.facts[kind]
        yield "open"
        if KINDS[kind].write and not facts.called and not facts.absences:  # a program calls at once after it opens
            if item is None or item.status != "closed":
                yield from (f"call, {one}" for one in ENDINGS)
            elif item.due_at is not None:
                yield from (f"call, {one}" for one in ENDINGS if one != "late")
        if item is not None:
            yield from ("hint", "hint, settled", "close")
            if AMOUNT in KINDS[kind].followed.values():
                yield "open, otherwise"
            if KINDS[kind].queried and rank(thing.state) > 0 and not thing.theirs:
                yield f"close, {thing.state}"
            if facts.called == "ok":
                yield "placed"
            if item.step in ("place_again", "decide", "query") or item.status == "closed":
                yield "permission"
            if facts.told or item.status == "settled":
                yield from ("redeliver", "redeliver, fails")
            if self._elsewhere(item):
                yield from ("move", "move, as is")
        if self.permission is not None and self.permission.key == KINDS[kind].number:
            yield from (f"use, {one}" for one in ENDINGS)
        if thing.coming:
            yield "arrive"
        if thing.state and KINDS[kind].queried and not thing.theirs:
            for state in KINDS[kind].moves.get(thing.state, ()):
                yield f"become, {state}"
        if thing.state and KINDS[kind].told_as and (facts.registered or not thing.theirs):
            for state in _states(kind):
                if rank(state) > 0:
                    believed = (
                        not facts.registered or state != KINDS[kind].paid or AMOUNT not in KINDS[kind].followed.values()
                    )
                    bare = [" bare"] if KINDS[kind].queried else []
                    forms = ("", *bare, " fails", *([] if believed else [" other"]))
                    yield from (f"note, {state}{form}" for form in forms)
            yield f"note, {KINDS[kind].opens}{' bare' * KINDS[kind].queried}"
        if thing.state and KINDS[kind].queried:
            if item is not None and item.due_at is not None and KINDS[kind].told_as:
                last = KINDS[kind].paid
                yield from (f"run, note {last}", f"run, note {last} bare", "run, close", "run, hint")
            if kind == "orders" and thing.state == "PENDING":
                yield "expire"

    # The merchant's program

    def _follow(self, kind: str, how: str) -> Any:
        given = {name: OTHER if how and value == AMOUNT else value for name, value in KINDS[kind].followed.items()}
        return getattr(self.client, kind).follow(**given)

    def _open(self, kind: str, how: str) -> object:
        new = self.follower.open(None, self._follow(kind, how))
        self._know(kind, registered=True)
        return new

    def _correct(self, kind: str, how: str) -> object:
        return self.follower.correct(self._follow(kind, how))

    def _call(self, kind: str, ending: str, **again: Any) -> str:
        self.gateway.mode = ending
        calls = len(self.gateway.calls)
        try:
            resource, _, method = KINDS[kind].write.partition(".")
            getattr(getattr(self.client, resource), method)(**KINDS[kind].called, **again)
            end = "ok"
        except OutcomeUnknown as error:
            end = f"unknown: {error.reason}"
        except PaywrightError as error:
            end = ending if len(self.gateway.calls) > calls or ending == "not sent" else f"! {type(error).__name__}"
        now, sent = self.clock.seconds, len(self.gateway.calls) > calls
        left = sent and end not in ("refused", "not sent")
        facts = self.facts[kind].is_called(now) if left else self.facts[kind]
        self.facts[kind] = facts.uses(sent, now) if again else facts
        self._know(kind, called="" if end in ("refused", "not sent") else end)
        return end

    def _placed(self, kind: str, how: str) -> object:
        return self.follower.placed(kind, KINDS[kind].number)

    def _hint(self, kind: str, how: str) -> object:
        found = self.follower.hint(kind, KINDS[kind].number, settled=bool(how))
        if found:
            self._promise(kind)
        return found

    def _close(self, kind: str, how: str) -> object:
        more: Any = {"state": how} if how else {}
        found = self.follower.close(kind, KINDS[kind].number, "by hand", **more)
        facts = self.facts[kind]
        if found:
            self._know(kind, owed=False, permission="void" if facts.permission else "")
        if how and found and how not in facts.told:
            self._know(kind, told=(*facts.told, how), owed=False)  # who closes it has booked it
        return found

    def _permission(self, kind: str, how: str) -> object:
        self.permission = None
        given = self.follower.permission(kind, KINDS[kind].number)
        self._collect()
        self.facts[kind] = self.facts[kind].is_permitted(self.clock.seconds)
        self.permission = given
        return "given"

    def _use(self, kind: str, ending: str) -> object:
        return "there is none" if self.permission is None else self._call(kind, ending, again=self.permission)

    def _move(self, kind: str, how: str) -> object:
        found = self.follower.move(kind, KINDS[kind].number, as_is=bool(how))
        if found:
            self._collect()
            self._know(kind, absences=())
        return found

    def _redeliver(self, kind: str, how: str) -> object:
        self.failing = bool(how)
        return self.follower.redeliver(kind, KINDS[kind].number).outcome

    def _change_the_address(self, kind: str, how: str) -> None:
        self.address = 1
        self.start_anew()

    def _run(self, kind: str, how: str) -> object:
        due = self.follower.next_due()
        if due is not None:
            self.gateway.pass_to((due - START).total_seconds() + LATE)
        self.failing, self.gateway.away = how == "the handler fails", how == "the gateway is away"
        self.gateway.amount = {"of another amount": str(OTHER), "of no amount": ""}.get(how, str(AMOUNT))
        if how.startswith(("note", "close", "hint")):
            verb, _, what = how.partition(" ")
            self.gateway.meanwhile = lambda: self._meanwhile(kind, verb, what)
        follower = self.bookkeeper if how == "without a receiver" else self.follower
        done = follower.run_due()
        if done.asked > len(self.kinds):
            raise Wrong("a run asks about an item more than once")
        return f"asked {done.asked}, handled {done.handled}, failed {done.failed}, conflicts {done.conflicts}"

    def _lose_the_network(self, kind: str, how: str) -> None:
        """Have followers run for a day, and no answer come."""
        until = self.clock.seconds + 1.1 * DAY
        while self.clock.seconds < until and self.follower.next_due() is not None:
            self._run(kind, "the gateway is away")

    # Staff

    def _discard(self, kind: str, how: str) -> object:
        found = True
        for entry in self._listed(*LISTED):
            one, state, ours = self._kept(entry)
            found = self.ledger.discard(entry.key, entry.digest) and found
            if ours:
                facts, unread = self.facts[one], {state} if entry.status == "unreadable" else set[str]()
                self.facts[one] = facts._replace(by_hand=facts.by_hand | {state}, unread=facts.unread | unread)
        return found

    def _replay(self, kind: str, how: str) -> object:
        found: list[str] = []
        for entry in self._listed(*(["conflict"] if how else LISTED[:3])):
            try:
                found.append(self.receiver.replay(entry.key, entry.digest).outcome)
            except InvalidArgument:
                found.append("refused")
            self._collect()
        return found

    def _accept(self, kind: str, how: str) -> object:
        return self.ledger.forget_identity(f"{APP}/{KINDS[kind].told_as}")

    def _prune(self, kind: str, how: str) -> object:
        self.gateway.pass_to(self.clock.seconds + 9 * DAY)
        by_its_server = getattr(self.ledger, "pass_time", None)
        if by_its_server is None:
            return self.ledger.prune(self.clock.now())
        by_its_server(timedelta(days=9))
        return self.ledger.prune(datetime.now(UTC))

    # The gateway, and time

    def _arrive(self, kind: str, how: str) -> None:
        self.gateway.arrive(kind)

    def _become(self, kind: str, state: str) -> None:
        self.gateway.become(kind, state)

    def _expire(self, kind: str, how: str) -> None:
        self.gateway.pass_to(max(self.clock.seconds, LIFETIME, self.gateway.things[kind].closes_at))

    def _wait(self, kind: str, how: str) -> None:
        self.gateway.pass_to(self.clock.seconds + {"5 seconds": 5.0, "5 minutes": APART, "a day": DAY}[how])

    def _note(self, kind: str, how: str) -> object:
        state, _, form = how.partition(" ")
        one, thing = KINDS[kind], self.gateway.things[kind]
        if not thing.theirs and form != "other":
            self.gateway.become(kind, state)
        data: dict[str, Any] = {one.by: one.number, "status": state}
        if form != "bare":
            data |= {
                name: str(OTHER) if form == "other" and value == str(AMOUNT) else value
                for name, value in one.notified.items()
            }
        if thing.theirs:
            data["reference"] = REFERENCES[1]
        if not one.queried:
            data = contract.example("notifications.subscription_payment.notification")["data"]  # type: ignore[assignment]  # it is an object
            data["subscriptionRequestId"] = one.number
            data["subscriptionPaymentDetail"] |= {"paymentStatus": state, "periodEndTime": written(START)}
        root = {"code": "APPLY_SUCCESS", "msg": "", "keyVersion": "1", "appId": APP, "notifyType": one.told_as}
        body: Any = {**root, "notifyTime": written(self.clock.now()), "data": data}
        raw = json.dumps(body).encode()
        ours = form != "other" and not thing.theirs
        if ours:
            self.facts[kind] = self.facts[kind].signed(state)
        self.failing = form == "fails"
        self.calls = 0
        reply = self.receiver.receive(raw, {"sign": KEYS.sign(raw)})
        self.failing = False
        self._collect()
        if ours and reply.acknowledged:
            self.facts[kind] = self.facts[kind].acknowledges(state)
        if self.calls != (reply.outcome == "handled"):
            raise Wrong(f"the notification was {reply.outcome}, and handlers were called {self.calls} times")
        known = max(map(rank, self.facts[kind].told), default=0)
        if reply.outcome == "noted" and ours and rank(state) > known:
            self._promise(kind)
        return reply.outcome

    # What is checked

    def rest(self) -> None:
        """Let all come to rest, paid and without a webhook. Raises `Wrong` if something is missing then."""
        for kind in self.kinds:
            self.gateway.arrive(kind) if self.gateway.things[kind].coming else None
            if self.gateway.things[kind].state == KINDS[kind].opens and KINDS[kind].queried:
                self.gateway.become(kind, KINDS[kind].paid)
            item = self.items[kind]
            if item is not None and self._elsewhere(item):
                self.do(f"{kind}: move")
        if self._listed(*LISTED[:3]):
            self.do("replay")
        passed, missing = list[bytes](), ""
        for _ in range(16):
            passed.append(self.state())
            missing = self._missing()
            if not missing or passed[-1] in self._rested:
                self._rested.update(passed)
                return
            if self.follower.next_due() is None:
                break
            if len(passed) % 4 == 0:  # one item is asked about every five minutes, and another one once a day
                self.do("wait, a day")
            if self.do("run").startswith("asked 0"):  # another process may have had it
                self.do("wait, 5 minutes")
        raise Wrong(f"at rest: {missing}")

    def _missing(self) -> str:
        listed = bool(self._listed(*LISTED))
        for kind in self.kinds:
            item, thing = self.items[kind], self.gateway.things[kind]
            status, step = ("", "") if item is None else (item.status, item.step)
            due = item is not None and item.due_at is not None
            away = item is not None and due and self._elsewhere(item)
            why = self.facts[kind].at_rest(
                thing.state * KINDS[kind].queried, thing.theirs, listed or away or (status == "open" and step in ("decide", "place_again")),
                status == "settled", status == "closed", due, status == "open" and step == "decide" and not (listed or away or self.kinds[1:]),
            )  # fmt: skip
            if why:
                return f"{kind}: {why}"
        return ""

    def _check(
        self, kind: str, verb: str, found: object, before: Item | None, after: Item | None, same: bool, owed: bool
    ) -> None:
        """True: this made it so. False: it was so before. Whatever else happened is an error, and changed nothing."""
        facts = self.facts[kind]
        if after is not None and facts.told and KINDS[kind].queried and after.effect != facts.told[-1]:
            raise Wrong(f"the handler was given {facts.told[-1]}, and the record says {after.effect}")
        stands = after is None or after.status != "settled" or after.state in (*facts.told[-1:], *facts.by_hand)
        if facts.told and KINDS[kind].queried and not stands:
            raise Wrong(f"the handler was given {facts.told[-1]}, and the record stands in another state")
        if str(found).startswith("! ") and verb in LOCAL and not same:
            raise Wrong(f"{verb} raised {found}, and something changed")
        there = before is not None and before.status != "closed"
        is_due = after is not None and (
            after.due_at is not None or after.status == "settled" or not KINDS[kind].queried
        )
        is_closed = after is not None and after.status == "closed"
        wrong = {
            ("open", True): there or not is_due or is_closed,
            ("open", False): not there or not same,
            ("placed", True): not is_due or is_closed,
            ("placed", False): not there or not same,
            ("hint", True): after is None or after.due_at is None,
            ("hint", False): not same,
            ("close", True): after is None or after.status != "closed",
            ("close", False): there or not same,
            ("discard", True): bool(self._listed(*LISTED)),
            ("move", True): after is None or before is None or after.address == before.address,
            ("move", False): after is None or before is None or after.address != before.address,
        }
        either = before is not None and before.status == "closed" and self._is_due(before)  # it is followed, and closed
        if isinstance(found, bool) and wrong.get((verb, found)) and not either:
            raise Wrong(f"{verb} returned {found}, and that is not so")
        if owed and facts.owed and before is not None and before.due_at is not None and after is not None:
            due = max(before.due_at, self.clock.now()) + timedelta(minutes=1)  # questions keep a distance
            new = verb == "open" and found is True  # its following has begun anew
            if verb in ("open", "placed", "hint", "note") and not new and (after.due_at is None or after.due_at > due):
                raise Wrong("it is asked about later than was promised")

    # Smaller things

    def _stored(self, rows: dict[str, tuple[Any, ...]]) -> str:
        now, self.rows = self.rows, rows
        try:
            return self.stored()
        finally:
            self.rows = now

    def _meanwhile(self, kind: str, verb: str, what: str) -> None:
        try:
            self._collect()
            getattr(self, "_" + verb)(kind, what)
        except Wrong as wrong:  # raised here, it would be an error of the transport
            self.wrong = wrong

    def _is_due(self, item: Item) -> bool:
        return item.due_at is not None and item.due_at <= self.clock.now()

    def _elsewhere(self, item: Item) -> bool:
        return not item.address.startswith(ADDRESSES[self.address])

    def _promise(self, kind: str) -> None:
        item = self.follower.get(kind, KINDS[kind].number)
        if item is not None and item.due_at is not None:
            self._know(kind, owed=True)
        elif item is not None:
            raise Wrong("it is to be asked about, and never will be")

    def _know(self, kind: str, **facts: Any) -> None:
        self.facts[kind] = self.facts[kind]._replace(**facts)

    def _collect(self) -> None:
        """Take in what the gateway was asked, and what handlers were given."""
        asked, given = self.gateway.asked[:], self.given[:]
        self.calls += len(given) + len(self.taken)
        self.gateway.asked.clear()
        self.given.clear()
        for kind, shown in asked:
            ours = not self.gateway.things[kind].theirs
            self.facts[kind] = self.facts[kind].is_asked(shown if ours else "PENDING", self.clock.seconds)
        for result in self.taken:
            state, facts = str(result.state), self.facts[result.kind]
            self.facts[result.kind] = facts._replace(by_hand=facts.by_hand | ({state} & facts.shown))
        self.taken.clear()
        for result, again in given:
            thing, facts = self.gateway.things[result.kind], self.facts[result.kind]
            if again and facts.told:
                facts.is_told_again(result)
            else:
                self.facts[result.kind] = facts.is_told(result, thing.theirs, AMOUNT, KINDS[result.kind].queried)

    def _listed(self, *statuses: str) -> list[Any]:
        if self._columns and not any(rows for name, rows in self.rows.items() if name.endswith("notifications")):
            return []
        found = [one for one in self.ledger.list(most=99) if one.status in statuses]
        return sorted(found, key=lambda one: (one.notify_time, one.key, one.digest))

    def _kept(self, entry: Any) -> tuple[str, str, bool]:
        """Return the kind and the state of what the ledger keeps, and whether it is about our item."""
        raw: Any = self.ledger.body(entry.key, entry.digest)
        text = "" if raw is None else raw.decode()
        kind = next((one for one in self.kinds if KINDS[one].number in text), self.kinds[0])
        state = entry.state or next((one for one in _states(kind) if f'"{one}"' in text), "")
        return kind, state, str(OTHER) not in text and not self.gateway.things[kind].theirs


def _states(kind: str) -> list[str]:
    """Return all states of a kind but the first."""
    return sorted({state for after in KINDS[kind].moves.values() for state in after})

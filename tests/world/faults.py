"""Faults for `planted` that are more than a value: each gets what it takes the place of, and its arguments."""

from __future__ import annotations

from copy import copy
from datetime import datetime, timedelta
from typing import Any

from paywright_audit.cross_exchange.history.rows import ABSENT, BLIND
from paywright_audit.judging.clocks import Times
from paywright_receiver.items.open_items import ItemId
from paywright_receiver.webhooks.verification import NotTaken
from paywright_runtime.errors import TooEarly

__all__: list[str] = []


# The follower and the receiver


def believes_hints(line: Any, notice: Any) -> str:
    if notice.source == "hint":
        notice = notice._replace(state="SUCCESS", source="handled", answered="yes")
    return str(line(notice))


def drops(merge: Any, run: Any, lease: Any, now: Any, shown: Any, within: Any, *, asked: bool = False) -> None:
    if not run._core.book.keep(lease, now, within=within) and asked:
        run._core.book.give_back(lease, within=within)


def forgets_another_amount(read: Any, results: Any, delivery: Any) -> Any:
    found = read(results, delivery)
    return "noted" if getattr(found, "foreign", "") else found


def minds_the_case(facts: Any, app_id: str, key: str) -> ItemId:
    return ItemId(app_id, facts.kind, key)


def reads_the_state_alone(read: Any, facts: Any, data: Any, *places: Any) -> Any:
    return read(facts, data, *places[:4])


def keeps_a_conflict(verdict: Any, request: Any, record: Any, beside: Any, effect: Any) -> Any:
    if record is not None and record.status == "conflict" and record.digest == request.digest:
        return "contradiction"
    return verdict(request, record, beside, effect)


def waits(lease_to_place: Any, core: Any, kind: str, key: str) -> Any:
    lease = lease_to_place(core, kind, key)
    if lease.item.due_at is not None and lease.item.due_at > core.now().wall:
        core.book.give_back(lease)
        raise TooEarly(key=key, why="it is not time to ask", come_back_at=lease.item.due_at)
    return lease


def commits(end: Any, ledger: Any, db: Any, *, ended: bool, error: BaseException | None = None) -> None:
    if not ended and db.in_transaction:
        getattr(db, "unguard", lambda: None)()
        db.execute("COMMIT")
    end(ledger, db, ended=ended)


def refuses_yesterday(fresh: Any, verifier: Any, time: datetime | None, now: datetime | None) -> Any:
    if time is not None and now is not None and now - time > timedelta(hours=12):
        raise NotTaken("too_old", "it is of yesterday")
    return fresh(verifier, time, now)


def ignores_the_period(part: Any, data: Any, path: tuple[str, ...], number: bool) -> Any:
    return "1" if path[-1] == "subscriptionIndex" else part(data, path, number)


def knows_one_key(verify: Any, verifier: Any, raw: bytes, signature: str) -> Any:
    one = copy(verifier)
    one._keys = one._keys[:1]
    return verify(one, raw, signature)


# The audit


def compares_files(without_copies: Any, rows: Any) -> Any:
    return without_copies(rows) if len({row.file for row in rows}) > 1 else (list(rows), [])


def forgets_what_ended_a_permission(permitted: Any, history: Any, rows: Any, number: int) -> Any:
    history._doubtful = []
    return permitted(history, rows, number)


def knows_no_message(take: Any, history: Any, rows: Any, number: int) -> Any:
    history._sent.clear()
    history._writes.clear()
    return take(history, rows, number)


def counts_what_is_lost_as_absent(outcome: Any, *given: Any) -> Any:
    found = outcome(*given)
    return ABSENT if found == BLIND else found


def answers_apart(answer_of: Any, row: Any) -> Any:
    return row.file, row.at, answer_of(row)


def believes_the_capture(times_of: Any, at: Any, until: Any, signed: Any, date: Any, **more: Any) -> Any:
    return times_of(at, until, signed, date, **more) if at is None else Times(at, at, until or at, signed)

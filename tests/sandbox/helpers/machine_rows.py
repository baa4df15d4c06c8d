"""What always holds of a sandbox's tables, outbox and log, whatever was done: looked at after every step."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from decimal import ROUND_DOWN, ROUND_UP, Decimal
from typing import TYPE_CHECKING, Any

from paywright import validate
from paywright.contract import CONTRACT
from paywright_runtime.signing.rsa import RsaVerifier, SignatureProblem
from paywright_sandbox.delivery.attempts import foreign_signer, outgoing_request
from paywright_sandbox.delivery.outbox import KINDS, Notification
from paywright_sandbox.engine.state.tables import instant

if TYPE_CHECKING:
    from tests.sandbox.helpers.machine_world import World

Row = dict[str, Any]
Rows = dict[str, dict[int, Row]]

SECOND = 10**6
DAY = 86400 * SECOND
OVER = ("DISPUTE_END", "CASE_CLOSED", "CASE_CANCEL")
WAITING = ("INACTIVE", "ACTIVE_FAILED")
BILL = "merchant.validate_bill_payment"
WIRE = ("reset", "hang", "cut", "drip")

# The states of a table by the contract, those in which a row begins, and those from which the clock takes it: when, and to what.
STATES = {
    "orders": ("OrderStatus", ("PENDING", "SUCCESS", "FAILED"), "PENDING", lambda row: row["expires_at"], "FAILED"),
    "refunds": ("RefundStatus", ("REFUND_PENDING", "REFUND_SUCCESS"), "REFUND_PENDING", lambda row: row["created_at"] + 2 * SECOND,
                "REFUND_SUCCESS"),
    "exchanges": ("ExchangeStatus", ("PENDING", "SUCCESS", "FAILED"), "PENDING", lambda row: row["created_at"] + 2 * SECOND, "SUCCESS"),
    "withdrawals": ("WithdrawStatus", ("PROCESSING", "SUCCESS", "FAILED"), "PROCESSING", lambda row: row["created_at"] + 2 * SECOND,
                    "SUCCESS"),
    "tokens": ("PaymentTokenStatus", ("Activated", "Expired"), "Activated", lambda row: row["expires_at"], "Expired"),
    "links": ("LinkStatus", ("ACTIVE", "EXPIRED"), "ACTIVE", lambda row: row["expires_at"], "EXPIRED"),
    "plans": ("SubscriptionStatus", ("INACTIVE", "EXPIRED"), WAITING, lambda row: row["created_at"] + DAY, "EXPIRED"),
    "periods": ("PeriodPaymentStatus", ("PENDING", "SUCCESS", "FAILED", "CLOSED"), (), None, ""),
    "transfers": ("TransferStatus", ("TO_BE_PROVED", "SETTLED", "REJECTED"), (), None, ""),
}  # fmt: skip
OTHERS = {
    "bill_payments": {"PAID": (), "REFUSED": (), "UNANSWERED": ()},
    "cases": dict.fromkeys(("DISPUTE_INQUIRY", "DISPUTE_RECEIVED"), ("DISPUTE_INQUIRY", "DISPUTE_RECEIVED", *OVER)) | dict.fromkeys(OVER, ()),
    "notifications": {"DUE": ("ACKNOWLEDGED", "USED_UP"), "USED_UP": ("ACKNOWLEDGED",), "ACKNOWLEDGED": ()},
}  # fmt: skip
TABLES = (*STATES, *OTHERS, "balances")
FIXED = (
    "merchant", "key", "out_trade_no", "out_refund_no", "request_id", "trade_token", "refund_trade_no", "amount",
    "currency", "user_id", "order_id", "plan", "period", "number", "created_at", "starts_at", "body", "about", "fee",
)  # fmt: skip


def moves(table: str) -> dict[str, tuple[str, ...]]:
    """From each state the states to go to: what is final stays, what is paid can only be returned."""
    if table in OTHERS:
        return OTHERS[table]
    states = CONTRACT.set(STATES[table][0])
    return {
        state: () if state in states.final else states.returned if state in states.settled else tuple(states.values)
        for state in states.values
    }


MOVES = {table: moves(table) for table in (*STATES, *OTHERS)}


def who(row: Row) -> int:
    return int(row["merchant"][-1]) - 1


def fold(key: str) -> str:
    return key.lower()  # the keys here are of ASCII


def look(world: World) -> None:
    """Reads all tables once, judges them, and keeps them for the next time."""
    world.engine.run_due_timers()
    assert world.engine.clock.now() == world.now
    world.engine.captures.write()  # what waits to be written
    with world.store.transaction() as state:
        rows: Rows = {
            table: {int(str(row["id"])): row for row in state.all(f"SELECT * FROM {table} ORDER BY id")}
            for table in TABLES
        }
        attempts = state.all("SELECT notification, asked FROM attempts")
        events = state.all("SELECT seq, kind, detail FROM events WHERE seq > ? ORDER BY seq", world.events)
        records = state.all("SELECT * FROM captures WHERE id > ? ORDER BY id", world.records)
    before, world.rows = world.rows, rows
    now = instant(world.now)
    for table in MOVES:
        rows_move_as_stated(table, before.get(table, {}), rows[table], now)
    refunds_are_within_what_was_paid(rows)
    plans_charge_every_period_once(rows, now)
    money_adds_up(world, rows)
    saved = Counter(
        (row["merchant"], row["user_id"], row["method"], row["target_org"], row["card"])
        for row in rows["tokens"].values()
        if row["status"] == "Activated"
    )
    assert all(count == 1 for count in saved.values())  # of one card or account there is one
    paid = Counter(
        (row["merchant"], row["reference_no"]) for row in rows["bill_payments"].values() if row["status"] == "PAID"
    )
    assert all(count == 1 for count in paid.values())
    notifications_are_kept_and_delivered(world, before.get("notifications", {}), attempts, events, records)
    the_log_is_whole(world, events, records)
    world.count("steps")


def rows_move_as_stated(table: str, before: dict[int, Row], rows: dict[int, Row], now: int) -> None:
    assert before.keys() <= rows.keys(), table  # nothing disappears
    for number, row in rows.items():
        was, status = before.get(number), row["status"]
        if table in STATES and STATES[table][3] is not None:
            _, _, waits, due, ends = STATES[table]
            assert status not in waits or due(row) > now, (table, row)
            ended = row.get("finished_at")
            if ended is not None and ended < now and was is not None and was["status"] == waits and not row.get("plan"):
                assert (ended, status) == (due(was), ends), (
                    table,
                    was,
                    row,
                )  # by the clock: at its time, and in its way
        if was == row:
            continue
        if was is None:
            assert status in (STATES[table][1] if table in STATES else MOVES[table]), (table, status)
            continue
        allowed = MOVES[table][was["status"]]
        if not allowed:  # final: nothing of it changes but what the next charges are told to do
            assert was | {"failing": 0} == row | {"failing": 0}, (table, was)
        elif (
            table == "orders" and was["status"] == "SUCCESS"
        ):  # paid: it may be returned, and nothing else of it changes
            assert row == was | {"status": "BOUNCEBACK", "bounced_at": now}, was
        else:
            assert status == was["status"] or status in allowed, (table, was["status"], status)
            assert [was.get(name) for name in FIXED] == [row.get(name) for name in FIXED], table


def rest(rows: Rows, order: Row) -> Decimal:
    """What of a paid order neither refunds have taken nor cases dispute, or have lost."""
    return left(rows, order, "refunds") + left(rows, order, "cases") - Decimal(order["amount"])


def left(rows: Rows, order: Row, table: str) -> Decimal:
    taken = [
        Decimal(row["amount"])
        for row in rows[table].values()
        if row["order_id"] == order["id"]
        and (
            row["status"] != "REFUND_FAILED"
            if table == "refunds"
            else row["status"] not in OVER or row["result"] == "FAI"
        )
    ]
    return Decimal(order["amount"]) - sum(taken)


def refunds_are_within_what_was_paid(rows: Rows) -> None:
    keys = [(row["merchant"], fold(row["out_trade_no"])) for row in rows["orders"].values()]
    assert len(set(keys)) == len(keys)  # unique, whatever their case
    keys = [(row["merchant"], row["out_refund_no"]) for row in rows["refunds"].values()]
    assert len(set(keys)) == len(keys)
    for row in (*rows["refunds"].values(), *rows["cases"].values()):
        order = rows["orders"][row["order_id"]]
        assert (order["outcome"], order["currency"], order["merchant"]) == ("paid", row["currency"], row["merchant"])
        gone = row["status"] == "REFUND_FAILED" or (row["status"] in OVER and row.get("result") != "FAI")
        assert order["status"] == "SUCCESS" or gone  # never given back twice
        assert rest(rows, order) >= 0
        assert row.get("created_at", order["created_at"]) - order["created_at"] <= 180 * DAY


def plans_charge_every_period_once(rows: Rows, now: int) -> None:
    for number, plan in rows["plans"].items():
        begun = [period for period in rows["periods"].values() if period["plan"] == number]
        opens, length = plan["opens_at"], plan["count"] * DAY
        until = plan["ended_at"] or now
        due = 0 if opens is None else max(0, min(plan["total"], (until - opens) // length + 1))
        assert opens is None or opens == plan["activated_at"] + plan["trial_days"] * DAY
        assert len(begun) == plan["begun"] == due
        assert [period["number"] for period in begun] == list(range(1, due + 1))
        done = due == plan["total"] and all(period["status"] != "PENDING" for period in begun)
        assert plan["status"] != "ACTIVE" or not done
        for period in begun:
            tries = [order for order in rows["orders"].values() if order["period"] == period["id"]]
            a_period_is_paid_at_most_once(plan, period, tries, opens + (period["number"] - 1) * length)
        by = [order for order in rows["orders"].values() if order["plan"] == number and order["period"] is None]
        if plan["status"] not in WAITING:
            assert all(order["status"] != "PENDING" for order in by)  # nobody can pay for what waits no longer
        assert sum(order["status"] in ("SUCCESS", "BOUNCEBACK") for order in by) == (plan["activated_at"] is not None)


def a_period_is_paid_at_most_once(plan: Row, period: Row, tries: list[Row], starts: int) -> None:
    assert period["starts_at"] == starts
    if period["number"] == 1 and not plan["trial_days"]:  # by the order that has activated the plan
        assert (period["status"], period["tries"], tries) == ("SUCCESS", 1, [])
        return
    assert sum(order["status"] in ("SUCCESS", "BOUNCEBACK") for order in tries) == (period["status"] == "SUCCESS")
    assert period["tries"] == len(tries) <= 4
    assert all(order["amount"] == plan["amount"] for order in tries)
    for order in tries:
        assert order["created_at"] == starts  # six hours after the try before it, which must have failed
        assert order["status"] == "FAILED" or order is tries[-1]
        starts = (order["finished_at"] or starts) + 6 * 3600 * SECOND
    ended = plan["status"] not in ("ACTIVE", *WAITING)
    assert not ended or all(order["created_at"] <= plan["ended_at"] for order in tries)
    assert period["status"] != "FAILED" or len(tries) == 4 or ended
    assert period["status"] != "CLOSED" or (ended and tries[-1]["status"] == "FAILED")


def sides(exchange: Row) -> tuple[tuple[str, Decimal], tuple[str, Decimal]]:
    """What went when an exchange was made, and what comes when it succeeds."""
    one = exchange["transaction_ccy"], Decimal(exchange["transaction_amount"])
    other = exchange["target_ccy"], Decimal(exchange["target_amount"])
    return (one, other) if exchange["side"] == "SELL" else (other, one)


def converted(amount: Decimal, rate: Decimal, currency: str, side: str) -> Decimal:
    """What an amount costs (BUY) or brings (SELL) in another currency, rounded against the client."""
    least = Decimal(1) if currency == "JPY" else Decimal("0.01")
    return (amount * rate).quantize(least, ROUND_UP if side == "BUY" else ROUND_DOWN)


def held(world: World, rows: Rows) -> dict[tuple[int, str], Decimal]:
    """The balances as they must be, by what was credited, exchanged, withdrawn and frozen."""
    due: defaultdict[tuple[int, str], Decimal] = defaultdict(Decimal, world.first)
    for row in rows["exchanges"].values():
        went, comes = sides(row)
        due[who(row), went[0]] -= went[1] if row["status"] != "FAILED" else 0
        due[who(row), comes[0]] += comes[1] if row["status"] == "SUCCESS" else 0
    for row in rows["withdrawals"].values():
        total = Decimal(row["transaction_amount"]) + Decimal(row["fee"])
        due[who(row), row["transaction_currency"]] -= total if row["status"] != "FAILED" else 0
    for row in rows["cases"].values():
        given_back = row["status"] in OVER and row["result"] != "FAI"
        assert Decimal(row["frozen"]) == Decimal(row["amount"]) + Decimal("0.10")
        due[who(row), row["currency"]] -= 0 if given_back else Decimal(row["frozen"])
    return due


def money_adds_up(world: World, rows: Rows) -> None:
    due = held(world, rows)
    for row in rows["balances"].values():
        assert 0 <= Decimal(row["amount"]) == due.pop((who(row), row["currency"]))
    assert due == {key: amount for key, amount in world.first.items() if key in due}
    for row in rows["exchanges"].values():
        rate, target = Decimal(row["rate"]), row["target_ccy"]
        assert Decimal(row["target_amount"]) == converted(Decimal(row["transaction_amount"]), rate, target, row["side"])


# The outbox and the log


def told(rows: Rows) -> Counter[tuple[str, str, str]]:
    """How many notifications there must be of each kind and number, without transfers."""
    due = Counter(
        (row["merchant"], "PAYMENT", row["out_trade_no"])
        for row in rows["orders"].values()
        if row["finished_at"] and row["period"] is None
    )
    due += Counter(
        (row["merchant"], "REFUND", row["out_refund_no"]) for row in rows["refunds"].values() if row["finished_at"]
    )
    due += Counter(
        (row["merchant"], "WITHDRAW", row["out_trade_no"]) for row in rows["withdrawals"].values() if row["finished_at"]
    )
    ended = [
        rows["plans"][period["plan"]]
        for period in rows["periods"].values()
        if period["status"] in ("SUCCESS", "FAILED")
    ]
    return due + Counter((plan["merchant"], "SUBSCRIPTION_PAYMENT", plan["request_id"]) for plan in ended)


def notifications_are_kept_and_delivered(
    world: World, before: dict[int, Row], attempts: list[Any], events: list[Any], records: list[Any]
) -> None:
    rows, now = world.rows["notifications"], instant(world.now)
    there = Counter((row["merchant"], row["kind"], row["about"]) for row in rows.values())
    for transfer in world.rows["transfers"].values():
        count = there.pop((transfer["merchant"], "RECEIVE", transfer["request_no"]))
        assert count == 1 if transfer["finished_at"] is None else 1 <= count <= 2
    assert there == told(world.rows)
    made = Counter(attempt["notification"] for attempt in attempts if not attempt["asked"])
    for number, row in rows.items():
        assert row["attempts"] == made[number]
        assert (row["next_at"] is not None) == (row["status"] == "DUE" and row["attempts"] < 6)  # of the usual schedule
        assert row["status"] != "ACKNOWLEDGED" or row["body"] in world.shop.acknowledged  # it really was
        assert row["status"] != "USED_UP" or row["attempts"] == 6
        if number not in before:
            assert row["created_at"] <= now
            one_is_as_the_contract_shows_it_and_signed(world, row)
            world.count("notifications judged")
    sent = [record for record in records if record["kind"] == "notify" and record["operation"] != BILL]
    spoiled = Counter(kind for kind in (how_spoiled(world, record) for record in sent) if kind)
    struck = Counter(detail["kind"] for detail in strikes(events))
    assert spoiled == Counter({kind: count for kind, count in struck.items() if kind in ("wrong-key", "corrupted")})
    assert len(sent) == len(attempts) - world.attempts + struck["duplicate"]
    world.attempts = len(attempts)


def one_is_as_the_contract_shows_it_and_signed(world: World, row: Row) -> None:
    with world.engine.store.transaction() as state:
        outgoing = outgoing_request(world.engine, state.get(Notification, row["id"]))
    kind = KINDS[row["kind"]]
    assert outgoing.body == row["body"]
    world.at.verifier.verify(outgoing.body, dict(outgoing.headers)["sign"])
    if kind.operation is not None:
        assert validate(kind.operation, "notification", outgoing.body, headers=outgoing.headers) == []
    else:  # its contents are not shown: the policy says so with it
        assert dict(outgoing.headers)["X-Sandbox-Policy"] == "unshown-notifications"
    body = json.loads(outgoing.body)
    assert (body["notifyType"], body["appId"]) == (row["kind"], row["merchant"])


def how_spoiled(world: World, record: Row) -> str | None:
    """None for a delivery as it should be; else which fault it must have met."""
    headers = dict(json.loads(record["request_headers"]))
    meant = [row for row in world.rows["notifications"].values() if row["about"] == record["key"]]
    try:
        world.at.verifier.verify(record["request"], headers["sign"])
    except SignatureProblem:
        if any(row["body"] == record["request"] for row in meant):
            RsaVerifier([foreign_signer().public]).verify(record["request"], headers["sign"])
            return "wrong-key"
        assert any(sum(a != b for a, b in zip(row["body"], record["request"], strict=False)) == 1 for row in meant)
        return "corrupted"
    assert any((row["body"], row["url"]) == (record["request"], record["url"]) for row in meant)
    return None


def strikes(events: list[Any]) -> list[Row]:
    return [json.loads(event["detail"]) for event in events if event["kind"] == "fault.struck"]


def the_log_is_whole(world: World, events: list[Any], records: list[Any]) -> None:
    """One record for each exchange, with the bytes of both sides as they were."""
    calls = [record for record in records if record["kind"] == "call"]
    assert len(calls) == len(world.exchanges)
    for record, (raw, reply) in zip(calls, world.exchanges, strict=True):
        kind = (record["fault"] or "").partition(" ")[0]
        assert record["request"] == raw
        assert (reply.fault is not None) == (kind in WIRE)
        if kind in ("reset", "hang"):
            assert (record["status"], record["response"]) == (None, None)
        else:
            sent = reply.body[: len(reply.body) // 2] if kind == "cut" else reply.body
            assert (record["status"], record["response"]) == (reply.status, sent)
            length = ["content-length", str(len(reply.body))]
            assert json.loads(record["response_headers"]) == [*map(list, reply.headers), length]
    posted = [record["request"] for record in records if record["kind"] == "notify" and record["url"] == world.shop.url]
    assert posted == [got.raw for got in world.shop.got]
    world.count("exchanges judged", len(world.exchanges))
    for event in events:
        world.count(f"event: {event['kind']}")
    for detail in strikes(events):
        world.count(f"struck: {detail['kind']}")
    world.exchanges, world.shop.got = [], []
    world.records = max([world.records, *(record["id"] for record in records)])
    world.events = max([world.events, *(event["seq"] for event in events)])

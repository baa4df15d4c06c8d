"""What always holds: the tables say what the model says, and move only as stated. Asked after every step."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import timedelta
from decimal import Decimal
from typing import Any

from paywright_sandbox.engine.state.store import instant, moment
from tests.sandbox.helpers.balances import balances_from_events
from tests.sandbox.helpers.machine_log import notifications_are_kept_and_delivered, the_log_is_whole
from tests.sandbox.helpers.machine_model import WAITING, Plan, fold
from tests.sandbox.helpers.machine_world import World

TABLES = (
    "orders", "refunds", "plans", "periods", "exchanges", "withdrawals", "transfers", "bill_payments", "cases",
    "tokens", "links", "balances", "notifications",
)  # fmt: skip
APPS = {"app_sandbox_1": 0, "app_sandbox_2": 1}
DAYS_180 = 180 * 86400 * 10**6

# What is stated: in which states a row begins, and from which it goes to which. From all others it does not move, and
# nothing of it changes [2.3, 2.4, 2.5, 2.6, 2.7, 2.9, 2.10, 2.12].
FIRST = {
    "orders": {"PENDING", "SUCCESS", "FAILED"},
    "refunds": {"REFUND_PENDING", "REFUND_SUCCESS"},
    "plans": {"INACTIVE", "EXPIRED"},
    "periods": {"PENDING", "SUCCESS", "FAILED", "CLOSED"},
    "exchanges": {"PENDING", "SUCCESS", "FAILED"},
    "withdrawals": {"PROCESSING", "SUCCESS", "FAILED"},
    "transfers": {"TO_BE_PROVED", "SETTLED", "REJECTED"},
    "bill_payments": {"PAID", "REFUSED", "UNANSWERED"},
    "cases": {"DISPUTE_INQUIRY"},
    "tokens": {"Activated", "Expired"},
    "links": {"ACTIVE", "EXPIRED"},
    "notifications": {"DUE", "ACKNOWLEDGED", "USED_UP"},
}
OPEN_CASE = {"DISPUTE_INQUIRY", "DISPUTE_RECEIVED", "DISPUTE_END", "CASE_CLOSED", "CASE_CANCEL"}
MOVES: dict[str, dict[str, set[str]]] = {
    "orders": {"PENDING": {"SUCCESS", "FAILED"}, "SUCCESS": {"BOUNCEBACK"}},
    "refunds": {"REFUND_PENDING": {"REFUND_SUCCESS", "REFUND_FAILED"}},
    "plans": {
        "INACTIVE": {"ACTIVE", "ACTIVE_FAILED", "EXPIRED", "CANCEL", "TERMINATE", "FINISH"},
        "ACTIVE_FAILED": {"ACTIVE", "EXPIRED", "CANCEL", "TERMINATE", "FINISH"},
        "ACTIVE": {"FINISH", "CANCEL", "TERMINATE"},
    },
    "periods": {"PENDING": {"SUCCESS", "FAILED", "CLOSED"}},
    "exchanges": {"PENDING": {"SUCCESS", "FAILED"}},
    "withdrawals": {"PROCESSING": {"SUCCESS", "FAILED"}},
    "transfers": {"TO_BE_PROVED": {"SETTLED", "REJECTED"}},
    "cases": {"DISPUTE_INQUIRY": OPEN_CASE, "DISPUTE_RECEIVED": OPEN_CASE},
    "tokens": {"Activated": {"Expired", "Deleted"}},
    "links": {"ACTIVE": {"EXPIRED"}},
    "notifications": {"DUE": {"ACKNOWLEDGED", "USED_UP"}, "USED_UP": {"ACKNOWLEDGED"}},
}
FIXED = (
    "merchant", "key", "out_trade_no", "out_refund_no", "request_id", "trade_token", "refund_trade_no", "amount",
    "currency", "user_id", "order_id", "plan", "period", "number", "created_at", "starts_at", "body", "about", "fee",
)  # fmt: skip

Row = dict[str, Any]
Rows = dict[str, dict[int, Row]]


def look(world: World) -> None:
    """Reads all tables once, lets everything be judged, and keeps them for the next time."""
    world.engine.run_due_timers()
    world.catch_up()
    world.engine.captures.write()  # what waits to be written
    with world.store.transaction() as state:
        rows: Rows = {
            table: {int(str(row["id"])): row for row in state.all(f"SELECT * FROM {table} ORDER BY id")}
            for table in TABLES
        }
        movements = state.all("SELECT balance, amount FROM movements")
        attempts = state.all("SELECT notification, asked FROM attempts")
        events = state.all("SELECT seq, kind, detail FROM events WHERE seq > ? ORDER BY seq", world.events)
        records = state.all("SELECT * FROM captures WHERE id > ? ORDER BY id", world.records)
    before, world.rows = world.rows, rows
    rows_move_as_stated(before, rows)
    orders_are_as_placed(world, rows)
    refunds_are_within_what_was_paid(world, rows)
    plans_charge_every_period_once(world, rows)
    money_adds_up(world, rows, movements)
    the_rest_is_as_it_was_made(world, rows)
    notifications_are_kept_and_delivered(world, before.get("notifications", {}), attempts, events, records)
    the_log_is_whole(world, events, records)
    world.count("steps")


def at(time: Any) -> int | None:
    return None if time is None else instant(time)


def who(row: Row) -> int:
    return APPS[row["merchant"]]


def rows_move_as_stated(before: Rows, rows: Rows) -> None:
    for table, moves in MOVES.items():
        known, now = before.get(table, {}), rows[table]
        assert known.keys() <= now.keys(), table  # nothing disappears
        for number, row in now.items():
            was = known.get(number)
            if was == row:
                continue
            if was is None:
                assert row["status"] in FIRST[table], (table, row["status"])
                continue
            allowed = moves.get(was["status"])
            if (
                table == "orders" and was["status"] == "SUCCESS"
            ):  # paid: it may be returned, and nothing else of it changes
                assert row == was | {"status": "BOUNCEBACK", "bounced_at": row["bounced_at"]}, was
            elif allowed is None:  # final: nothing of it changes but what the next charges are told to do
                assert {**was, "failing": row.get("failing")} == {**row, "failing": row.get("failing")}, (table, was)
            else:
                assert row["status"] == was["status"] or row["status"] in allowed, (table, was["status"], row["status"])
                assert [was.get(name) for name in FIXED] == [row.get(name) for name in FIXED], table


def orders_are_as_placed(world: World, rows: Rows) -> None:
    placed = [row for row in rows["orders"].values() if row["period"] is None]
    keys = [(row["merchant"], fold(row["out_trade_no"])) for row in rows["orders"].values()]
    assert len(set(keys)) == len(keys)  # unique, whatever their case
    assert len(placed) == len(world.model.orders)
    for row in placed:
        order = world.model.orders[who(row), fold(row["out_trade_no"])]
        assert (row["out_trade_no"], row["status"], row["currency"]) == (order.key, order.status, order.currency)
        assert (Decimal(row["amount"]), row["user_id"]) == (order.amount, order.user)
        times = (at(order.created), at(order.finished), at(order.bounced))
        assert (row["created_at"], row["finished_at"], row["bounced_at"]) == times


def refunds_are_within_what_was_paid(world: World, rows: Rows) -> None:
    taken: defaultdict[int, Decimal] = defaultdict(Decimal)
    assert len(rows["refunds"]) == len(world.model.refunds)
    for row in rows["refunds"].values():
        order, made = rows["orders"][row["order_id"]], world.model.refunds[who(row), row["out_refund_no"]]
        assert made.order is not None
        assert (order["out_trade_no"], order["merchant"]) == (made.order.key, row["merchant"])
        assert (Decimal(row["amount"]), row["status"]) == (made.amount, made.status)
        assert (row["created_at"], row["finished_at"]) == (at(made.created), at(made.finished))
        assert (order["outcome"], order["currency"]) == ("paid", row["currency"])
        assert order["status"] == "SUCCESS" or row["status"] == "REFUND_FAILED"  # never given back twice
        assert row["created_at"] - order["created_at"] <= DAYS_180
        taken[row["order_id"]] += Decimal(row["amount"]) if row["status"] != "REFUND_FAILED" else 0
    disputed: defaultdict[int, Decimal] = defaultdict(Decimal)
    for row in rows["cases"].values():
        if row["status"] in ("DISPUTE_INQUIRY", "DISPUTE_RECEIVED") or row["result"] == "FAI":
            disputed[row["order_id"]] += Decimal(row["amount"])
    for number, refunded in taken.items():
        order = rows["orders"][number]
        known = world.model.orders[who(order), fold(order["out_trade_no"])]
        assert 0 <= refunded <= Decimal(order["amount"])
        # paid = refunded + disputed + rest, or returned as a whole
        assert refunded + disputed.pop(number, Decimal(0)) + known.rest + known.returned == Decimal(order["amount"])
    for number, lost in disputed.items():
        order = rows["orders"][number]
        known = world.model.orders[who(order), fold(order["out_trade_no"])]
        assert 0 <= lost == Decimal(order["amount"]) - known.rest


def plans_charge_every_period_once(world: World, rows: Rows) -> None:
    tries: defaultdict[int, list[Row]] = defaultdict(list)
    periods: defaultdict[int, list[Row]] = defaultdict(list)
    for order in rows["orders"].values():
        if order["period"] is not None:
            tries[order["period"]].append(order)
    for period in rows["periods"].values():
        periods[period["plan"]].append(period)
    told: Counter[tuple[int, str]] = Counter()
    assert len(rows["plans"]) == len(world.model.plans)
    for number, row in rows["plans"].items():
        plan, begun = world.model.plans[who(row), row["request_id"]], periods[number]
        pending = any(period["status"] == "PENDING" for period in begun)
        if plan.status == "ACTIVE" and len(begun) == plan.total and not pending:
            plan.status = "FINISH"
            plan.finished = moment(max(period["last_at"] for period in begun))
        assert (row["status"], row["activated_at"]) == (plan.status, at(plan.activated)), (row, plan)
        assert row["ended_at"] == at(plan.finished)
        assert len(begun) == row["begun"] == due_periods(plan, world)
        for period in begun:
            a_period_is_paid_at_most_once(world, plan, period, tries.pop(period["id"], []))
            told[who(row), plan.key] += period["status"] in ("SUCCESS", "FAILED")
    assert not tries
    for key, count in told.items():
        world.model.told[key[0], "SUBSCRIPTION_PAYMENT", key[1]] = count


def due_periods(plan: Plan, world: World) -> int:
    if plan.opens is None:
        return 0
    until = world.now if plan.finished is None else plan.finished
    return max(0, min(plan.total, (until - plan.opens) // timedelta(days=plan.days) + 1))


def a_period_is_paid_at_most_once(world: World, plan: Plan, period: Row, tries: list[Row]) -> None:
    assert plan.opens is not None
    starts = plan.opens + (period["number"] - 1) * timedelta(days=plan.days)
    assert period["starts_at"] == at(starts)
    if period["number"] == 1 and plan.paid_by is not None:
        assert (period["status"], period["tries"], tries) == ("SUCCESS", 1, [])
        return
    paid = [order for order in tries if order["status"] == "SUCCESS"]
    assert len(paid) == (period["status"] == "SUCCESS")
    assert period["tries"] == len(tries) <= 4
    assert all(Decimal(order["amount"]) == plan.amount for order in tries)
    due = instant(starts)
    for order in tries:
        assert order["created_at"] == due  # six hours after the try before it, which must have failed
        assert order["status"] == "FAILED" or order is tries[-1]
        due = (order["finished_at"] or due) + 6 * 3600 * 10**6
    ended = plan.status not in ("ACTIVE", *WAITING)
    if ended:
        assert all(order["created_at"] <= instant(plan.finished) for order in tries if plan.finished)
    if period["status"] == "FAILED":
        assert len(tries) == 4 or ended
    if period["status"] == "CLOSED":
        assert ended
        assert tries[-1]["status"] == "FAILED"


def money_adds_up(world: World, rows: Rows, movements: list[Any]) -> None:
    moved: defaultdict[int, Decimal] = defaultdict(Decimal)
    for movement in movements:
        moved[movement["balance"]] += Decimal(movement["amount"])
    due = dict(world.model.balances)
    for number, row in rows["balances"].items():
        held = Decimal(row["amount"])
        assert held >= 0
        assert held == Decimal(row["first"]) + moved.pop(number, Decimal(0)) == due.pop((who(row), row["currency"]))
    assert not moved
    with world.store.transaction() as state:
        first = {(f"app_sandbox_{number + 1}", currency): amount for (number, currency), amount in world.first.items()}
        told = balances_from_events(state, first)
    assert {(APPS[app], currency): amount for (app, currency), amount in told.items()} == world.model.balances
    untouched = {key: amount for key, amount in world.first.items() if key in due}
    assert due == untouched
    for table, known in (("exchanges", world.model.exchanges), ("withdrawals", world.model.withdrawals)):
        assert len(rows[table]) == len(known)
        for row in rows[table].values():
            made = known[who(row), row["out_trade_no"]]
            assert (row["status"], row["finished_at"]) == (made.status, at(made.finished))


def the_rest_is_as_it_was_made(world: World, rows: Rows) -> None:
    model = world.model
    assert [
        (who(row), row["user_id"], row["card"], row["status"], row["expires_at"]) for row in rows["tokens"].values()
    ] == [(token.merchant, token.user, token.card, token.status, at(token.due)) for token in model.tokens]
    assert {(who(row), row["merchant_link_id"]): (row["link_id"], row["status"]) for row in rows["links"].values()} == {
        key: (link.number, link.status) for key, link in model.links.items()
    }
    assert {
        (who(row), row["case_id"]): (rows["orders"][row["order_id"]]["out_trade_no"], row["status"], row["result"])
        for row in rows["cases"].values()
    } == {key: (case.order.key, case.status, case.result) for key, case in model.cases.items()}
    assert {
        row["request_no"]: (who(row), Decimal(row["amount"]), row["status"]) for row in rows["transfers"].values()
    } == model.transfers
    bills: defaultdict[tuple[int, str], list[tuple[Decimal, str]]] = defaultdict(list)
    for row in rows["bill_payments"].values():
        bills[who(row), row["reference_no"]].append((Decimal(row["amount"]), row["status"]))
    assert bills == model.bills
    assert all([status for _, status in asked].count("PAID") <= 1 for asked in bills.values())

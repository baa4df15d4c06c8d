"""Random orders, payments, refunds, exchanges, plans, cancels, clock moves, faults and nonsense: money always adds up.

The machine predicts what the sandbox must answer to orders and refunds, and looks at the whole state after every step.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from sandbox_desk import Desk, checkout_data

from paywright import contract, validate
from paywright_runtime import strict_json
from paywright_runtime.clock import FixedClock
from paywright_tools.sandbox.advance import advance
from paywright_tools.sandbox.courier import parcel_of
from paywright_tools.sandbox.engine import Engine
from paywright_tools.sandbox.faults import read_rule
from paywright_tools.sandbox.folder import make_folder
from paywright_tools.sandbox.outbox import KINDS
from paywright_tools.sandbox.settings import read_settings
from paywright_tools.sandbox.store import Row, Store, moment

NOBODY = "http://127.0.0.1:9/notify"
DAY = 86400

KEYS = ["ORD_a", "ORD_A", "ord_A", "ORD_b", "ORD_B", "ORD_c", "ORD_d"]
REFUND_KEYS = [f"REF_{number}" for number in range(12)]
EXCHANGE_KEYS = [f"EXC_{number}" for number in range(8)]
PLAN_KEYS = ["SREQ_1", "SREQ_2", "SREQ_3"]

AMOUNTS = st.one_of(
    st.sampled_from(["10.50", "15", "1.12", "6", "222", "0.01"]).map(Decimal),
    st.integers(1, 3000).map(lambda cents: Decimal(cents).scaleb(-2)),
)
CURRENCIES = st.sampled_from(["USD", "USD", "USD", "EUR"])
FAULTS = st.one_of(
    st.none(),
    st.none(),
    st.tuples(
        st.sampled_from(["reset", "hang", "cut", "drip", "html", "bad-signature", "no-signature", "code"]),
        st.sampled_from(["before", "after"]),
    ),
)

# What is stated: from which state to which, and what else is final [2.3, 2.4, 2.5, 2.9].
MOVES: dict[str, dict[str, set[str]]] = {
    "orders": {"PENDING": {"SUCCESS", "FAILED"}},
    "refunds": {"REFUND_PENDING": {"REFUND_SUCCESS"}},
    "exchanges": {"PENDING": {"SUCCESS", "FAILED"}},
    "plans": {
        "INACTIVE": {"ACTIVE", "ACTIVE_FAILED", "EXPIRED", "CANCEL", "TERMINATE", "FINISH"},
        "ACTIVE_FAILED": {"ACTIVE", "EXPIRED", "CANCEL", "TERMINATE", "FINISH"},
        "ACTIVE": {"FINISH", "CANCEL", "TERMINATE"},
    },
    "periods": {"PENDING": {"SUCCESS", "FAILED", "CLOSED"}},
    "notifications": {"DUE": {"USED_UP"}},
}
FIRST = {
    "orders": {"PENDING", "SUCCESS", "FAILED"},
    "refunds": {"REFUND_PENDING", "REFUND_SUCCESS"},
    "exchanges": {"PENDING", "SUCCESS", "FAILED"},
    "plans": {"INACTIVE", "EXPIRED"},
    "periods": {"PENDING", "SUCCESS", "FAILED", "CLOSED"},
    "notifications": {"DUE", "USED_UP"},
}

ENDED = {
    "SUCCESS", "FAILED", "REFUND_SUCCESS", "EXPIRED", "FINISH", "CANCEL", "TERMINATE", "CLOSED", "USED_UP",
}  # fmt: skip
STILL = ("orders", "refunds", "exchanges")  # of these a whole row is final, not its state alone


def fold(key: str) -> str:
    return key.lower()  # the keys here are of ASCII


class Order:
    def __init__(self, amount: Decimal, currency: str, now: datetime, lifetime: int, status: str) -> None:
        self.amount, self.currency, self.created, self.status = amount, currency, now, status
        self.expires = now + timedelta(seconds=lifetime)
        self.refunds: list[Decimal] = []

    @property
    def rest(self) -> Decimal:
        return self.amount - sum(self.refunds) if self.status == "SUCCESS" else Decimal(0)


class Machine(RuleBasedStateMachine):
    """One merchant's life with one sandbox in memory."""

    folder: Path
    steps: dict[str, int]

    def __init__(self) -> None:
        super().__init__()
        read = read_settings(self.folder)
        self.store = Store()
        clock = FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))
        self.desk = Desk(
            Engine(read, self.store, address="http://127.0.0.1:8787", clock=clock, wall=clock), self.folder, clock
        )
        self.orders: dict[str, Order] = {}
        self.refunds: dict[str, Decimal] = {}
        self.exchanges: set[str] = set()
        self.plans: dict[str, str] = {}
        held = self.desk.control("GET", "balances")["balances"]["app_sandbox_1"]
        self.first = {currency: Decimal(amount) for currency, amount in held.items()}
        self.seen: dict[tuple[str, int], Row] = {}
        self.judged = 0

    def teardown(self) -> None:
        self.store.close()

    # Asking

    def ask(
        self, operation: str, data: dict[str, Any], fault: tuple[str, str] | None
    ) -> tuple[dict[str, Any] | None, bool]:
        """The answer as far as it can be had, and whether an effect of it was kept."""
        faults, now = self.desk.engine.faults, self.desk.clock.now()
        if fault is None:
            return self.desk.call(operation, data), True
        kind, when = fault
        faults.add(read_rule({"kind": kind, "when": when, "times": 1, "operation": operation}), now)
        raw = strict_json.write(self.desk.envelope(operation, data))
        path = contract.operation(operation).path or ""
        headers = [("content-type", "application/json"), ("sign", self.desk.signer.sign(raw))]
        reply = self.desk.engine.handle("POST", path, headers, raw)
        (struck,) = faults.rules()
        assert struck.struck == 1
        faults.drop(None, now)
        if kind in ("reset", "hang", "cut", "drip"):
            assert reply.fault is not None
            return self.desk.judged(operation, reply), when == "after"
        if kind == "code":
            assert self.desk.judged(operation, reply)["code"] == "SYSTEM_ERROR"
        elif kind == "html":
            assert reply.status == 502
        else:
            assert (
                validate(operation, "response", reply.body, headers=reply.headers if kind == "bad-signature" else None)
                == []
            )
        return None, when == "after"

    def expect(self, answer: dict[str, Any] | None, code: str) -> None:
        assert answer is None or answer["code"] == code, (answer, code)

    def expire(self) -> None:
        for order in self.orders.values():
            if order.status == "PENDING" and order.expires <= self.desk.clock.now():
                order.status = "FAILED"

    @contextmanager
    def nothing_changes(self) -> Iterator[None]:
        self.desk.engine.act(lambda turn: None)  # what has fallen due is no consequence of the call
        before = self.everything()
        yield
        assert self.everything() == before

    def everything(self) -> dict[str, list[dict[str, Any]]]:
        with self.store.transaction() as state:
            tables = state.all("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
            names = [str(row["name"]) for row in tables if row["name"] != "captures"]
            return {name: state.all(f"SELECT * FROM {name}") for name in names}

    # Orders

    @rule(
        key=st.sampled_from(KEYS),
        amount=AMOUNTS,
        currency=CURRENCIES,
        lifetime=st.sampled_from([None, 1800, 3600]),
        fault=FAULTS,
    )
    def checkout(
        self, key: str, amount: Decimal, currency: str, lifetime: int | None, fault: tuple[str, str] | None
    ) -> None:
        more = {} if lifetime is None else {"expireTime": str(lifetime)}
        data = checkout_data(key, amount, currency=currency, notifyUrl=NOBODY, **more)
        self.placed(key, "orders.checkout", data, "PENDING", lifetime or DAY, fault)

    @rule(key=st.sampled_from(KEYS), amount=AMOUNTS, fault=FAULTS)
    def drop_in(self, key: str, amount: Decimal, fault: tuple[str, str] | None) -> None:
        data = checkout_data(key, amount, integrate="Direct_Payment", country="SG", terminalType="WEB")
        data["paymentDetail"] = {"buyerInfo": {"clientIp": "203.0.113.7", "userAgent": "Mozilla/5.0"}}
        ends = {"15": "FAILED", "1.12": "FAILED", "6": "PENDING", "222": "PENDING"}
        status = next((end for value, end in ends.items() if amount == Decimal(value)), "SUCCESS")
        self.placed(key, "orders.drop_in", data, status, DAY, fault)

    def placed(
        self, key: str, operation: str, data: dict[str, Any], status: str, lifetime: int, fault: tuple[str, str] | None
    ) -> None:
        answer, kept = self.ask(operation, data, fault)
        if fold(key) in self.orders:
            self.expect(answer, "ORDER_REPEAT")
            return
        self.expect(answer, "APPLY_SUCCESS")
        if kept:
            now = self.desk.clock.now()
            self.orders[fold(key)] = Order(data["totalAmount"], data["currency"], now, lifetime, status)

    @rule(key=st.sampled_from(KEYS), action=st.sampled_from(["pay", "pay", "pay", "fail", "close"]))
    def act(self, key: str, action: str) -> None:
        self.expire()
        order = self.orders.get(fold(key))
        status = 404 if order is None else 200 if order.status == "PENDING" else 409
        assert self.desk.control("POST", f"orders/{key}/{action}")["httpStatus"] == status
        if order is not None and status == 200:
            order.status = "SUCCESS" if action == "pay" else "FAILED"

    @rule(key=st.sampled_from(KEYS))
    def query(self, key: str) -> None:
        self.expire()
        answer, order = self.desk.query(key), self.orders.get(fold(key))
        if order is None:
            assert answer["code"] == "ORDER_NOT_EXIST"
            assert "data" not in answer
        else:
            found = answer["data"]
            assert (found["status"], fold(found["outTradeNo"])) == (order.status, fold(key))
            assert Decimal(found["trade"]["amount"]) == order.amount

    # Refunds

    @rule(key=st.sampled_from(REFUND_KEYS), of=st.sampled_from(KEYS), amount=AMOUNTS, currency=CURRENCIES, fault=FAULTS)
    def refund(self, key: str, of: str, amount: Decimal, currency: str, fault: tuple[str, str] | None) -> None:
        self.refunded(key, of, amount, currency, fault)

    @rule(key=st.sampled_from(REFUND_KEYS), of=st.sampled_from(KEYS), over=st.sampled_from(["0", "0", "0.01"]))
    def refund_the_rest(self, key: str, of: str, over: str) -> None:
        self.expire()
        order = self.orders.get(fold(of))
        amount = (order.rest if order else Decimal(1)) + Decimal(over)
        if amount:
            self.refunded(key, of, amount, order.currency if order else "USD", None)

    def refunded(self, key: str, of: str, amount: Decimal, currency: str, fault: tuple[str, str] | None) -> None:
        self.expire()
        order, now = self.orders.get(fold(of)), self.desk.clock.now()
        data = {"outRefundNo": key, "refundAmount": amount, "refundCurrency": currency, "outTradeNo": of}
        answer, kept = self.ask("refunds.create", data, fault)
        if key in self.refunds:
            self.expect(answer, "ORDER_REPEAT")
        elif order is None:
            self.expect(answer, "PARAMS_INVALID")
        elif order.status != "SUCCESS":
            self.expect(answer, "REFUND_INSUFFICIENT_BALANCE")
        elif order.currency != currency:
            self.expect(answer, "CURRENCY_INVALID")
        elif now - order.created > timedelta(days=180):
            self.expect(answer, "PARAMS_INVALID")
        elif amount > order.rest:
            self.expect(answer, "REFUND_INSUFFICIENT_BALANCE")
        else:
            self.expect(answer, "APPLY_SUCCESS")
            if kept:
                order.refunds.append(amount)
                self.refunds[key] = amount

    @rule(key=st.sampled_from(REFUND_KEYS))
    def query_refund(self, key: str) -> None:
        answer = self.desk.refund_query(outRefundNo=key)
        if key in self.refunds:
            assert Decimal(answer["data"]["refundAmount"]) == self.refunds[key]
        else:
            assert answer["code"] == "ORDER_NOT_EXIST"

    # Exchanges

    @rule(
        key=st.sampled_from(EXCHANGE_KEYS),
        pair=st.sampled_from(["EURUSD", "USDEUR", "USDJPY"]),
        side=st.sampled_from(["BUY", "SELL"]),
        amount=st.sampled_from([1, 100, 999999, 4000001, 9000000]).map(
            lambda cents: format(Decimal(cents).scaleb(-2), "f")
        ),
        fault=FAULTS,
    )
    def exchange(self, key: str, pair: str, side: str, amount: str, fault: tuple[str, str] | None) -> None:
        one, other = pair[:3], pair[3:]
        data = {
            "ccyPair": pair, "outTradeNo": key, "side": side, "transactionAmount": amount,
            "transactionCcy": one, "targetCcy": other,
        }  # fmt: skip
        answer, kept = self.ask("exchanges.create", data, fault)
        if key in self.exchanges:
            self.expect(answer, "ORDER_REPEAT")
        elif answer is not None:
            assert answer["code"] in ("APPLY_SUCCESS", "BALANCE_INSUFFICIENT", "AMOUNT_LIMIT"), answer
            if kept and answer["code"] == "APPLY_SUCCESS":
                self.exchanges.add(key)
        elif kept and self.desk.call("exchanges.query", {"outTradeNo": key})["code"] == "APPLY_SUCCESS":
            self.exchanges.add(key)

    @rule(key=st.sampled_from(EXCHANGE_KEYS), how=st.sampled_from(["settle", "fail"]))
    def end_exchange(self, key: str, how: str) -> None:
        assert self.desk.control("POST", f"exchanges/{key}/{how}")["httpStatus"] in (
            (200, 409) if key in self.exchanges else (404,)
        )

    @rule(key=st.sampled_from(EXCHANGE_KEYS))
    def query_exchange(self, key: str) -> None:
        code = self.desk.call("exchanges.query", {"outTradeNo": key})["code"]
        assert code == ("APPLY_SUCCESS" if key in self.exchanges else "ORDER_NOT_EXIST")

    # Plans

    @rule(key=st.sampled_from(PLAN_KEYS), periods=st.integers(1, 3), count=st.sampled_from([1, 7]), fault=FAULTS)
    def subscribe(self, key: str, periods: int, count: int, fault: tuple[str, str] | None) -> None:
        asked = {
            "subject": "Daily", "totalPeriods": periods, "periodRule": {"periodUnit": "D", "periodCount": count},
            "periodAmount": {"amount": Decimal("9.90"), "currency": "USD"}, "prices": [],
        }  # fmt: skip
        data = {"subscriptionRequestId": key, "userId": "user_1", "callbackUrl": NOBODY, "subscriptionPlan": asked}
        answer, kept = self.ask("subscriptions.create", data, fault)
        if key in self.plans:
            assert answer is None or answer["code"] != "APPLY_SUCCESS"
            return
        self.expect(answer, "APPLY_SUCCESS")
        if kept:
            with self.store.transaction() as state:
                row = state.one("SELECT subscription_no FROM plans WHERE request_id = ?", key)
            assert row is not None
            self.plans[key] = str(row["subscription_no"])

    @rule(
        key=st.sampled_from(KEYS), plan=st.sampled_from(PLAN_KEYS), then=st.sampled_from(["pay", "pay", "fail", None])
    )
    def activate(self, key: str, plan: str, then: str | None) -> None:
        number = self.plans.get(plan, "SUB0000000000NOWHERE")
        data = checkout_data(key, Decimal("9.90"), subscriptionPlan={"subscriptionNo": number})
        answer, _ = self.ask("orders.checkout", data, None)
        assert answer is not None
        if fold(key) in self.orders:
            assert answer["code"] == "ORDER_REPEAT"
        elif answer["code"] == "APPLY_SUCCESS":
            self.orders[fold(key)] = Order(Decimal("9.90"), "USD", self.desk.clock.now(), DAY, "PENDING")
            if then:
                self.act(key=key, action=then)

    @rule(key=st.sampled_from(PLAN_KEYS), how=st.sampled_from(["cancel", "terminate", "fail-next"]))
    def end_plan(self, key: str, how: str) -> None:
        number = self.plans.get(key, "SUB0000000000NOWHERE")
        answer = self.desk.control("POST", f"subscriptions/{number}/{how}")
        assert answer["httpStatus"] in ((200, 409) if key in self.plans else (404,)), answer

    @rule(amount=st.integers(1, 9999), status=st.sampled_from(["TO_BE_PROVED", "SETTLED", "REJECTED"]))
    def receive(self, amount: int, status: str) -> None:
        body = {"amount": format(Decimal(amount).scaleb(-2), "f"), "currency": "USD", "status": status}
        assert self.desk.control("POST", "transfers", body)["httpStatus"] == 200

    # Time

    @rule(seconds=st.sampled_from([1, 2, 30, 601, 3600, DAY, DAY, 3 * DAY, 10 * DAY, 181 * DAY]))
    def advance(self, seconds: int) -> None:
        assert advance(self.desk.engine, timedelta(seconds=seconds))["complete"]

    @rule(seconds=st.sampled_from([1, 2, 3600, 2 * DAY]))
    def time_passes_unseen(self, seconds: int) -> None:
        self.desk.clock.advance(seconds)

    # Nonsense

    @rule(
        how=st.sampled_from(
            ["signature", "newline", "no-signature", "json", "missing", "type", "time", "merchant", "path"]
        ),
        operation=st.sampled_from(["orders.checkout", "refunds.create", "exchanges.create", "orders.query"]),
        key=st.sampled_from(KEYS),
        at=st.integers(0, 2047),
    )
    def nonsense(self, how: str, operation: str, key: str, at: int) -> None:
        datas: dict[str, dict[str, Any]] = {
            "orders.checkout": checkout_data(key + "_n"),
            "orders.query": {"outTradeNo": key},
            "refunds.create": {"outRefundNo": "REF_n", "refundAmount": Decimal("0.01"), "refundCurrency": "USD", "outTradeNo": key},
            "exchanges.create": {"ccyPair": "EURUSD", "outTradeNo": "EXC_n", "side": "SELL", "transactionAmount": "1.00",
                                 "transactionCcy": "EUR", "targetCcy": "USD"},
        }  # fmt: skip
        data = datas[operation]
        message = self.desk.envelope(operation, data)
        if how == "missing":
            del data[sorted(data)[at % len(data)]]
        elif how == "type":
            data[sorted(data)[at % len(data)]] = [True]
        elif how == "time":
            off = timedelta(seconds=121 + at) * (1 if at % 2 else -1)
            message["requestTime"] = (self.desk.clock.now() + off).isoformat(timespec="milliseconds")
        elif how == "merchant":
            message["appId"] = "app_of_nobody"
        raw = strict_json.write(message)
        if how == "json":
            raw = raw[: at % len(raw)]
        signature = self.desk.signer.sign(raw)
        if how == "newline":
            raw += b"\n"
        elif how == "signature":
            spot = at % 300
            signature = signature[:spot] + ("A" if signature[spot] != "A" else "B") + signature[spot + 1 :]
        headers = [] if how == "no-signature" else [("sign", signature)]
        path = "/nowhere" if how == "path" else contract.operation(operation).path or ""
        if how == "missing" and operation == "exchanges.create" and not data:
            return
        with self.nothing_changes():
            reply = self.desk.engine.handle("POST", path, [("content-type", "application/json"), *headers], raw)
        answer = self.desk.judged(None if how == "path" else operation, reply)
        assert answer["code"] != "APPLY_SUCCESS", answer

    # What always holds

    @invariant()
    def states_move_as_stated_and_final_ones_stay(self) -> None:
        with self.store.transaction() as state:
            for table, moves in MOVES.items():
                for row in state.all(f"SELECT * FROM {table}"):
                    at, status = (table, int(str(row["id"]))), str(row["status"])
                    before = self.seen.get(at)
                    if before is None:
                        assert status in FIRST[table], (table, status)
                    elif before["status"] != status:
                        assert status in moves.get(str(before["status"]), set()), (table, before["status"], status)
                    if before is not None and before["status"] in ENDED and table in STILL:
                        assert row == before
                    self.seen[at] = row
            for table in MOVES:
                count = state.one(f"SELECT count(*) AS n FROM {table}")
                assert count == {"n": sum(1 for name, _ in self.seen if name == table)}  # nothing disappears

    @invariant()
    def keys_are_unique_whatever_their_case(self) -> None:
        with self.store.transaction() as state:
            keys = [str(row["out_trade_no"]) for row in state.all("SELECT out_trade_no FROM orders")]
            numbers = [row["out_refund_no"] for row in state.all("SELECT out_refund_no FROM refunds")]
        assert len({fold(key) for key in keys}) == len(keys)
        assert len(set(numbers)) == len(numbers) == len(self.refunds)
        assert {fold(key) for key in keys if not key.startswith("SO")} == set(self.orders)

    @invariant()
    def what_was_paid_is_what_was_refunded_and_the_rest(self) -> None:
        self.expire()
        for shown in self.desk.control("GET", "orders")["orders"]:
            with self.store.transaction() as state:
                rows = state.all(
                    "SELECT refunds.* FROM refunds JOIN orders ON orders.id = order_id WHERE trade_token = ?",
                    shown["tradeToken"],
                )
            paid = Decimal(shown["amount"]) if shown["status"] == "SUCCESS" else Decimal(0)
            refunded = sum((Decimal(str(row["amount"])) for row in rows), Decimal(0))
            assert paid == refunded + Decimal(shown["refundable"])
            assert refunded <= paid
            order = self.orders.get(fold(shown["outTradeNo"]))
            if order is not None:
                assert (shown["status"], Decimal(shown["refundable"])) == (order.status, order.rest)

    @invariant()
    def balances_are_what_the_exchanges_left_and_never_below_zero(self) -> None:
        changed: defaultdict[str, Decimal] = defaultdict(Decimal)
        shown = self.desk.control("GET", "balances")["balances"]["app_sandbox_1"]
        with self.store.transaction() as state:
            rows = state.all("SELECT * FROM exchanges")
        for row in rows:
            one = str(row["transaction_ccy"]), Decimal(str(row["transaction_amount"]))
            other = str(row["target_ccy"]), Decimal(str(row["target_amount"]))
            paid, bought = (one, other) if row["side"] == "SELL" else (other, one)
            if row["status"] != "FAILED":
                changed[paid[0]] -= paid[1]
            if row["status"] == "SUCCESS":
                changed[bought[0]] += bought[1]
        for currency, amount in shown.items():
            assert Decimal(amount) >= 0
            assert Decimal(amount) == self.first[currency] + changed[currency]
        assert shown.keys() == self.first.keys()

    @invariant()
    def every_notification_is_as_the_contract_shows_it_and_signed(self) -> None:
        with self.store.transaction() as state:
            rows = state.all("SELECT * FROM notifications WHERE id > ? ORDER BY id", self.judged)
        for row in rows:
            body, kind = row["body"], KINDS[str(row["kind"])]
            assert isinstance(body, bytes)
            parcel = parcel_of(self.desk.engine, row)
            assert parcel.body == body
            self.desk.verifier.verify(body, dict(parcel.headers)["sign"])
            if kind.operation is not None:
                assert validate(kind.operation, "notification", body, headers=parcel.headers) == []
            else:  # its contents are not shown: the policy says so with it
                assert dict(parcel.headers)["X-Sandbox-Policy"] == "unshown-notifications"
            assert json.loads(body)["notifyType"] == row["kind"]
            assert moment(int(str(row["created_at"]))) <= self.desk.clock.now()
            self.judged = int(str(row["id"]))
        self.steps["notifications judged"] = self.steps.get("notifications judged", 0) + len(rows)
        self.steps["steps"] = self.steps.get("steps", 0) + 1


@pytest.fixture(scope="module")
def with_addresses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose merchant has an address for every kind of notification, at which nobody listens."""
    folder = tmp_path_factory.mktemp("machine")
    make_folder(folder)
    file = folder / "sandbox.toml"
    named = "".join(f'{name} = "{NOBODY}"\n' for name in ("notify-url", "refund-notify-url", "va-result-notify-url"))
    text, found = re.subn(r"(?m)^\[\[merchants\]\].*\n", rf"\g<0>{named}", file.read_text(encoding="utf-8"))
    assert found == 1
    file.write_text(text, encoding="utf-8")
    return folder


def run(folder: Path, examples: int, steps: int, record: Any) -> None:
    counted: dict[str, int] = {}
    kind = type("Life", (Machine,), {"folder": folder, "steps": counted})
    run_state_machine_as_test(  # type: ignore[no-untyped-call]  # Hypothesis has no types here
        kind,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            derandomize=True,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    for name, count in counted.items():
        record(f"count: sandbox machine: {name}", count)
    assert counted["steps"] > examples
    assert counted["notifications judged"] > 0


def test_money_adds_up_whatever_comes(with_addresses: Path, record_property: Any) -> None:
    run(with_addresses, 120, 40, record_property)


@pytest.mark.full
def test_money_adds_up_in_long_lives(with_addresses: Path, record_property: Any) -> None:
    run(with_addresses, 600, 60, record_property)

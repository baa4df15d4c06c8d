"""What two merchants, their payers and the people of the gateway do. What must become of it follows from the tables before."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from paywright_runtime.contract import formats
from paywright_sandbox.engine.state.tables import instant
from tests.sandbox.helpers.desk import checkout_data
from tests.sandbox.helpers.machine_rows import DAY, OVER, WAITING, Row, converted, fold, held, left, rest
from tests.sandbox.helpers.machine_world import NOBODY, World, day_of

KEYS = ["ORD_a", "ORD_A", "ord_A", "ORD_b", "ORD_c", "ORD_d"]
CENT, FEE = Decimal("0.01"), Decimal("1.00")
FAILS = {Decimal(value) for value in ("15", "500", "1.12", "20000", "25000")}
WAITS = {Decimal(value) for value in ("6", "60", "600", "16000", "222")}
CARDS = {None: "444433******1111", "5555555555554444": "555555******4444"}

# The acts of people on a row: its path and number, and for each act the states in which it is possible, and the state after it.
ACTS: dict[str, tuple[str, str, dict[str, tuple[tuple[str, ...], str]]]] = {
    "orders": ("orders", "out_trade_no", {
        "pay": (("PENDING",), "SUCCESS"), "fail": (("PENDING",), "FAILED"), "close": (("PENDING",), "FAILED"), "bounce": (("SUCCESS",), "BOUNCEBACK"),
    }),
    "refunds": ("refunds", "out_refund_no", {"settle": (("REFUND_PENDING",), "REFUND_SUCCESS"), "fail": (("REFUND_PENDING",), "REFUND_FAILED")}),
    "exchanges": ("exchanges", "out_trade_no", {"settle": (("PENDING",), "SUCCESS"), "fail": (("PENDING",), "FAILED")}),
    "withdrawals": ("withdrawals", "out_trade_no", {"settle": (("PROCESSING",), "SUCCESS"), "fail": (("PROCESSING",), "FAILED")}),
    "transfers": ("transfers", "request_no", {"settle": (("TO_BE_PROVED",), "SETTLED"), "reject": (("TO_BE_PROVED",), "REJECTED")}),
    "tokens": ("tokens", "token_id", {"delete": (("Activated",), "Deleted")}),
    "plans": ("subscriptions", "subscription_no", {
        "cancel": ((*WAITING, "ACTIVE"), "CANCEL"), "terminate": ((*WAITING, "ACTIVE"), "TERMINATE"), "fail-next": ((*WAITING, "ACTIVE"), ""),
    }),
}  # fmt: skip
SHARED = ("orders", "refunds", "exchanges", "withdrawals")  # merchants may have the same numbers
# What is asked, by which member, of which table and number, which members show which columns, and the code for what is not there.
QUERIES: dict[str, tuple[str, str, str, dict[str, str], str]] = {
    "orders.query": ("outTradeNo", "orders", "out_trade_no", {"status": "status", "outTradeNo": "out_trade_no"}, "ORDER_NOT_EXIST"),
    "refunds.query": ("outRefundNo", "refunds", "out_refund_no", {"status": "status", "refundTradeNo": "refund_trade_no"}, "ORDER_NOT_EXIST"),
    "exchanges.query": ("outTradeNo", "exchanges", "out_trade_no", {"status": "status", "targetAmount": "target_amount"}, "ORDER_NOT_EXIST"),
    "withdrawals.query": ("outTradeNo", "withdrawals", "out_trade_no", {"status": "status", "targetAmount": "target_amount"}, "ORDER_NOT_EXIST"),
    "payment_links.query": ("merchantLinkId", "links", "merchant_link_id", {"linkStatus": "status", "linkId": "link_id"}, "ORDER_NOT_EXIST"),
    "cases.search": ("caseId", "cases", "case_id", {"status": "status", "amount": "amount"}, "CASE_NOT_EXIST"),
    "cases.inquire": ("caseId", "cases", "case_id", {"status": "status", "amount": "amount"}, "CASE_NOT_EXIST"),
}  # fmt: skip
# To what a case goes, and who wins; the last two cannot be.
CASE_MOVES = [
    ("DISPUTE_RECEIVED", None), ("DISPUTE_INQUIRY", None), ("DISPUTE_END", "WIN"), ("DISPUTE_END", "FAI"), ("CASE_CLOSED", None),
    ("CASE_CLOSED", "FAI"), ("CASE_CANCEL", None), ("DISPUTE_END", None), ("CASE_CANCEL", "WIN"),
]  # fmt: skip

merchants = st.sampled_from([0, 0, 0, 1])
somebody = st.sampled_from([None, 0, 0, 1])  # nobody is named
keys = st.sampled_from(KEYS)
users = st.sampled_from(["user_1", "user_1", "user_2"])
numbers = st.integers(0, 5)
amounts = st.sampled_from(["10.50", "15", "1.12", "6", "222", "0.01"]).map(Decimal) | st.integers(1, 3000).map(
    lambda cents: Decimal(cents).scaleb(-2)
)
sums = st.sampled_from([1, 100, 19999, 30000, 999999, 4000001, 9000000]).map(lambda cents: Decimal(cents).scaleb(-2))


def app(who: int) -> str:
    return f"app_sandbox_{who + 1}"


def named(who: int | None) -> dict[str, Any] | None:
    return None if who is None else {"merchant": app(who)}


class Player(RuleBasedStateMachine):
    world: World

    # Orders

    @rule(
        who=merchants, key=keys, amount=amounts, how=st.sampled_from(["hosted", "hosted", "drop-in", "token", "token alone"]), user=users,
        binds=st.booleans(), lasts=st.sampled_from([None, 1800]), currency=st.sampled_from(["USD", "USD", "EUR"]), nobody=st.booleans(),
        number=numbers, then=st.sampled_from([None, "pay", "pay", "settle", "settle", "fail", "bounce"]),
    )  # fmt: skip
    def order(self, who: int, key: str, amount: Decimal, how: str, user: str, binds: bool, lasts: int | None, currency: str, nobody: bool,
              number: int, then: str | None) -> None:  # fmt: skip
        data = checkout_data(key, amount, userId=user, currency=currency)
        data |= {"expireTime": str(lasts)} if lasts else {}
        data |= {"notifyUrl": NOBODY} if nobody else {}
        detail: dict[str, Any] = {"tokenForFutureUse": True} if binds else {}
        operation, refused, alone = "orders.checkout", "", how == "token alone"
        if how == "drop-in":
            operation, alone = "orders.drop_in", True
            data |= {"integrate": "Direct_Payment", "country": "SG", "terminalType": "WEB"}
            detail["buyerInfo"] = {"clientIp": "203.0.113.7", "userAgent": "Mozilla/5.0"}
        elif how != "hosted":
            tokens = list(self.world.rows["tokens"].values())
            token = (
                tokens[number % len(tokens)]
                if tokens
                else {"token_id": "PTK_OF_NOBODY", "merchant": "", "user_id": "", "status": ""}
            )
            detail = {"paymentTokenID": token["token_id"]} | (
                {"merchantInitiated": True, "mitType": "UNSCHEDULED"} if alone else {}
            )
            if (token["merchant"], token["user_id"], token["status"]) != (app(who), user, "Activated"):
                refused = "PAYMENT_METHOD_NOT_EXIST"
        data |= {"paymentDetail": detail} if detail else {}
        made = self.placed(who, operation, data, refused)
        if made is None:
            return
        status = ("FAILED" if amount in FAILS else "PENDING" if amount in WAITS else "SUCCESS") if alone else "PENDING"
        assert made["status"] == status
        assert made["expires_at"] - made["created_at"] == (lasts or 86400) * 10**6
        if then and status == "PENDING":
            self.act("orders", "fail" if then == "fail" else "pay", made, who)
            saved = [
                token
                for token in self.world.rows["tokens"].values()
                if (token["merchant"], token["user_id"]) == (app(who), user)
            ]
            assert not (binds and then != "fail") or any(token["status"] == "Activated" for token in saved)
        paid = self.world.rows["orders"][made["id"]]
        if then == "bounce":
            self.act("orders", "bounce", paid, who)
        elif then == "settle":  # some of it goes back, or all
            free = len(self.world.rows["refunds"])
            self.refunded(who, f"REF_{free}", paid, amount if number % 2 else CENT, "settle" if number % 3 else "fail")

    def placed(self, who: int, operation: str, data: dict[str, Any], refused: str, late: str = "") -> Row | None:
        """The row of an order that is there now; `refused` before its number is looked at, or `late` after that."""
        known = self.world.mine("orders", who, "out_trade_no", data["outTradeNo"])
        _, kept = self.world.ask(
            who, operation, data, refused or ("ORDER_REPEAT" if known else late or "APPLY_SUCCESS")
        )
        if not kept:
            return None
        made = self.world.mine("orders", who, "out_trade_no", data["outTradeNo"])
        assert made is not None
        assert (made["out_trade_no"], Decimal(made["amount"]), made["currency"], made["user_id"], made["created_at"]) == (
            data["outTradeNo"], data["totalAmount"], data["currency"], data["userId"], instant(self.world.now)
        )  # fmt: skip
        return made

    @rule(
        table=st.sampled_from([*ACTS, "orders", "refunds"]),
        what=st.integers(0, 3),
        number=numbers,
        whose=somebody,
        card=st.sampled_from([*CARDS]),
    )
    def end(self, table: str, what: int, number: int, whose: int | None, card: str | None) -> None:
        """A person is faster than the clock, or too late. Open rows first."""
        names = list(ACTS[table][2])
        act = names[what % len(names)]
        states = ACTS[table][2][act][0]
        rows = sorted(self.world.rows[table].values(), key=lambda row: row["status"] not in states)
        self.act(table, act, rows[number % min(len(rows), 3)] if rows else None, whose, card)

    def act(self, table: str, act: str, row: Row | None, whose: int | None, card: str | None = None) -> None:
        world, (path, column, acts) = self.world, ACTS[table]
        states, after = acts[act]
        number = "OF_NOBODY" if row is None else row[column]
        alike = [one for one in world.rows[table].values() if fold(one[column]) == fold(number)]
        body = None
        if table in SHARED:
            body, alike = named(whose), [one for one in alike if whose is None or one["merchant"] == app(whose)]
        status = 404 if not alike else 409 if len(alike) > 1 or alike[0]["status"] not in states else 200
        if status == 200 and table == "orders":
            order = alike[0]
            if act == "bounce" and not 0 < Decimal(order["amount"]) == rest(world.rows, order):
                status = 409
            if act == "pay" and card:
                body = {**(body or {}), "card": card}
            elif act == "pay" and order["token"] and world.rows["tokens"][order["token"]]["status"] != "Activated":
                status = 409 if order["period"] is None else 200  # a charge fails instead
                after = "FAILED"
        world.did(f"{path}/{number}/{act}", body, status)
        if status == 200:
            changed = world.rows[table][alike[0]["id"]]
            assert changed["status"] == (after or alike[0]["status"])
            assert changed.get("finished_at") in (None, alike[0].get("finished_at"), instant(world.now))
            if act == "pay" and after == "SUCCESS" and (card or not alike[0]["card"]):
                assert changed["card"] == CARDS[card]

    def sold(self, who: int, number: int) -> Row | None:
        """A paid order, sold now if there is none; another one where that cannot be."""
        rows = self.world.rows["orders"]
        paid = [row for row in rows.values() if row["status"] == "SUCCESS"]
        free = [key for key in KEYS if not self.world.mine("orders", who, "out_trade_no", key)]
        if not paid and free:
            data = checkout_data(free[0], paymentDetail={"tokenForFutureUse": True})
            made = self.placed(who, "orders.checkout", data, "")
            if made is not None:
                self.act("orders", "pay", made, who)
                return self.world.rows["orders"][made["id"]]
        some = paid or list(self.world.rows["orders"].values())
        return some[number % len(some)] if some else None

    # Refunds

    @rule(who=merchants, key=st.sampled_from([f"REF_{number}" for number in range(8)]), number=numbers, part=st.sampled_from(["all", "half", "over"]),
          by_token=st.booleans(), other=st.sampled_from([None, None, None, "merchant", "currency", "order"]),
          at_last=st.sampled_from([None, None, None, 0, 1]), then=st.sampled_from([None, None, "settle", "fail"]))  # fmt: skip
    def refund(
        self,
        who: int,
        key: str,
        number: int,
        part: str,
        by_token: bool,
        other: str | None,
        at_last: int | None,
        then: str | None,
    ) -> None:
        """`at_last`: at the end of the 180 days, or so many seconds after it. `then`: how it ends, by a person."""
        world = self.world
        order = None if other == "order" else self.sold(who, number)
        last = 0 if order is None else (order["created_at"] + 180 * DAY - instant(world.now)) // 10**6
        if at_last is not None and order is not None and last >= 0:
            world.advance(last + at_last)
            order = world.rows["orders"][order["id"]]
        free = (
            Decimal(1)
            if order is None
            else max(rest(world.rows, order), Decimal(0)) if order["status"] == "SUCCESS" else Decimal(0)
        )
        amount = (
            free + CENT
            if part == "over" or not free
            else max(CENT, (free / 2).quantize(CENT)) if part == "half" else free
        )
        who = who if order is None else int(order["merchant"][-1]) - 1
        currency = "JPY" if other == "currency" else "USD" if order is None else order["currency"]
        amount = amount.to_integral_value() + 1 if currency == "JPY" else amount
        of = (
            {"tradeToken": order["trade_token"] if order else "TT_OF_NOBODY"}
            if by_token
            else {"outTradeNo": order["out_trade_no"] if order else "ORD_no"}
        )
        who = 1 - who if other == "merchant" else who
        found = (
            order if other != "merchant" or by_token else world.mine("orders", who, "out_trade_no", of["outTradeNo"])
        )
        self.refunded(who, key, None if by_token and other == "merchant" else found, amount, then, currency, of)

    def refunded(
        self,
        who: int,
        key: str,
        order: Row | None,
        amount: Decimal,
        then: str | None,
        currency: str = "",
        of: Any = None,
    ) -> None:
        world = self.world
        currency = currency or order["currency"] if order else currency or "USD"
        of = of or {"outTradeNo": order["out_trade_no"] if order else "ORD_no"}
        if world.mine("refunds", who, "out_refund_no", key):
            code = "ORDER_REPEAT"
        elif order is None:
            code = "PARAMS_INVALID"
        elif order["status"] != "SUCCESS":
            code = "REFUND_INSUFFICIENT_BALANCE"
        elif order["currency"] != currency:
            code = "CURRENCY_INVALID"
        elif instant(world.now) - order["created_at"] > 180 * DAY:
            code = "PARAMS_INVALID"
        else:
            code = "APPLY_SUCCESS" if amount <= rest(world.rows, order) else "REFUND_INSUFFICIENT_BALANCE"
        data = {"outRefundNo": key, "refundAmount": amount, "refundCurrency": currency, **of}
        _, kept = world.ask(who, "refunds.create", data, code)
        made = world.mine("refunds", who, "out_refund_no", key)
        if kept and made and order:
            assert (made["order_id"], Decimal(made["amount"]), made["status"]) == (order["id"], amount, "REFUND_PENDING")  # fmt: skip
            if then:
                self.act("refunds", then, made, who)

    # Plans

    @rule(who=merchants, key=st.sampled_from(["SREQ_1", "SREQ_2", "SREQ_3"]), periods=st.integers(1, 3), days=st.sampled_from([1, 7]),
          trial=st.sampled_from([0, 0, 2]), amount=st.sampled_from(["9.90", "9.90", "15"]), fault=st.sampled_from([None, None, "reset"]))  # fmt: skip
    def subscribe(
        self, who: int, key: str, periods: int, days: int, trial: int, amount: str, fault: str | None
    ) -> None:
        asked: dict[str, Any] = {
            "subject": "Daily", "totalPeriods": periods, "periodRule": {"periodUnit": "D", "periodCount": days},
            "periodAmount": {"amount": Decimal(amount), "currency": "USD"}, "prices": [],
        }  # fmt: skip
        asked |= (
            {"trialConfig": {"trialAmount": {"amount": Decimal(0), "currency": "USD"}, "trialDays": trial}}
            if trial
            else {}
        )
        data = {
            "subscriptionRequestId": key, "userId": "user_1", "callbackUrl": self.world.shop.url, "subscriptionPlan": asked,
        }  # fmt: skip
        repeated = self.world.mine("plans", who, "request_id", key)
        _, kept = self.world.ask(who, "subscriptions.create", data, "ORDER_REPEAT" if repeated else "APPLY_SUCCESS")
        made = self.world.mine("plans", who, "request_id", key)
        assert not kept or (made is not None and (made["total"], made["status"]) == (periods, "INACTIVE"))

    @rule(who=merchants, key=keys, number=numbers, user=users, wrong=st.sampled_from([None, None, None, "9.91"]),
          then=st.sampled_from(["pay", "pay", "pay", "fail", None]))  # fmt: skip
    def activate(self, who: int, key: str, number: int, user: str, wrong: str | None, then: str | None) -> None:
        """With what is due, the trial's amount or the first period's, or with a wrong amount."""
        plans = list(self.world.rows["plans"].values())
        plan = plans[number % len(plans)] if plans else None
        usable = (
            plan and (plan["merchant"], user) == (app(who), "user_1") and plan["status"] in WAITING and wrong is None
        )
        due = Decimal("9.90") if plan is None else Decimal(0) if plan["trial_days"] else Decimal(plan["amount"])
        data = checkout_data(key, due if wrong is None else Decimal(wrong), userId=user)
        data["subscriptionPlan"] = {"subscriptionNo": plan["subscription_no"] if plan else "SUB0000000000NOWHERE"}
        made = self.placed(who, "orders.checkout", data, "", "" if usable else "PARAMS_INVALID")
        if made is not None and plan is not None and then:
            self.act("orders", then, made, who)
            now = self.world.rows["plans"][plan["id"]]
            ended = "FINISH" if plan["total"] == 1 and not plan["trial_days"] else "ACTIVE"
            assert now["status"] == (ended if then == "pay" else "ACTIVE_FAILED")

    # Bank-style

    @rule(who=merchants, number=numbers, cancels=st.booleans(), external=st.sampled_from(["1", "2"]), amount=st.sampled_from([None, None, "9999.00"]),
          tomorrow=st.sampled_from([False, False, True]))  # fmt: skip
    def bank_style(
        self, who: int, number: int, cancels: bool, external: str, amount: str | None, tomorrow: bool
    ) -> None:
        """With `tomorrow` once more with the same X-EXTERNAL-ID, as soon as its day is over."""
        orders = [row["out_trade_no"] for row in self.world.rows["orders"].values() if row["merchant"] == app(who)]
        key = orders[number % len(orders)] if orders else "ORD_a"
        self.called(who, key, "snap.cancel" if cancels else "snap.status", external, amount)
        if tomorrow:
            now = self.world.now
            over = (now + timedelta(hours=7)).replace(hour=0, minute=0, second=0) + timedelta(hours=17)
            self.world.advance((over - now) // timedelta(seconds=1))
            self.called(who, key, "snap.cancel" if cancels else "snap.status", external, amount)

    def called(self, who: int, key: str, operation: str, external: str, amount: str | None) -> None:
        world, cancels = self.world, operation == "snap.cancel"
        data: dict[str, Any] = {"originalPartnerReferenceNo": key, "additionalInfo": {"version": "1.4", "keyVersion": "1"}}  # fmt: skip
        data |= {} if cancels else {"serviceCode": "54"}
        data |= {"amount": {"value": Decimal(amount), "currency": "USD"}} if amount else {}
        order, service = world.mine("orders", who, "out_trade_no", key), "57" if cancels else "55"
        with world.store.transaction() as state:
            used = state.one(
                "SELECT * FROM snap_calls WHERE merchant = ? AND day = ? AND external_id = ?",
                app(who),
                day_of(world.now),
                external,
            )
        paid = order is not None and order["status"] == "SUCCESS" and cancels
        free = rest(world.rows, order) if order is not None and paid else Decimal(0)
        code = f"200{service}00"
        if used:
            code = f"409{service}00"
        elif order is None:
            code = f"404{service}01"
        elif amount:
            code = f"404{service}13"
        elif paid and not free and left(world.rows, order, "refunds"):
            code = f"403{service}15"  # a chargeback case holds all that refunds have left
        elif free and instant(world.now) - order["created_at"] > 180 * DAY:
            code = f"403{service}15"
        before = world.rows
        _, kept = world.ask(who, operation, data, code, external)
        if kept and order is not None and cancels:
            now = world.rows["orders"][order["id"]]
            assert now["status"] == ("FAILED" if order["status"] == "PENDING" else order["status"])
            assert len(world.rows["refunds"]) - len(before["refunds"]) == bool(free)
            assert not free or rest(world.rows, now) == 0

    # Payment links

    @rule(who=merchants, key=st.sampled_from(["ML_1", "ML_2"]), amount=amounts, lasts=st.sampled_from([3600, 3 * 86400]),
          payer=st.sampled_from(["payer_1", "payer_1", "payer_2"]), then=st.sampled_from(["pay", "pay", "fail", "close", None]))  # fmt: skip
    def link(self, who: int, key: str, amount: Decimal, lasts: int, payer: str, then: str | None) -> None:
        """Made if it is not there yet, and opened."""
        world = self.world
        expires = formats.write_request_time(world.now + timedelta(seconds=lasts))
        body = {"merchant": app(who), "merchantLinkId": key, "amount": format(amount, "f"), "currency": "USD", "country": "SG",
                "description": "Two tickets", "expiresAt": expires}  # fmt: skip
        world.did("links", body, 409 if world.mine("links", who, "merchant_link_id", key) else 200)
        link = world.mine("links", who, "merchant_link_id", key)
        assert link is not None
        of = [row for row in world.rows["orders"].values() if row["link"] == link["id"]]
        pending = [row["out_trade_no"] for row in of if (row["status"], row["user_id"]) == ("PENDING", payer)]
        status = 200 if pending or link["status"] == "ACTIVE" else 409
        answer = world.did(f"links/{link['link_id']}/open", {"userId": payer}, status)
        if status == 200:
            made = world.mine("orders", who, "out_trade_no", answer["outTradeNo"])
            assert made is not None
            assert pending[-1:] in ([], [made["out_trade_no"]])
            assert (made["link"], made["amount"], made["user_id"]) == (link["id"], link["amount"], payer)
            assert made["expires_at"] <= link["expires_at"]
            if then:
                self.act("orders", then, made, who)

    # Money of their own

    @rule(who=merchants, key=st.sampled_from(["EXC_1", "EXC_2", "EXC_3"]), pair=st.sampled_from(["EURUSD", "USDEUR", "USDJPY"]),
          side=st.sampled_from(["BUY", "SELL"]), amount=sums, locked=st.booleans(), then=st.sampled_from([None, None, "settle", "fail"]))  # fmt: skip
    def exchange(
        self, who: int, key: str, pair: str, side: str, amount: Decimal, locked: bool, then: str | None
    ) -> None:
        world, one, other = self.world, pair[:3], pair[3:]
        asked = {"side": side, "transactionCurrency": one, "targetCurrency": other}
        told, _ = world.ask(who, "rates.query", {"ccyPairList": [asked], "product": "PAY_IN"}, "APPLY_SUCCESS")
        if told is None:
            return
        rate = told["data"]["currencyList"][0]
        data = {"ccyPair": pair, "outTradeNo": key, "side": side, "transactionAmount": format(amount, "f"), "transactionCcy": one,
                "targetCcy": other} | ({"rateVersion": rate["rateReferenceId"]} if locked else {})  # fmt: skip
        target = converted(amount, Decimal(str(rate["rate"])), other, side)
        paid = (one, amount) if side == "SELL" else (other, target)
        enough = held(world, world.rows)[who, paid[0]] >= paid[1]
        code = "AMOUNT_LIMIT" if not target else "APPLY_SUCCESS" if enough else "BALANCE_INSUFFICIENT"
        _, kept = world.ask(
            who, "exchanges.create", data, "ORDER_REPEAT" if world.mine("exchanges", who, "out_trade_no", key) else code
        )
        made = world.mine("exchanges", who, "out_trade_no", key)
        if kept and made is not None:
            assert (Decimal(made["transaction_amount"]), Decimal(made["target_amount"]), made["side"]) == (
                amount,
                target,
                side,
            )
            if then:
                self.act("exchanges", then, made, who)

    @rule(who=merchants, key=st.sampled_from(["WD_1", "WD_2", "WD_3"]), currency=st.sampled_from(["USD", "EUR"]),
          amount=sums | st.sampled_from(["all", "whole", "over"]), then=st.sampled_from([None, None, "settle", "fail"]))  # fmt: skip
    def withdraw(self, who: int, key: str, currency: str, amount: Decimal | str, then: str | None) -> None:
        """All that is there with the fee, without it, or a cent more than all with it; or some amount."""
        world = self.world
        there = held(world, world.rows)[who, currency]
        if isinstance(amount, str):
            amount = max(CENT, {"all": there - FEE, "whole": there, "over": there - FEE + CENT}[amount])
        body = {
            "merchant": app(who),
            "outTradeNo": key,
            "transactionCurrency": currency,
            "transactionAmount": format(amount, "f"),
        }
        possible = not world.mine("withdrawals", who, "out_trade_no", key) and there >= amount + FEE
        world.did("withdrawals", body, 200 if possible else 409)
        if possible:
            made = world.mine("withdrawals", who, "out_trade_no", key)
            assert made is not None
            assert (Decimal(made["transaction_amount"]), Decimal(made["fee"])) == (amount, FEE)
            if then:
                self.act("withdrawals", then, made, who)

    @rule(what=st.sampled_from(["credit", "transfer", "bill"]), who=merchants, amount=sums, number=st.integers(0, 2))
    def money_comes(self, what: str, who: int, amount: Decimal, number: int) -> None:
        world, body = self.world, {
            "merchant": app(who),
            "amount": format(amount, "f"),
            "currency": ["USD", "EUR", "USD"][number],
        }
        if what == "credit":
            world.first[who, str(body["currency"])] += amount  # as if it had been there at first
            world.did("balances", body, 200)
        elif what == "transfer":
            status = ["TO_BE_PROVED", "SETTLED", "REJECTED"][number]
            assert world.did("transfers", body | {"status": status}, 200)["status"] == status
        else:
            key, cost = f"BILL_{number % 2}", "20.50" if number else "50.01"
            paid = any(
                (row["merchant"], row["reference_no"], row["status"]) == (app(who), key, "PAID")
                for row in world.rows["bill_payments"].values()
            )
            body = {"merchant": app(who), "referenceNo": key, "amount": cost}
            answer = world.control("POST", "bill-payments", body)
            assert ("status" in answer) == (not paid), answer
            takes = "PAID" if Decimal(cost) <= 50 else "REFUSED"
            assert paid or answer["status"] == {"takes": takes, "refuses": "REFUSED"}.get(world.shop.mood, "UNANSWERED")

    @rule(who=merchants, key=st.sampled_from(["CB_1", "CB_2"]), number=numbers, part=st.booleans(), moved=st.sampled_from([None, *CASE_MOVES]),
          whose=somebody)  # fmt: skip
    def dispute(
        self, who: int, key: str, number: int, part: bool, moved: tuple[str, str | None] | None, whose: int | None
    ) -> None:
        """A case of an order, a paid one if there is one, opened with all that is left or a cent of it, and moved."""
        world = self.world
        order = self.sold(who, number)
        order = order if order is not None and order["merchant"] == app(who) else None
        if not world.mine("cases", who, "case_id", key):
            free = rest(world.rows, order) if order is not None and order["status"] == "SUCCESS" else Decimal(0)
            amount = CENT if part else free
            enough = order is not None and held(world, world.rows)[who, order["currency"]] >= amount + Decimal("0.10")
            status = 404 if order is None else 200 if free > 0 and enough else 409
            if order is not None and part and order["status"] == "SUCCESS" and not Decimal(order["amount"]):
                status = 400  # a trial: even a cent is too much
            body = {"merchant": app(who), "outTradeNo": order["out_trade_no"] if order else "ORD_no", "caseId": key}
            world.did("cases", body | ({"amount": "0.01"} if part else {}), status)
            made = world.mine("cases", who, "case_id", key)
            assert status != 200 or (
                made is not None
                and order is not None
                and (Decimal(made["amount"]), made["order_id"]) == (amount, order["id"])
            )
        if moved is not None:
            to, result = moved
            alike = [
                row
                for row in world.rows["cases"].values()
                if row["case_id"] == key and (whose is None or row["merchant"] == app(whose))
            ]
            wrong = (to == "DISPUTE_END") if result is None else to not in ("DISPUTE_END", "CASE_CLOSED")
            status = (
                404 if not alike else 409 if len(alike) > 1 or alike[0]["status"] in OVER else 400 if wrong else 200
            )
            world.did(
                f"cases/{key}",
                {"status": to} | ({"caseResult": result} if result else {}) | (named(whose) or {}),
                status,
            )
            if status == 200:
                assert [world.rows["cases"][alike[0]["id"]][name] for name in ("status", "result")] == [to, result]

    # Asking

    @rule(
        who=merchants,
        what=st.sampled_from(list(QUERIES)),
        number=numbers,
        user=users,
        tokens=st.sampled_from([None, None, "list", "inquire"]),
    )
    def ask_about(self, who: int, what: str, number: int, user: str, tokens: str | None) -> None:
        world = self.world
        if tokens:
            answer, _ = world.ask(
                who,
                f"payment_tokens.{tokens}",
                {"userId": user, "tokenScope": "tokenAcq"},
                "APPLY_SUCCESS" if tokens == "list" else "0000",
            )
            mine = [
                row for row in world.rows["tokens"].values() if (row["merchant"], row["user_id"]) == (app(who), user)
            ]
            assert answer is None or [
                (one["cardInfo"], one["paymentTokenStatus"]) for one in answer["data"]["tokenList"]
            ] == [(row["card"], row["status"]) for row in mine]
            return
        member, table, column, shows, absent = QUERIES[what]
        rows = list(world.rows[table].values())
        key = rows[number % len(rows)][column] if rows else "OF_NOBODY"
        row = world.mine(table, who, column, key)
        answer, _ = world.ask(who, what, {member: key}, "APPLY_SUCCESS" if row else absent)
        if answer is not None and row is not None:
            assert {name: answer["data"][name] for name in shows} == {
                name: row[column] for name, column in shows.items()
            }

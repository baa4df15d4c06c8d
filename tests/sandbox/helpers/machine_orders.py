"""What is done with orders: placed in every way, paid, failed, closed, cancelled bank-style, refunded, and asked for."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.sandbox.helpers.desk import checkout_data
from tests.sandbox.helpers.machine_checks import look
from tests.sandbox.helpers.machine_faults import WHENS
from tests.sandbox.helpers.machine_model import DAY, MASTERCARD, VISA, Order, Plan, Token, fold, meant
from tests.sandbox.helpers.machine_world import NOBODY, World

KEYS = ["ORD_a", "ORD_A", "ord_A", "ORD_b", "ORD_c", "ORD_d"]
USERS = ["user_1", "user_2"]
LINKS = ["ML_1", "ML_2"]
FAILS = {Decimal(value) for value in ("15", "500", "1.12", "20000", "25000")}
WAITS = {Decimal(value) for value in ("6", "60", "600", "16000", "222")}
CENT = Decimal("0.01")
CARDS = {None: None, "5555555555554444": MASTERCARD, "4444333322221111": VISA}

merchants = st.sampled_from([0, 0, 0, 1])
somebody = st.sampled_from([None, 0, 0, 1])  # nobody is named
keys = st.sampled_from(KEYS)
users = st.sampled_from(["user_1", *USERS])
refund_keys = st.sampled_from([f"REF_{number}" for number in range(8)])
currencies = st.sampled_from(["USD", "USD", "USD", "EUR"])
amounts = st.one_of(
    st.sampled_from(["10.50", "15", "1.12", "6", "222", "0.01"]).map(Decimal),
    st.integers(1, 3000).map(lambda cents: Decimal(cents).scaleb(-2)),
)
faults = st.one_of(
    st.none(), st.none(), st.sampled_from([(kind, when) for kind, whens in WHENS.items() for when in whens])
)
Fault = tuple[str, str] | None


def app(who: int) -> str:
    return f"app_sandbox_{who + 1}"


class Orders(RuleBasedStateMachine):
    world: World

    @rule(
        who=merchants,
        key=keys,
        amount=amounts,
        currency=currencies,
        lifetime=st.sampled_from([None, 1800, 3600]),
        user=users,
        binds=st.booleans(),
        nobody=st.booleans(),
        fault=faults,
    )
    def checkout(
        self,
        who: int,
        key: str,
        amount: Decimal,
        currency: str,
        lifetime: int | None,
        user: str,
        binds: bool,
        nobody: bool,
        fault: Fault,
    ) -> None:
        self.world.plant_once(fault, "orders.checkout")
        data = checkout_data(key, amount, currency=currency, userId=user)
        data |= {"expireTime": str(lifetime)} if lifetime else {}
        data |= {"notifyUrl": NOBODY} if nobody else {}
        data |= {"paymentDetail": {"tokenForFutureUse": True}} if binds else {}
        self.placed(who, "orders.checkout", data, lifetime or DAY, binds=binds)

    @rule(who=merchants, key=keys, amount=amounts, user=users, binds=st.booleans(), fault=faults)
    def drop_in(self, who: int, key: str, amount: Decimal, user: str, binds: bool, fault: Fault) -> None:
        self.world.plant_once(fault, "orders.drop_in")
        data = checkout_data(key, amount, integrate="Direct_Payment", country="SG", terminalType="WEB", userId=user)
        data["paymentDetail"] = {"buyerInfo": {"clientIp": "203.0.113.7", "userAgent": "Mozilla/5.0"}}
        data["paymentDetail"] |= {"tokenForFutureUse": True} if binds else {}
        order = self.placed(who, "orders.drop_in", data, DAY, binds=binds)
        if order is not None:
            self.charge(order)

    @rule(who=merchants, key=keys, amount=amounts, user=users, number=st.integers(0, 3), alone=st.booleans())
    def pay_with_a_token(self, who: int, key: str, amount: Decimal, user: str, number: int, alone: bool) -> None:
        tokens = self.world.model.tokens
        self.world.catch_up()
        token = tokens[number % len(tokens)] if tokens else None
        known = list(self.world.rows["tokens"].values())
        detail = {"paymentTokenID": known[tokens.index(token)]["token_id"] if token else "PTK_OF_NOBODY"}
        detail |= {"merchantInitiated": True, "mitType": "UNSCHEDULED"} if alone else {}
        usable = token and (token.merchant, token.user, token.status) == (who, user, "Activated")
        data = checkout_data(key, amount, userId=user, paymentDetail=detail)
        order = self.placed(who, "orders.checkout", data, DAY, token=token, refused=None if usable else "token")
        if order is not None and alone:
            self.charge(order)

    def charge(self, order: Order) -> None:
        """Nobody is asked: the amount decides."""
        if order.amount in FAILS:
            self.world.model.finish(order, "failed", self.world.now)
        elif order.amount not in WAITS:
            self.world.model.finish(order, "paid", self.world.now)

    def placed(
        self,
        who: int,
        operation: str,
        data: dict[str, Any],
        lifetime: int,
        *,
        binds: bool = False,
        token: Token | None = None,
        plan: Plan | None = None,
        refused: str | None = None,
    ) -> Order | None:
        """Asks for an order, and keeps it in the model if it must be there now. `refused`: for its token, or its plan."""
        world, key = self.world, data["outTradeNo"]
        answer, kept = world.ask(who, operation, data)
        if refused == "token":
            code = "PAYMENT_METHOD_NOT_EXIST"
        elif (who, fold(key)) in world.model.orders:
            code = "ORDER_REPEAT"
        else:
            code = "PARAMS_INVALID" if refused == "plan" else "APPLY_SUCCESS"
        world.expect(answer, code)
        if code != "APPLY_SUCCESS" or not kept:
            return None
        order = Order(
            who, key, world.now, world.model.after(lifetime), "PENDING", amount=data["totalAmount"],
            currency=data["currency"], user=data["userId"], binds=binds,
            card=token.card if token else None, token=token, plan=plan,
        )  # fmt: skip
        return world.model.place(order)

    @rule(
        key=keys,
        action=st.sampled_from(["pay", "pay", "pay", "fail", "close"]),
        card=st.sampled_from(sorted(CARDS, key=str)),
        whose=somebody,
    )
    def act(self, key: str, action: str, card: str | None, whose: int | None) -> None:
        """The payer, or whoever stands in for one."""
        world = self.world
        world.catch_up()
        order, status = meant(world.model.orders, key, whose)
        if order is not None and order.status != "PENDING":
            status = 409
        elif order is not None and order.token is not None and order.token.status != "Activated":
            status = 409 if action == "pay" and not card else status  # another card is as good as any
        body = {"merchant": app(whose)} if whose is not None else {}
        body |= {"card": card} if card and action == "pay" else {}
        assert world.did(f"orders/{key}/{action}", body or None) == status
        if status == 200 and order is not None:
            outcome = {"pay": "paid", "fail": "failed", "close": "closed"}[action]
            world.model.finish(order, outcome, world.now, CARDS[card] if action == "pay" else None)

    @rule(key=keys, whose=somebody)
    def bounce(self, key: str, whose: int | None) -> None:
        """A paid order is returned, if nothing of it has gone back and nothing may."""
        world = self.world
        world.catch_up()
        order, status = meant(world.model.orders, key, whose)
        if order is not None and not 0 < order.amount == order.rest:
            status = 409
        assert world.did(f"orders/{key}/bounce", {"merchant": app(whose)} if whose is not None else None) == status
        if status == 200 and order is not None:
            world.model.bounce(order, world.now)

    def query(self, who: int, key: str) -> None:
        answer, _ = self.world.ask(who, "orders.query", {"outTradeNo": key})
        order = self.world.model.orders.get((who, fold(key)))
        self.world.expect(answer, "APPLY_SUCCESS" if order else "ORDER_NOT_EXIST")
        if answer is not None:
            assert ("data" in answer) == (order is not None)
            if order is not None:
                found = answer["data"]
                assert (found["status"], found["outTradeNo"]) == (order.status, order.key)
                assert ("bounceBackTime" in found) == (order.status == "BOUNCEBACK")
                assert (Decimal(found["trade"]["amount"]), found["trade"]["currency"]) == (order.amount, order.currency)

    # Refunds

    @rule(who=merchants, key=refund_keys, of=merchants, order=keys, amount=amounts, currency=currencies,
          by_token=st.booleans(), fault=faults)  # fmt: skip
    def refund(
        self, who: int, key: str, of: int, order: str, amount: Decimal, currency: str, by_token: bool, fault: Fault
    ) -> None:
        self.world.plant_once(fault, "refunds.create")
        self.refunded(who, key, of if by_token else who, order, amount, currency, by_token)

    @rule(
        who=merchants,
        key=refund_keys,
        number=st.integers(0, 5),
        part=st.sampled_from(["all", "all", "half", "over"]),
        at_last=st.sampled_from([None, None, None, 0, 1]),
        then=st.sampled_from([None, None, True, False]),
    )
    def refund_a_paid_one(
        self, who: int, key: str, number: int, part: str, at_last: int | None, then: bool | None
    ) -> None:
        """`at_last`: at the end of the 180 days, or so many seconds after it. `then`: how it ends, by a person."""
        world = self.world
        world.catch_up()
        paid = [order for order in world.model.orders.values() if order.status == "SUCCESS"]
        if not paid:
            self.refunded(who, key, who, "ORD_a", Decimal(1), "USD", False)
            return
        order = paid[number % len(paid)]
        left = (order.created + timedelta(days=180) - world.now) // timedelta(seconds=1)
        if at_last is not None and left >= 0:
            world.advance(left + at_last)
        amount = order.rest + CENT if part == "over" or not order.rest else order.rest
        if part == "half":
            amount = max(CENT, (amount / 2).quantize(CENT))
        self.refunded(order.merchant, key, order.merchant, order.key, amount, order.currency, False)
        if then is not None:
            look(world)
            self.end_refund(-1, then, order.merchant)

    def refunded(self, who: int, key: str, of: int, order: str, amount: Decimal, currency: str, by_token: bool) -> None:
        world = self.world
        data: dict[str, Any] = {"outRefundNo": key, "refundAmount": amount, "refundCurrency": currency}
        tokens = {
            (row["merchant"][-1], fold(row["out_trade_no"])): row["trade_token"]
            for row in world.rows["orders"].values()
        }
        data |= (
            {"tradeToken": tokens.get((str(of + 1), fold(order)), "TT_OF_NOBODY")}
            if by_token
            else {"outTradeNo": order}
        )
        answer, kept = world.ask(who, "refunds.create", data)
        found = world.model.orders.get((of, fold(order))) if of == who else None  # another merchant's is not there
        if (who, key) in world.model.refunds:
            code = "ORDER_REPEAT"
        elif found is None:
            code = "PARAMS_INVALID"
        elif found.status != "SUCCESS":
            code = "REFUND_INSUFFICIENT_BALANCE"
        elif found.currency != currency:
            code = "CURRENCY_INVALID"
        elif world.now - found.created > timedelta(days=180):
            code = "PARAMS_INVALID"
        else:
            code = "APPLY_SUCCESS" if amount <= found.rest else "REFUND_INSUFFICIENT_BALANCE"
        world.expect(answer, code)
        if code == "APPLY_SUCCESS" and kept and found is not None:
            world.model.refund(who, key, found, amount)

    def end_refund(self, number: int, well: bool, whose: int | None) -> None:
        world = self.world
        world.catch_up()
        pending = [made for made in world.model.refunds.values() if made.status == "REFUND_PENDING"]
        some = pending or list(world.model.refunds.values())
        key = some[number % len(some)].key if some else "REF_OF_NOBODY"
        refund, status = meant(world.model.refunds, key, whose)
        if refund is not None and refund.status != "REFUND_PENDING":
            status = 409
        body = None if whose is None else {"merchant": app(whose)}
        assert world.did(f"refunds/{key}/{'settle' if well else 'fail'}", body) == status
        if status == 200 and refund is not None:
            world.model.end_refund(refund, well, world.now)

    def query_refund(self, who: int, key: str) -> None:
        answer, _ = self.world.ask(who, "refunds.query", {"outRefundNo": key})
        made = self.world.model.refunds.get((who, key))
        self.world.expect(answer, "APPLY_SUCCESS" if made else "ORDER_NOT_EXIST")
        if answer is not None and made is not None:
            assert (Decimal(answer["data"]["refundAmount"]), answer["data"]["status"]) == (made.amount, made.status)

"""What is done with plans, payment links, tokens and the bank-style calls."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from paywright_runtime.contract import formats
from tests.sandbox.helpers.desk import checkout_data
from tests.sandbox.helpers.machine_model import DAY, WAITING, Link, Order, Plan, Token, fold
from tests.sandbox.helpers.machine_orders import LINKS, Fault, Orders, amounts, faults, keys, merchants, users
from tests.sandbox.helpers.machine_world import day_of

NOWHERE = "SUB0000000000NOWHERE"

plan_keys = st.sampled_from(["SREQ_1", "SREQ_2", "SREQ_3"])
link_keys = st.sampled_from(LINKS)


class Payments(Orders):
    # Plans

    @rule(
        who=merchants,
        key=plan_keys,
        periods=st.integers(1, 3),
        days=st.sampled_from([1, 7]),
        trial=st.sampled_from([0, 0, 2]),
        amount=st.sampled_from(["9.90", "9.90", "15"]),
        fault=faults,
    )
    def subscribe(self, who: int, key: str, periods: int, days: int, trial: int, amount: str, fault: Fault) -> None:
        world = self.world
        world.plant_once(fault, "subscriptions.create")
        asked = {
            "subject": "Daily", "totalPeriods": periods, "periodRule": {"periodUnit": "D", "periodCount": days},
            "periodAmount": {"amount": Decimal(amount), "currency": "USD"}, "prices": [],
        }  # fmt: skip
        if trial:
            free = {"amount": Decimal(0), "currency": "USD"}
            asked["trialConfig"] = {"trialAmount": free, "trialDays": trial}
        data = {
            "subscriptionRequestId": key,
            "userId": "user_1",
            "callbackUrl": self.world.shop.url,
            "subscriptionPlan": asked,
        }
        answer, kept = world.ask(who, "subscriptions.create", data)
        repeated = (who, key) in world.model.plans
        world.expect(answer, "ORDER_REPEAT" if repeated else "APPLY_SUCCESS")
        if repeated or not kept:
            return
        with world.store.transaction() as state:
            row = state.one("SELECT subscription_no FROM plans ORDER BY id DESC LIMIT 1")
        assert row is not None
        world.model.plans[who, key] = Plan(
            who, key, world.now, world.model.after(DAY), "INACTIVE", number=str(row["subscription_no"]), total=periods,
            days=days, amount=Decimal(amount), trial=trial,
        )  # fmt: skip

    @rule(
        who=merchants,
        key=keys,
        of=merchants,
        plan=plan_keys,
        user=users,
        wrong=st.sampled_from([None, None, None, "9.91"]),
        then=st.sampled_from(["pay", "pay", "fail", None]),
    )
    def activate(self, who: int, key: str, of: int, plan: str, user: str, wrong: str | None, then: str | None) -> None:
        """With what is due, the trial's amount or the first period's, or with a wrong amount."""
        world = self.world
        world.catch_up()
        found = world.model.plans.get((of, plan))
        usable = found is not None and (of, user) == (who, "user_1") and found.status in WAITING and wrong is None
        due = found.amount if found and not found.trial else Decimal(0) if found else Decimal("9.90")
        data = checkout_data(key, due if wrong is None else Decimal(wrong), userId=user)
        data["subscriptionPlan"] = {"subscriptionNo": found.number if found else NOWHERE}
        order = self.placed(
            who, "orders.checkout", data, DAY, plan=found, refused=None if usable else "plan"
        )  # fmt: skip
        if order is not None and then:
            self.act(key=key, action=then, card=None, whose=who)

    @rule(who=merchants, key=plan_keys, how=st.sampled_from(["cancel", "terminate", "fail-next"]))
    def end_plan(self, who: int, key: str, how: str) -> None:
        world = self.world
        world.catch_up()
        plan = world.model.plans.get((who, key))
        world.engine.run_due_timers()
        status = world.did(f"subscriptions/{plan.number if plan else NOWHERE}/{how}")
        if plan is None:
            assert status == 404
        elif plan.status in WAITING:
            assert status == 200
        else:
            assert status == (200 if self.is_active(plan) else 409)
        if status == 200 and plan is not None and how != "fail-next":
            world.model.end_plan(plan, {"cancel": "CANCEL", "terminate": "TERMINATE"}[how], world.now)

    def is_active(self, plan: Plan) -> bool:
        """Whether it has not finished with what fell due a moment ago; the next look says whether it rightly has not."""
        if plan.status != "ACTIVE":
            return False
        with self.world.store.transaction() as state:
            row = state.one(
                "SELECT count(*) AS n FROM events WHERE kind = 'plan.moved' AND detail LIKE ? AND detail LIKE '%FINISH%'",
                f"%{plan.number}%",
            )
        return row == {"n": 0}

    def finish_a_charge(self, number: int, action: str) -> None:
        """A person is faster than the clock with the try of a period."""
        world = self.world
        world.catch_up()
        world.engine.run_due_timers()
        with world.store.transaction() as state:
            tries = state.all(
                "SELECT out_trade_no FROM orders WHERE period IS NOT NULL AND status = 'PENDING' ORDER BY id"
            )
        if tries:
            assert world.did(f"orders/{tries[number % len(tries)]['out_trade_no']}/{action}") == 200

    # Bank-style

    @rule(
        who=merchants,
        key=keys,
        cancels=st.booleans(),
        external=st.sampled_from(["1", "2"]),
        amount=st.sampled_from([None, None, "9999.00"]),
        tomorrow=st.sampled_from([False, False, True]),
        fault=faults,
    )
    def bank_style(
        self, who: int, key: str, cancels: bool, external: str, amount: str | None, tomorrow: bool, fault: Fault
    ) -> None:
        """With `tomorrow` once more with the same X-EXTERNAL-ID, as soon as its day is over."""
        operation = "snap.cancel" if cancels else "snap.status"
        self.world.plant_once(fault, operation)
        self.called(who, key, operation, external, amount)
        if tomorrow:
            over = (self.world.now + timedelta(hours=7)).replace(hour=0, minute=0, second=0) + timedelta(hours=17)
            self.world.advance((over - self.world.now) // timedelta(seconds=1))
            self.called(who, key, operation, external, amount)

    def called(self, who: int, key: str, operation: str, external: str, amount: str | None) -> None:
        world, cancels = self.world, operation == "snap.cancel"
        data: dict[str, Any] = {
            "originalPartnerReferenceNo": key,
            "additionalInfo": {"version": "1.4", "keyVersion": "1"},
        }
        data |= {} if cancels else {"serviceCode": "54"}
        data |= {"amount": {"value": Decimal(amount), "currency": "USD"}} if amount else {}
        answer, kept = world.ask(who, operation, data, external)
        order, call = world.model.orders.get((who, fold(key))), (who, day_of(world.now), external)
        rest = order.rest if order and cancels else Decimal(0)
        service = "57" if cancels else "55"
        if call in world.model.snap_calls:
            code = f"409{service}00"
        elif order is None:
            code = f"404{service}01"
        elif amount:
            code = f"404{service}13"
        elif cancels and not rest and order.status == "SUCCESS" and order.refunded < order.amount:
            code = f"403{service}15"  # a chargeback case holds all that refunds have left
        elif rest and world.now - order.created > timedelta(days=180):
            code = f"403{service}15"
        else:
            code = f"200{service}00"
        world.expect(answer, code)
        if code[0] != "2" or not kept or order is None:
            return
        world.model.snap_calls.add(call)
        if cancels and order.status == "PENDING":
            world.model.finish(order, "closed", world.now)
        elif rest:
            with world.store.transaction() as state:
                made = state.one("SELECT out_refund_no FROM refunds ORDER BY id DESC LIMIT 1")
            assert made is not None
            world.model.refund(who, str(made["out_refund_no"]), order, rest)

    # Payment links

    @rule(who=merchants, key=link_keys, amount=amounts, lasts=st.sampled_from([3600, 3 * DAY]))
    def make_link(self, who: int, key: str, amount: Decimal, lasts: int) -> None:
        world = self.world
        world.catch_up()
        body = {
            "merchant": f"app_sandbox_{who + 1}", "merchantLinkId": key, "amount": format(amount, "f"), "currency": "USD",
            "country": "SG", "description": "Two tickets", "expiresAt": formats.write_request_time(world.model.after(lasts)),
        }  # fmt: skip
        made = world.control("POST", "links", body)
        assert made["httpStatus"] == (409 if (who, key) in world.model.links else 200), made
        if made["httpStatus"] == 200:
            due = world.model.after(lasts)
            link = Link(who, key, world.now, due, "ACTIVE", number=made["linkId"], amount=amount)
            world.model.links[who, key] = link

    @rule(
        who=merchants,
        key=link_keys,
        payer=st.sampled_from(["payer_1", "payer_1", "payer_2"]),
        action=st.sampled_from(["pay", "pay", "fail", "close", None]),
    )
    def open_link(self, who: int, key: str, payer: str, action: str | None) -> None:
        world = self.world
        world.catch_up()
        link = world.model.links.get((who, key))
        answer = world.control("POST", f"links/{link.number if link else 'L0'}/open", {"userId": payer})
        of = link.orders if link else []
        pending = [order for order in of if (order.status, order.user) == ("PENDING", payer)]
        status = 404 if link is None else 200 if pending or link.status == "ACTIVE" else 409
        assert answer["httpStatus"] == status, answer
        if status != 200 or link is None:
            return
        if not pending:
            until = min(link.due, world.model.after(DAY))
            order = Order(who, answer["outTradeNo"], world.now, until, "PENDING", amount=link.amount, user=payer)
            link.orders.append(world.model.place(order))
            pending = [order]
        assert pending[-1].key == answer["outTradeNo"]
        if action:
            self.act(key=answer["outTradeNo"], action=action, card=None, whose=who)

    def query_link(self, who: int, key: str) -> None:
        answer, _ = self.world.ask(who, "payment_links.query", {"merchantLinkId": key})
        link = self.world.model.links.get((who, key))
        self.world.expect(answer, "APPLY_SUCCESS" if link else "ORDER_NOT_EXIST")
        if answer is not None and link is not None:
            shown = {"SUCCESS": "SUCCESS", "PENDING": "PENDING", "FAILED": "CLOSE", "BOUNCEBACK": "SUCCESS"}
            must = [(order.key, shown[order.status]) for order in link.orders] or [("", None)]
            found = answer["data"]["payByLinkInfo"]
            assert [(one["outTradeNo"], one.get("status")) for one in found] == must
            assert answer["data"]["linkStatus"] == link.status

    # Tokens

    def list_tokens(self, who: int, user: str, form: str) -> None:
        data = {"userId": user} | ({} if form.endswith("list") else {"tokenScope": "tokenAcq"})
        answer, _ = self.world.ask(who, form, data)
        self.world.expect(answer, "APPLY_SUCCESS" if form.endswith("list") else "0000")
        if answer is not None:
            mine = [token for token in self.world.model.tokens if (token.merchant, token.user) == (who, user)]
            found = [(one["cardInfo"], one["paymentTokenStatus"]) for one in answer["data"]["tokenList"]]
            assert found == [(token.card, token.status) for token in mine]

    def delete_token(self, number: int) -> None:
        world = self.world
        world.catch_up()
        tokens: list[Token] = world.model.tokens
        rows = list(world.rows["tokens"].values())
        if not tokens:
            assert world.did("tokens/PTK0/delete") == 404
            return
        token, row = tokens[number % len(tokens)], rows[number % len(tokens)]
        assert world.did(f"tokens/{row['token_id']}/delete") == (200 if token.status == "Activated" else 409)
        if token.status == "Activated":
            token.status = "Deleted"

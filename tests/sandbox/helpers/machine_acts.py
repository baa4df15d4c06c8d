"""Asking, ending, and the acts of several steps: what many of the others need to come before them."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.sandbox.helpers.machine_checks import look
from tests.sandbox.helpers.machine_money import CASES, EXCHANGES, WITHDRAWALS, Money, case_keys, sums
from tests.sandbox.helpers.machine_orders import (
    LINKS,
    USERS,
    amounts,
    currencies,
    keys,
    merchants,
    refund_keys,
    somebody,
)
from tests.sandbox.helpers.machine_payments import plan_keys

# To what, and who wins; the last two cannot be.
CASE_MOVES = [
    (None, None), ("DISPUTE_RECEIVED", None), ("DISPUTE_INQUIRY", None), ("DISPUTE_END", "WIN"), ("DISPUTE_END", "FAI"),
    ("CASE_CLOSED", None), ("CASE_CLOSED", "FAI"), ("CASE_CANCEL", None), ("DISPUTE_END", None), ("CASE_CANCEL", "WIN"),
]  # fmt: skip


class Acts(Money):
    # One rule each for asking and for ending, so that they do not crowd out what makes something to ask for

    @rule(
        who=merchants, order=keys, refund=refund_keys, number=st.integers(0, 2),
        what=st.sampled_from(["order", "order", "refund", "refund", "link", "token", "exchange", "withdrawal", "case"]),
        other_form=st.booleans(),
    )  # fmt: skip
    def ask_about(self, who: int, order: str, refund: str, number: int, what: str, other_form: bool) -> None:
        if what == "order":
            self.query(who, order)
        elif what == "refund":
            self.query_refund(who, refund)
        elif what == "link":
            self.query_link(who, LINKS[number % 2])
        elif what == "token":
            form = "payment_tokens.inquire" if other_form else "payment_tokens.list"
            self.list_tokens(who, USERS[number % 2], form)
        elif what == "exchange":
            self.query_exchange(who, EXCHANGES[number])
        elif what == "withdrawal":
            self.query_withdrawal(who, WITHDRAWALS[number])
        else:
            self.query_case(who, CASES[number % 2], "cases.inquire" if other_form else "cases.search")

    @rule(
        number=st.integers(0, 2),
        well=st.booleans(),
        whose=somebody,
        what=st.sampled_from(["charge", "charge", "exchange", "withdrawal", "refund", "refund", "transfer", "token"]),
    )
    def end(self, number: int, well: bool, whose: int | None, what: str) -> None:
        """A person is faster than the clock."""
        if what == "charge":
            self.finish_a_charge(number, "pay" if well else "fail")
        elif what == "exchange":
            self.end_exchange(EXCHANGES[number], "settle" if well else "fail", whose)
        elif what == "withdrawal":
            self.end_withdrawal(WITHDRAWALS[number], "settle" if well else "fail", whose)
        elif what == "refund":
            self.end_refund(number, well, whose)
        elif what == "transfer":
            self.end_transfer(number, "settle" if well else "reject")
        else:
            self.delete_token(number)

    @rule(
        what=st.sampled_from(["credit", "transfer", "bill"]), who=merchants, amount=sums, number=st.integers(0, 2)
    )  # fmt: skip
    def money_comes(self, what: str, who: int, amount: Decimal, number: int) -> None:
        if what == "credit":
            self.credit(who, ["USD", "EUR"][number % 2], amount)
        elif what == "transfer":
            self.receive(who, amount, ["TO_BE_PROVED", "SETTLED", "REJECTED"][number])
        else:
            self.pay_bill(who, f"BILL_{number % 2}", "20.50" if number else "50.01")

    @rule(
        who=merchants,
        key=case_keys,
        order=keys,
        number=st.integers(0, 3),
        moved=st.sampled_from(CASE_MOVES),
        whose=somebody,
    )
    def dispute(
        self, who: int, key: str, order: str, number: int, moved: tuple[str | None, str | None], whose: int | None
    ) -> None:
        """A case of a paid order, if there is one, opened and moved."""
        model, (to, result) = self.world.model, moved
        if (who, key) not in model.cases:
            paid = [one.key for one in model.orders.values() if (one.merchant, one.status) == (who, "SUCCESS")]
            self.open_case(who, key, paid[number % len(paid)] if paid else order, number % 3 == 0)
            look(self.world)
        if to is not None:
            self.move_case(key, to, result, whose)

    # What many of the others begin with

    @rule(
        who=merchants, key=keys, amount=amounts, currency=currencies, binds=st.booleans(), nobody=st.booleans(),
        back=st.sampled_from([None, "half", "all", "over"]), refund=refund_keys,
    )  # fmt: skip
    def sell(
        self, who: int, key: str, amount: Decimal, currency: str, binds: bool, nobody: bool, back: str | None, refund: str
    ) -> None:  # fmt: skip
        """An order, its payer pays, and wants some of it back."""
        user = "user_1"
        self.checkout(
            who=who, key=key, amount=amount, currency=currency, lifetime=None, user=user, binds=binds, nobody=nobody, fault=None
        )  # fmt: skip
        self.act(key=key, action="pay", card=None, whose=who)
        if back:
            self.refund_a_paid_one(who=who, key=refund, number=-1, part=back, at_last=None, then=None)

    @rule(who=merchants, key=keys, plan=plan_keys, periods=st.integers(1, 3), amount=st.sampled_from(["9.90", "15"]))
    def sign_up(self, who: int, key: str, plan: str, periods: int, amount: str) -> None:
        """A plan, and its payer agrees to it."""
        self.subscribe(who=who, key=plan, periods=periods, days=1, trial=0, amount=amount, fault=None)
        look(self.world)
        self.activate(who=who, key=key, of=who, plan=plan, user="user_1", wrong=None, then="pay")

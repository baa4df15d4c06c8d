"""What is done with money of its own: exchanges, withdrawals, transfers, bills and chargeback cases."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.sandbox.helpers.machine_model import Case, Moved, converted, meant
from tests.sandbox.helpers.machine_orders import CENT, Fault, app, faults, merchants
from tests.sandbox.helpers.machine_payments import Payments

FEE = Decimal("1.00")
OVER = ("DISPUTE_END", "CASE_CLOSED", "CASE_CANCEL")

EXCHANGES = ["EXC_1", "EXC_2", "EXC_3"]
WITHDRAWALS = ["WD_1", "WD_2", "WD_3"]
CASES = ["CB_1", "CB_2"]
exchange_keys, withdraw_keys, case_keys = (
    st.sampled_from(EXCHANGES),
    st.sampled_from(WITHDRAWALS),
    st.sampled_from(CASES),
)
sums = st.sampled_from([1, 100, 19999, 30000, 999999, 4000001, 9000000]).map(lambda cents: Decimal(cents).scaleb(-2))


class Money(Payments):
    # Exchanges

    @rule(
        who=merchants,
        key=exchange_keys,
        pair=st.sampled_from(["EURUSD", "USDEUR", "USDJPY"]),
        side=st.sampled_from(["BUY", "SELL"]),
        amount=sums,
        locked=st.booleans(),
        then=st.sampled_from([None, None, "settle", "fail"]),
        fault=faults,
    )
    def exchange(
        self,
        who: int,
        key: str,
        pair: str,
        side: str,
        amount: Decimal,
        locked: bool,
        then: str | None,
        fault: Fault,
    ) -> None:
        self.world.plant_once(fault, "exchanges.create")
        world, (one, other) = self.world, (pair[:3], pair[3:])
        asked = {"side": side, "transactionCurrency": one, "targetCurrency": other}
        told, _ = world.ask(who, "rates.query", {"ccyPairList": [asked], "product": "PAY_IN"})
        rate = told["data"]["currencyList"][0] if told is not None and "data" in told and locked else None
        data: dict[str, Any] = {
            "ccyPair": pair, "outTradeNo": key, "side": side, "transactionAmount": format(amount, "f"),
            "transactionCcy": one, "targetCcy": other,
        }  # fmt: skip
        data |= {"rateVersion": rate["rateReferenceId"]} if rate else {}
        answer, kept = world.ask(who, "exchanges.create", data)
        if (who, key) in world.model.exchanges:
            world.expect(answer, "ORDER_REPEAT")
            return
        with world.store.transaction() as state:
            row = state.one("SELECT * FROM exchanges ORDER BY id DESC LIMIT 1")
        made = row if row is not None and (row["merchant"], row["out_trade_no"]) == (app(who), key) else None
        if rate is None and made is None:  # at a rate that nobody was told
            assert (
                not kept
                or answer is None
                or answer["code"] in ("BALANCE_INSUFFICIENT", "AMOUNT_LIMIT", "APPLY_SUCCESS")
            )
            assert not kept or answer is None or answer["code"] != "APPLY_SUCCESS"
            return
        due = Decimal(str(rate["rate"] if rate else made["rate"] if made else 0))
        target = converted(amount, due, other, side)
        went, comes = ((one, amount), (other, target)) if side == "SELL" else ((other, target), (one, amount))
        enough = world.model.balances[who, went[0]] >= went[1]
        code = "AMOUNT_LIMIT" if not target else "APPLY_SUCCESS" if enough else "BALANCE_INSUFFICIENT"
        world.expect(answer, code)
        assert (made is not None) == (kept and code == "APPLY_SUCCESS")
        if made is not None:
            assert Decimal(str(made["target_amount"])) == target
            world.model.exchange(who, key, went, comes)
            if then:
                self.end_exchange(key, then, who)

    def end_exchange(self, key: str, how: str, whose: int | None) -> None:
        found = self.ended(self.world.model.exchanges, key, whose, "PENDING", f"exchanges/{key}/{how}")
        if found is not None and how == "settle":
            self.world.model.settle(found, self.world.now)
        elif found is not None:
            self.world.model.give_back(found, self.world.now)

    def ended(
        self, things: dict[tuple[int, str], Moved], key: str, whose: int | None, still: str, path: str
    ) -> Moved | None:
        """What is ended now, by a person."""
        self.world.catch_up()
        found, status = meant(things, key, whose)
        if found is not None and found.status != still:
            found, status = None, 409
        assert self.world.did(path, None if whose is None else {"merchant": app(whose)}) == status
        return found

    def query_exchange(self, who: int, key: str) -> None:
        answer, _ = self.world.ask(who, "exchanges.query", {"outTradeNo": key})
        made = self.world.model.exchanges.get((who, key))
        self.world.expect(answer, "APPLY_SUCCESS" if made else "ORDER_NOT_EXIST")
        assert answer is None or made is None or answer["data"]["status"] == made.status

    def credit(self, who: int, currency: str, amount: Decimal) -> None:
        body = {"merchant": app(who), "currency": currency, "amount": format(amount, "f")}
        assert self.world.did("balances", body) == 200
        self.world.model.balances[who, currency] += amount

    # Withdraw orders

    @rule(
        who=merchants,
        key=withdraw_keys,
        currency=st.sampled_from(["USD", "EUR"]),
        amount=st.one_of(sums, st.sampled_from(["all", "whole", "over"])),
        then=st.sampled_from([None, None, "settle", "fail"]),
    )
    def withdraw(self, who: int, key: str, currency: str, amount: Decimal | str, then: str | None) -> None:
        """All that is there with the fee, without it, or a cent more than all with it; or some amount."""
        world = self.world
        world.catch_up()
        held = world.model.balances[who, currency]
        if isinstance(amount, str):
            amount = max(CENT, {"all": held - FEE, "whole": held, "over": held - FEE + CENT}[amount])
        body = {
            "merchant": app(who), "outTradeNo": key, "transactionCurrency": currency, "transactionAmount": format(amount, "f")
        }  # fmt: skip
        status = world.did("withdrawals", body)
        possible = (who, key) not in world.model.withdrawals and held >= amount + FEE
        assert status == (200 if possible else 409)
        if possible:
            world.model.withdraw(who, key, currency, amount + FEE)
            if then:
                self.end_withdrawal(key, then, who)

    def end_withdrawal(self, key: str, how: str, whose: int | None) -> None:
        found = self.ended(self.world.model.withdrawals, key, whose, "PROCESSING", f"withdrawals/{key}/{how}")
        if found is not None:
            self.world.model.end_withdrawal(found, how == "settle", self.world.now)

    def query_withdrawal(self, who: int, key: str) -> None:
        answer, _ = self.world.ask(who, "withdrawals.query", {"outTradeNo": key})
        made = self.world.model.withdrawals.get((who, key))
        self.world.expect(answer, "APPLY_SUCCESS" if made else "ORDER_NOT_EXIST")
        assert answer is None or made is None or answer["data"]["status"] == made.status

    # Transfers received, and bills

    def receive(self, who: int, amount: Decimal, status: str) -> None:
        body = {"merchant": app(who), "amount": format(amount, "f"), "currency": "USD", "status": status}
        made = self.world.control("POST", "transfers", body)
        assert (made["httpStatus"], made["status"]) == (200, status)
        self.world.model.transfers[made["requestNo"]] = (who, amount, status)
        self.world.model.told[who, "RECEIVE", made["requestNo"]] += 1

    def end_transfer(self, number: int, how: str) -> None:
        transfers = self.world.model.transfers
        if not transfers:
            assert self.world.did(f"transfers/RV0/{how}") == 404
            return
        key = list(transfers)[number % len(transfers)]
        who, amount, status = transfers[key]
        assert self.world.did(f"transfers/{key}/{how}") == (200 if status == "TO_BE_PROVED" else 409)
        if status == "TO_BE_PROVED":
            transfers[key] = (who, amount, {"settle": "SETTLED", "reject": "REJECTED"}[how])
            self.world.model.told[who, "RECEIVE", key] += 1

    def pay_bill(self, who: int, key: str, amount: str) -> None:
        world, asked = self.world, self.world.model.bills[who, key]
        answer = world.control("POST", "bill-payments", {"merchant": app(who), "referenceNo": key, "amount": amount})
        if any(status == "PAID" for _, status in asked):
            assert "status" not in answer
            return
        takes = "PAID" if Decimal(amount) <= 50 else "REFUSED"
        status = {"takes": takes, "refuses": "REFUSED"}.get(world.shop.mood, "UNANSWERED")
        assert answer["status"] == status, answer
        asked.append((Decimal(amount), status))

    # Chargeback cases, which freeze what is disputed

    def open_case(self, who: int, key: str, order: str, part: bool) -> None:
        """All that is left of an order, or a cent of it."""
        world = self.world
        world.catch_up()
        body = {"merchant": app(who), "outTradeNo": order, "caseId": key} | ({"amount": "0.01"} if part else {})
        status = world.did("cases", body)
        found = world.model.orders.get((who, order.lower()))
        possible = found is not None and found.rest > 0 and (who, key) not in world.model.cases
        if possible and found is not None:
            case = Case(who, key, found, CENT if part else found.rest)
            possible = world.model.balances[who, found.currency] >= case.frozen
        free = found is not None and found.status == "SUCCESS" and not found.amount  # a trial: even a cent is too much
        assert status == (404 if found is None else 200 if possible else 400 if part and free else 409)
        if possible and found is not None:
            world.model.cases[who, key] = case
            world.model.balances[who, found.currency] -= case.frozen
            found.disputed += case.amount

    def move_case(self, key: str, to: str, result: str | None, whose: int | None) -> None:
        world = self.world
        case, status = meant(world.model.cases, key, whose)
        body = {"status": to} | ({"caseResult": result} if result else {})
        body |= {} if whose is None else {"merchant": app(whose)}
        if case is not None and case.status in OVER:
            status = 409
        elif case is not None and (
            (to == "DISPUTE_END" and not result) or (result and to not in ("DISPUTE_END", "CASE_CLOSED"))
        ):
            status = 400
        assert world.did(f"cases/{key}", body) == status
        if status == 200 and case is not None:
            case.status, case.result = to, result
            if to in OVER and result != "FAI":
                world.model.balances[case.merchant, case.order.currency] += case.frozen
                case.order.disputed -= case.amount

    def query_case(self, who: int, key: str, form: str) -> None:
        answer, _ = self.world.ask(who, form, {"caseId": key})
        case = self.world.model.cases.get((who, key))
        self.world.expect(answer, "APPLY_SUCCESS" if case else "CASE_NOT_EXIST")
        if answer is not None and case is not None:
            found = answer["data"]
            assert (found["status"], found["outTradeNo"]) == (case.status, case.order.key)
            assert found.get("caseResult") == case.result

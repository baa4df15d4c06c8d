"""Every member of every answer, notification and question, missing or wrong in five ways: the table of what is needed alone decides.

Five read them: the client, the awaited client, a resolver, a follower and a receiver. What is needed is refused by all, what is
not is delivered by all, blank, with its violation, and changes nothing beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import fields
from decimal import Decimal
from typing import Any, NamedTuple

import anyio
import pytest

from paywright import (
    BillPaymentDecision,
    BillPaymentValidationQuestion,
    Client,
    Event,
    FixedClock,
    Follow,
    Merchant,
    PaywrightError,
    Receiver,
    RsaVerifier,
    SnapAsymmetric,
    Violation,
    contract,
)
from paywright.aio import Client as AwaitedClient
from paywright_cli.commands.call import arguments_of_example
from paywright_receiver import Follower, MemoryLedger
from paywright_receiver.items.state_order import followed_states
from paywright_runtime.contract.message import Model
from paywright_runtime.contract.model import Field, Struct
from paywright_runtime.contract.needed_members import due_members
from paywright_runtime.transport.api import RawAnswer, SignedRequest
from tests.receiver.helpers.desk import APP, NOW, Desk, bill, key, period, sign, transfer
from tests.runtime.helpers.canned_gateway import Seen
from tests.runtime.helpers.client_calls import OUTBOUND, example_of, operation_of
from tests.runtime.helpers.table_gateway import AwaitedGateway
from tests.support.pairs import Choose, in_part_or_whole

CONTRACT = contract.CONTRACT
FORMS = ("null", "absent", "empty", "another type", "cut")
CUT = "cut \ud83d"
RESOLVED = {
    facts.operation: contract.operation(name)
    for name in reversed(OUTBOUND)
    if (facts := contract.operation(name).resolution) is not None and facts.operation is not None
}
FOLLOWED = {one.operation: one for one in CONTRACT.followed().values() if not one.told}
NOTIFICATIONS = {"notifications.receive": transfer, "notifications.subscription_payment": period}
INBOUND = {**NOTIFICATIONS, "merchant.validate_bill_payment": bill}
STATES = {one.operation: followed_states(CONTRACT, one).name for one in FOLLOWED.values()}
ROOT_OF_NOTIFICATION = {  # what addresses it, tells its kind and its age, and consists a yes
    "appId": FORMS, "notifyType": FORMS, "notifyTime": FORMS, "code": FORMS, "data": FORMS,
    "merchantNo": ("another type", "cut"),
}  # fmt: skip


class Cell(NamedTuple):
    """One member, by its path in the message, in one form."""

    message: str
    path: tuple[str | int, ...]
    form: str
    refused: bool
    field: Field

    def __str__(self) -> str:
        return f"{self.message} {self.pointer} {self.form}"

    @property
    def pointer(self) -> str:
        return "".join(f"/{step}" for step in self.path)


def cells() -> Iterator[Cell]:
    for name in (*OUTBOUND, *INBOUND):
        operation = contract.operation(name)
        answer = contract.struct(operation.request if operation.inbound else operation.response)
        body = sample(name)
        at = operation.payloads[0 if operation.inbound else 1]
        for field in answer.fields:
            flat = not at and field.wire not in (*operation.success_path, *operation.message_path)
            for form in FORMS:
                if name in NOTIFICATIONS:
                    refused = form in ROOT_OF_NOTIFICATION.get(field.wire, ())
                elif flat:
                    result = answer if operation.inbound else contract.struct(operation.result or "")
                    refused = is_refused(result, result.by_wire[field.wire], form, frozenset())
                else:
                    refused = field.wire in (at, *operation.success_path)
                yield Cell(name, (field.wire,), form, refused, field)
        if at:
            payload = contract.struct(answer.by_wire[at].of or "")
            due = due_members(CONTRACT, payload)
            paths = due.members if due is not None and body[at][due.state] in due.ends else ()
            yield from inside(name, payload, body[at], (at,), frozenset(("/".join(path)) for path in paths))
        else:
            for field in answer.fields:
                yield from below(name, field, body.get(field.wire), (field.wire,), frozenset())


def inside(name: str, struct: Struct, value: Any, at: tuple[str | int, ...], due: frozenset[str]) -> Iterator[Cell]:
    for field in struct.fields:
        for form in FORMS:
            yield Cell(name, (*at, field.wire), form, is_refused(struct, field, form, due), field)
        within = frozenset(path.partition("/")[2] for path in due if path.startswith(f"{field.wire}/"))
        yield from below(name, field, value.get(field.wire), (*at, field.wire), within)


def below(name: str, field: Field, value: Any, at: tuple[str | int, ...], due: frozenset[str]) -> Iterator[Cell]:
    if field.kind == "struct" and value:
        inner, path = (value[0], (*at, 0)) if field.array else (value, at)
        yield from inside(name, contract.struct(field.of or ""), inner, path, due)


def is_refused(struct: Struct, field: Field, form: str, due: frozenset[str]) -> bool:
    given = form in ("another type", "cut")
    if field.kind != "struct":
        return field.needed and (given or field.wire in due or (field.required and not field.blank))
    inner = contract.struct(field.of or "")
    missing = any(path.startswith(f"{field.wire}/") for path in due) or any(
        is_refused(inner, one, "absent", frozenset()) for one in inner.fields
    )
    return holds(inner) if given else field.required and not field.array and missing


def holds(struct: Struct) -> bool:
    inner = (contract.struct(field.of or "") for field in struct.fields if field.kind == "struct")
    return any(field.needed for field in struct.fields) or any(map(holds, inner))


def sample(name: str) -> dict[str, Any]:
    return INBOUND[name]() if name in INBOUND else ended(name, deepcopy(contract.example(f"{name}.response")))


def ended(name: str, body: dict[str, Any]) -> dict[str, Any]:
    """An answer that shows a last state."""
    if name in FOLLOWED:
        states = contract.set(STATES[name])
        body["data"][FOLLOWED[name].state] = min(states.paid or states.final)
    elif name == "snap.status":
        body["latestTransactionStatus"] = "05"
    return body


def spoiled(body: dict[str, Any], cell: Cell) -> bytes:
    inner: Any = body
    for step in cell.path[:-1]:
        inner = inner[step]
    if cell.form == "absent":
        inner.pop(cell.path[-1], None)
    else:
        other: Any = "text" if cell.field.kind == "struct" or cell.field.array else []  # as PHP writes what is empty
        inner[cell.path[-1]] = {"null": None, "empty": "", "another type": other, "cut": CUT}[cell.form]
    return json.dumps(body).encode()


def check_delivered(cell: Cell, found: Any, whole: Any, violations: list[Violation]) -> None:
    """What was delivered is of its types, beside the cell as it was, and names what is wrong."""
    if found is None:
        return
    types_are_true(found)
    wrong = {(one.pointer, one.code) for one in violations}
    if cell.form == "cut":
        assert {(cell.pointer, "json"), (cell.pointer, "type")} & wrong
    elif cell.form != "empty" and (cell.field.required or cell.form == "another type"):
        assert any(pointer == cell.pointer for pointer, _ in wrong)
    expected, shown = (json.loads(re.sub("NO_[0-9]+", "NO", json.dumps(one.to_dict()))) for one in (whole, found))
    payload = contract.operation(cell.message).payloads[int(cell.message not in NOTIFICATIONS)]
    path = cell.path[1:] if payload and cell.path[0] == payload else cell.path
    struct: Any = type(found)
    for step in path[:-1]:
        name = step if isinstance(step, int) else python_name(struct, step)
        expected, shown = expected[name], shown[name]
        struct = (
            struct if isinstance(step, int) else CONTRACT.model(contract.struct(struct.__name__).by_wire[step].of or "")
        )
    if path[-1] in contract.struct(struct.__name__).by_wire:  # else it stands around the data
        expected[python_name(struct, str(path[-1]))] = shown[python_name(struct, str(path[-1]))] = None
    assert shown == expected


def python_name(model: type, wire: str) -> str:
    return contract.struct(model.__name__).by_wire[wire].python


def types_are_true(model: Any) -> None:
    for field in fields(model):
        value, name = getattr(model, field.name, None), str(field.type)
        if field.init:
            assert value is not None or "None" in name, field.name
            assert not isinstance(value, Decimal) or "Decimal" in name, field.name
            assert type(value) is not str or "str" in name or "Literal" in name, field.name
            for one in value if isinstance(value, tuple) else [value]:
                if isinstance(one, Model):
                    types_are_true(one)


MAY_BE_BLANK = {
    "Transfer": "channelTradeNo transactionUtcTime completeTime errorCode errorMsg",
    "Payee": "country accountNickName bankCode",
    "PeriodResult": "userId",
    "PeriodPayment": "periodStartTime periodEndTime paymentMethodType cardOrg",
    "Payer": "accountNo accountName bankCode bankName bankBranch",
    "TradeAmount": "",
    "BillPaymentValidation": "",
    "Case": "retrievalDate outUserId tradeCreateTime expirationDate",
    "Exchange": "rateTime completeTime errorCode rateVersion errorMsg",
    "HostedOrderCreated": "",
    "Order": "transactionUtcTime",
    "PaymentToken": "tokenScope paymentTokenExpiry paymentMethodType",
    "Rate": "ccyPair rateType",
    "RefundCreated": "tradeOrderNo",
    "SnapStatus": "originalReferenceNo",
    "WithdrawOrder": "rateTime remark callBackUrl payerFundsAccountNo payeeBankAccountNo memberId",
}


@pytest.mark.parametrize("name", MAY_BE_BLANK)
def test_the_table_needs_what_carries_identity_state_or_money(name: str) -> None:
    required = [field for field in contract.struct(name).fields if field.required and field.kind != "struct"]
    assert [field.wire for field in required if not field.needed] == MAY_BE_BLANK[name].split()


class Shows:
    """A transport whose gateway answers the example, with one cell in it."""

    def __init__(self, cell: Cell | None = None) -> None:
        self.cell = cell

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        seen = Seen(request.path, {}, request.body)
        if self.cell is not None and operation_of(seen) != self.cell.message:
            raise ConnectionError  # an item of another cell, which is asked about again
        body = ended(operation_of(seen), json.loads(example_of(seen).body))
        raw = json.dumps(body).encode() if self.cell is None else spoiled(body, self.cell)
        return RawAnswer(200, [("sign", sign(raw))], raw)

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def settings(merchant_keys: Any) -> dict[str, Any]:
    merchant = Merchant(
        app_id=APP, private_key=merchant_keys.private_pem, gateway_keys=RsaVerifier([key().public_key()]), merchant_no="M1",
        member_id="member_1", merchant_id="m", snap_partner_id="p", snap_channel_id="c", sp_merchant_no="S1",
    )  # fmt: skip
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    paths = {name: "/biz" for name in OUTBOUND if contract.operation(name).path is None}
    return {
        "base_url": "http://127.0.0.1:1", "merchant": merchant, "clock": FixedClock(NOW), "retries": 0, "paths": paths,
        "validation": "off",
    }  # fmt: skip


def chosen(choose: Choose, *names: str) -> list[Cell]:
    return choose([cell for cell in cells() if cell.message in names], lambda one: (one.message, one.form, one.refused))


def visit(
    choose: Choose,
    names: Iterable[str],
    read: Callable[[Cell | None, str], tuple[Any, list[Violation]] | None],
    note: Callable[[str, object], None],
) -> None:
    """Have each cell read, and raise what is not as the table says, all at once."""
    wrong, wholes = [], {name: read(None, name) for name in names}
    table = chosen(choose, *wholes)
    for cell in table:
        try:
            got = read(cell, cell.message)
            assert (got is None) == cell.refused, "refused" if got is None else "delivered"
            whole = wholes[cell.message]
            if got is not None and whole is not None:
                check_delivered(cell, got[0], whole[0], got[1])
        except AssertionError as error:
            wrong.append(f"{cell}: {str(error).splitlines()[0]}")
    assert not wrong, "\n" + "\n".join(wrong)
    note("count: cells of needed members", len(table))


@in_part_or_whole
@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "awaited"])
def test_a_client_refuses_what_lacks_what_is_needed(
    choose: Choose, awaited: bool, settings: dict[str, Any], record_property: Callable[[str, object], None]
) -> None:
    shows = Shows()
    client: Any = Client(transport=shows, **settings)
    if awaited:
        client = AwaitedClient(transport=AwaitedGateway(shows), **settings)  # type: ignore[arg-type]  # it answers

    def read(cell: Cell | None, name: str) -> tuple[Any, list[Violation]] | None:
        shows.cell, values = cell, arguments_of_example(CONTRACT, contract.operation(name))
        try:
            found: Any = anyio.run(client.call_by_name, name, values) if awaited else client.call_by_name(name, values)
        except PaywrightError:
            return None
        return found, found.answer.violations

    visit(choose, OUTBOUND, read, record_property)


@in_part_or_whole
def test_a_resolver_settles_by_what_is_needed_alone(
    choose: Choose, settings: dict[str, Any], record_property: Callable[[str, object], None]
) -> None:
    """It also needs the key, which the contract does not require of an order and a refund."""
    shows = Shows()
    client = Client(transport=shows, **settings)

    def read(cell: Cell | None, name: str) -> tuple[Any, list[Violation]] | None:
        shows.cell, facts = cell, RESOLVED[name].resolution
        assert facts is not None
        asks = {"service_code": "54"} if facts.asks else {}
        resolver = getattr(client, name.partition(".")[0]).resolve(**{facts.argument: "KEY_1"}, **asks)
        settled = resolver.step().state == "settled"
        if cell is not None and cell.path[-1] == facts.by:
            assert not settled
            return None if cell.refused else (resolver.result, resolver.result.answer.violations)
        return (resolver.result, resolver.result.answer.violations) if settled else None

    visit(choose, RESOLVED, read, record_property)


@in_part_or_whole
def test_a_follower_hands_over_by_what_is_needed_alone(
    choose: Choose, settings: dict[str, Any], record_property: Callable[[str, object], None]
) -> None:
    """It also needs a state, which the contract does not require of a refund."""
    shows, handled, numbers = Shows(), list[str](), iter(range(100_000))
    clock = settings["clock"]
    ledger = MemoryLedger(clock=clock)
    receiver = Receiver(app_id=APP, gateway_keys=RsaVerifier([key().public_key()]), ledger=ledger, clock=clock)
    for one in FOLLOWED.values():
        receiver.on_result(one.kind)(lambda event: handled.append(event.data.key))
    follower = Follower(Client(transport=shows, **settings), ledger, receiver=receiver)

    def read(cell: Cell | None, name: str) -> tuple[Any, list[Violation]] | None:
        shows.cell, number = cell, f"KEY_{next(numbers)}"
        one = FOLLOWED[name]
        follower.open(None, Follow(one.kind, number))
        item = follower.get(one.kind, number)
        assert item is not None
        assert item.due_at is not None
        clock.advance(max(0.0, (item.due_at - clock.now()).total_seconds()))
        follower.run_due()
        taken = number in handled
        if not taken:
            follower.close(one.kind, number, "visited")
        if cell is not None and cell.path == ("data", one.state):
            assert not taken
            return None if cell.refused else (None, [])
        return (None, []) if taken else None

    visit(choose, FOLLOWED, read, record_property)


@in_part_or_whole
def test_a_receiver_hands_over_what_is_needed(choose: Choose, record_property: Callable[[str, object], None]) -> None:
    desk, numbers = Desk(MemoryLedger(clock=FixedClock(NOW)), bill_deadline=600), iter(range(100_000))
    shown: list[tuple[Any, list[Violation]]] = []

    def take(event: Event[Any]) -> None:
        shown.append((event.data, event.violations))

    def decide(question: BillPaymentValidationQuestion) -> BillPaymentDecision:
        shown.append((question.data, []))
        return question.refuse("no")

    desk.receiver.on_receive(take)
    desk.receiver.on_subscription_payment(take)
    desk.receiver.on_validate_bill_payment(decide)

    def read(cell: Cell | None, name: str) -> tuple[Any, list[Violation]] | None:
        body, number = INBOUND[name](f"NO_{next(numbers)}"), len(shown)
        reply = desk.deliver(body if cell is None else spoiled(body, cell))
        assert reply.acknowledged == (len(shown) > number)
        return shown[-1] if reply.acknowledged else None

    visit(choose, INBOUND, read, record_property)

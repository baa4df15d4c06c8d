"""Type checkers know the names of operations and messages, and what a call by name returns."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, get_args

import pytest

import paywright
from paywright.contract import CONTRACT
from tests.support.type_checkers import checked, configure

RIGHT: Final = """\
from typing import assert_type

from paywright import Client, Follow, MessageName, MessageRole, OperationName, Order, Refund, RefundCreated, Resolver, contract, operations
from paywright import validate
from paywright.aio import AsyncResolver
from paywright.aio import Client as AwaitedClient
from paywright_runtime.contract.validation import judge


def blocking(client: Client, named: str) -> None:
    assert_type(client.call(operations.REFUNDS_CREATE, {"outRefundNo": "REF_1"}), RefundCreated)
    assert_type(client.call(operations.ORDERS_QUERY, {"outTradeNo": "ORD_1"}), Order)
    assert_type(client.resolve(operations.REFUNDS_CREATE, key="REF_1"), Resolver[Refund])
    assert_type(client.resolve(operations.ORDERS_DROP_IN, key="ORD_1"), Resolver[Order])
    assert_type(client.orders.follow("ORD_1"), Follow)
    print(client.call_by_name(named, {}).answer.code, client.resolve_by_name(named, key="KEY_1").key)


async def awaited(client: AwaitedClient, named: str) -> None:
    assert_type(await client.call(operations.REFUNDS_CREATE, {"outRefundNo": "REF_1"}), RefundCreated)
    assert_type(client.resolve(operations.REFUNDS_CREATE, key="REF_1"), AsyncResolver[Refund])
    assert_type(client.refunds.follow("REF_1"), Follow)
    assert_type(client.orders.resolve(out_trade_no="ORD_1"), AsyncResolver[Order])
    assert_type(await client.orders.query(out_trade_no="ORD_1"), Order)
    print((await client.call_by_name(named, {})).answer.code, client.resolve_by_name(named, key="KEY_1").key)


def offline(operation: OperationName, message: MessageRole, whole: MessageName, named: str) -> None:
    print(validate("notifications.receive", "answer", b"{}"), validate(operation, message, b"{}"))
    print(judge(contract.CONTRACT, named, named, b"{}"))
    print(contract.schema("orders.query.request"), contract.example(whole))
    print([contract.operation(name).path for name in contract.operations()])
"""
WRONG: Final = """\
from paywright import Client, contract, operations, validate
from paywright.aio import Client as AwaitedClient


async def misspelled(client: Client, awaited: AwaitedClient, named: str) -> None:
    client.call(operations.ORDERS_QERY, {})
    client.call(operations.NOTIFICATIONS_RECEIVE, {})
    client.call("orders.query", {})
    client.call(named, {})
    client.resolve(operations.REFUNDS_QUERY, key="REF_1")
    client.orders.resolve("TT1")
    client.resolve(operations.ORDERS_CHECKOUT, "TT1")
    awaited.orders.resolve("TT1")
    await awaited.call("orders.query", {})
    awaited.resolve(operations.REFUNDS_QUERY, key="REF_1")
    await awaited.orders.query(out_trade_no=1)
    await awaited.orders.query(out_trade_no="ORD_1", typo=1)
    await awaited.orders.query()
    validate("refunds.creat", "request", b"{}")
    validate("refunds.create", "reqest", b"{}")
    validate(named, "request", b"{}")
    contract.operation("refunds.creat")
    contract.schema("refunds.create.reqest")
    contract.example("refunds.create")
    from paywright import Cleint
    from paywright.aio import Cleint
    from paywright.receiver import Recevier
    from paywright_receiver import Folower
    from paywright_sandbox.testing import in_proces_sandbox
    from paywright_audit import audit_flies
"""
ALL_WRONG: Final = {number for number, line in enumerate(WRONG.splitlines(), 1) if line.startswith("    ")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mypy", reason="the checkers come with the extra `check`")
    pytest.importorskip("pyright", reason="the checkers come with the extra `check`")
    folder = tmp_path_factory.mktemp("names")
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text(WRONG)
    configure(folder)
    return folder


@pytest.mark.types
@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_known_names_pass_and_decide_the_type_of_the_result(folder: Path, checker: str) -> None:
    assert checked(folder, checker, "right.py") == ""


@pytest.mark.types
@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_every_misspelled_name_is_an_error(folder: Path, checker: str) -> None:
    found = re.findall(r"wrong[.]py:(\d+)(?::\d+)?(?: -|:) error", checked(folder, checker, "wrong.py"))
    assert {int(line) for line in found} == ALL_WRONG


def test_the_types_have_every_name_of_the_contract_and_no_other() -> None:
    operations = [CONTRACT.operation(name) for name in CONTRACT.operations()]
    assert get_args(paywright.OperationName) == CONTRACT.operations()
    assert set(get_args(paywright.MessageRole)) == {role for operation in operations for role in operation.roles}
    assert get_args(paywright.MessageName) == tuple(
        f"{operation.name}.{role}" for operation in operations for role in operation.roles
    )

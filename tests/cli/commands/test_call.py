"""`paywright call`: a real call to a real sandbox, and an exit code that says what became of the money."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from paywright.contract import CONTRACT
from paywright_cli.commands.call import arguments_of_example
from paywright_cli.common.wording import in_json_names, in_setting_names, words_of
from paywright_cli.main import build_parser
from paywright_runtime.answer import Violation
from paywright_runtime.contract.validation import describe_violations
from paywright_runtime.contract.value_checks import Report
from paywright_runtime.errors import (
    AlreadyPlaced,
    GatewayError,
    NotSent,
    OutcomeUnknown,
    UnreadableAnswer,
    UnreadableWrite,
)
from paywright_sandbox.testing.served import RunningSandbox
from tests.cli.helpers import calls
from tests.cli.helpers.command_line import Ended, paywright
from tests.support.ports import lasting_port

ORDER = {**calls.ORDER, "outTradeNo": "CALL_1"}


def call(
    sandbox: RunningSandbox, operation: str, given: object, *options: str, env: Mapping[str, str] | None = None
) -> Ended:
    return paywright("call", operation, *options, given=json.dumps(given).encode(), env={**sandbox.env, **(env or {})})


@pytest.mark.slow
def test_a_success_prints_the_data_and_exits_with_0(sandbox: RunningSandbox) -> None:
    ended = call(sandbox, "orders.checkout", {**ORDER, "outTradeNo": "CALL_OK"})
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["outTradeNo"] == "CALL_OK"
    found = call(sandbox, "orders.query", {"outTradeNo": "CALL_OK"})
    assert json.loads(found.out)["trade"] == {"amount": "10.5", "currency": "USD"}


def test_members_are_given_as_words_too(sandbox: RunningSandbox) -> None:
    words = [f"{name}={value:.2f}" if name == "totalAmount" else f"{name}={value}" for name, value in ORDER.items()]
    ended = paywright("call", "orders.checkout", *words, "userId=u=1", env=sandbox.env)
    assert (ended.code, "'userId=u=1' is not NAME=VALUE, or is there twice" in ended.err) == (2, True)
    ended = paywright("call", "orders.checkout", *words, env=sandbox.env)
    assert ended.code == 0, ended.err
    ended = paywright("call", "orders.query", "outTradeNo=CALL_1", env=sandbox.env)
    assert json.loads(ended.out)["trade"] == {"amount": "10.50", "currency": "USD"}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("totalAmount=ten",), 2, "totalAmount is a number in plain digits, such as 10.50"),
        (("outTradeNo=A", "order.json"), 2, "'order.json' is not NAME=VALUE, or is there twice"),
        (("order.json", "more.json"), 2, "'order.json' is not NAME=VALUE, or is there twice"),
        (("subjec=x",), 2, "did you mean subject?"),
        (("goodsDetails=[]",), 2, "goodsDetails has members of its own: give the arguments as JSON"),
        (("outTradeNo=NO SPACES",), 1, "/outTradeNo: format: outTradeNo must be letters"),
    ],
)
def test_words_that_are_no_arguments_are_refused(
    words: tuple[str, ...], code: int, said: str, sandbox: RunningSandbox
) -> None:
    ended = paywright("call", "orders.checkout", *words, env=sandbox.env)
    assert (ended.code, said in ended.err) == (code, True), ended.err


@pytest.mark.parametrize("name", [one for one in CONTRACT.operations() if not CONTRACT.operation(one).inbound])
def test_the_arguments_of_an_example_are_those_that_a_caller_gives(name: str) -> None:
    operation = CONTRACT.operation(name)
    given = arguments_of_example(CONTRACT, operation)
    by_wire = CONTRACT.struct(operation.data or operation.request).by_wire
    assert given
    assert {wire for wire, field in by_wire.items() if field.required and field.kind != "struct"} - given.keys() <= {
        wire for wire, field in by_wire.items() if field.sends is not None or field.source is not None
    }
    assert [wire for wire in given if by_wire[wire].sends is not None or by_wire[wire].source is not None] == []
    assert "additionalInfo" not in given  # of bank-style calls: all of it is filled in


def test_raw_is_the_verified_answer_byte_for_byte(sandbox: RunningSandbox) -> None:
    ended = call(sandbox, "orders.checkout", {**ORDER, "outTradeNo": "CALL_RAW"}, "--raw")
    assert json.loads(ended.out)["code"] == "APPLY_SUCCESS"


def test_nested_objects_are_given_by_their_names_on_the_wire(sandbox: RunningSandbox) -> None:
    given = {
        **ORDER, "outTradeNo": "CALL_DROP", "country": "US", "terminalType": "WEB",
        "paymentDetail": {"buyerInfo": {"clientIp": "203.0.113.7", "userAgent": "curl"}, "sessionKey": "s"},
    }  # fmt: skip
    ended = call(sandbox, "orders.drop_in", given)
    assert ended.code == 0, ended.err


def test_settings_come_from_a_file_too(sandbox: RunningSandbox, tmp_path: Path) -> None:
    file = tmp_path / "a file.env"
    file.write_text("# settings\n\n" + "".join(f"export {name}='{value}'\n" for name, value in sandbox.env.items()))
    ended = paywright("call", "orders.query", "--env", file, given=b'{"outTradeNo": "NONE"}')
    assert ended.code == 6


def test_a_refusal_here_lists_everything_and_exits_with_1(sandbox: RunningSandbox) -> None:
    ended = call(sandbox, "orders.checkout", {"outTradeNo": "NO SPACES", "currency": "usd", "goodsDetails": [{}, 3]})
    assert ended.code == 1
    assert "Nothing was sent" in ended.err
    for said in (
        "/outTradeNo: format: outTradeNo must be letters",
        "/subject: required: subject is required",
        "/goodsDetails/0/goodsId: required: goodsId is required",
        "/goodsDetails/1: type: goodsDetails must be an object",
    ):
        assert f"\n  {said}" in ended.err, ended.err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"outTradeNo": "A", "integrate": "Hosted_Checkout"}, "the client fills this in"),
        ({"subjec": "x"}, "did you mean subject?"),
        ({"goodsDetails": [{"goodsID": "1"}]}, "did you mean goodsId?"),
        ([], "no JSON object"),
        (3, "no JSON object"),
    ],
    ids=str,
)
def test_names_that_cannot_be_given_are_wrong_usage(sandbox: RunningSandbox, given: object, said: str) -> None:
    ended = call(sandbox, "orders.checkout", given)
    assert ended.code == 2
    assert said in ended.err


@pytest.mark.parametrize("body", [b"", b"{", b'{"a": 1, "a": 2}', b"\xff", b"[" * 1000], ids=ascii)
def test_arguments_that_are_not_strict_json_are_wrong_usage(sandbox: RunningSandbox, body: bytes) -> None:
    ended = paywright("call", "orders.query", given=body, env=sandbox.env)
    assert ended.code == 2
    assert "not strict JSON" in ended.err


def test_members_newer_than_the_contract_are_sent_when_asked(sandbox: RunningSandbox) -> None:
    given = {**ORDER, "outTradeNo": "CALL_NEW", "newer": 1}
    assert call(sandbox, "orders.checkout", given).code == 2
    assert call(sandbox, "orders.checkout", given, "--extra").code == 0


# The command speaks of what its user gave: names of JSON and of the environment, never of Python.
_OF_PYTHON = re.compile(r"client\.|Client|Merchant|\bNone\b|\.raw|\b[a-z]+_[a-z_]+\b|not a Python")


def test_missing_settings_are_listed_all_at_once() -> None:
    ended = paywright("call", "orders.query", given=b'{"outTradeNo": "A"}')
    assert ended.code == 2
    assert all(f": PAYWRIGHT_{name}" in ended.err for name in ("BASE_URL", "APP_ID", "PRIVATE_KEY", "GATEWAY_KEYS"))
    assert "Client" not in ended.err
    assert "Merchant" not in ended.err


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("proxy is a host", "PAYWRIGHT_PROXY is a host"),
        ("Nothing was sent: timeout is a number", "Nothing was sent: PAYWRIGHT_TIMEOUT is a number"),
        ('is missing. Set\n  paths["x.y"]: Client(paths={"x.y": "/..."}) or PAYWRIGHT_PATHS="x.y=/..."',
         'is missing. Set\n  paths["x.y"]: PAYWRIGHT_PATHS="x.y=/..."'),
        ("  snap_signature: Merchant(snap_signature=A(...) or B(...)), or PAYWRIGHT_SNAP_SIGNATURE",
         "  snap_signature: PAYWRIGHT_SNAP_SIGNATURE"),
        ("The proxy is a host", "The proxy is a host"),
    ],
)  # fmt: skip
def test_a_setting_is_called_by_its_name_in_the_environment(message: str, said: str) -> None:
    assert in_setting_names(message) == said


@pytest.mark.parametrize("name", CONTRACT.operations())
def test_a_violation_is_said_with_names_of_json(name: str) -> None:
    operation = CONTRACT.operation(name)
    for role, struct in zip(operation.roles, (operation.request, operation.response), strict=True):
        example = CONTRACT.example(f"{name}.{role}")
        for wrong in ({}, *(mistyped(example, kind) for kind in (0.5, "?", [], {"": 1}, None))):
            report = Report()
            CONTRACT.validator(struct)(wrong, "", report)
            for violation in describe_violations(CONTRACT, struct, report):
                said = in_json_names(CONTRACT, struct, violation).message
                assert _OF_PYTHON.search(said) is None, said


def mistyped(value: Any, kind: object) -> Any:
    """The same document, with another value in place of each text and number."""
    if isinstance(value, dict):
        return {name: mistyped(item, kind) for name, item in value.items()}
    return [mistyped(item, kind) for item in value] if isinstance(value, list) else kind


@pytest.mark.parametrize("name", [one for one in CONTRACT.operations() if not CONTRACT.operation(one).inbound])
def test_advice_names_commands_that_there_are(name: str) -> None:
    operation = CONTRACT.operation(name)
    resolver, key = operation.resolver(by_key=True), "K" if operation.write else None
    violation = Violation("/data", "required", "data is required")
    errors = [
        NotSent(operation=name, reason="connection_failed", phase="connecting", key=key, resolver=resolver),
        GatewayError(operation=name, code="C", key=key, write=operation.write, resolver=resolver),
    ]
    if operation.write:
        known = {"operation": name, "reason": "late", "key": key, "resolver": resolver}
        errors += [OutcomeUnknown(**known), AlreadyPlaced(**known)]
        errors.append(UnreadableWrite(operation=name, key=key, raw=b"", violations=[violation], resolver=resolver))
    else:
        errors.append(UnreadableAnswer(operation=name, raw=b"", violations=[violation]))
    kind = name.partition(".")[0]
    if kind in CONTRACT.followed() and not operation.write:
        errors.append(GatewayError(operation=name, code="C", not_there=True, resolver=f"client.{kind}.resolve(...)"))
    following = CONTRACT.following(kind).by if kind in CONTRACT.followed() else ""
    values: dict[str, object] = {one: "K 1" for one in (operation.key, following) if one}
    for error in errors:
        said = words_of(CONTRACT, operation, error, values)
        assert "client." not in said
        assert ".raw" not in said
        for command in re.findall(r"`paywright ([^`]*)`", said):
            parsed = build_parser().parse_args(shlex.split(command))
            assert "K 1" in (parsed.key if command.startswith("follow open") else ", ".join(parsed.arguments))
            assert command.startswith("follow open") or parsed.operation in CONTRACT.operations()


def test_unknown_members_and_violations_are_listed_together(sandbox: RunningSandbox) -> None:
    given = {**ORDER, "currency": "usd", "subjct": "A ticket"}
    del given["subject"]
    ended = call(sandbox, "orders.checkout", given)
    assert ended.code == 2
    assert "/subjct: orders.checkout has no such member (did you mean subject?)" in ended.err
    assert "/currency: format: currency must be" in ended.err
    assert "/subject: required" in ended.err
    assert "requestTime" not in ended.err, "the client fills it in"


@pytest.mark.parametrize(
    ("operation", "given", "code", "words"),
    [
        ("notifications.receive", {}, 2, "paywright validate"),
        ("orders.qery", {}, 2, "orders.query"),
        ("orders.query", {"outTradeNo": "NEVER_PLACED"}, 6, "ORDER_NOT_EXIST"),
    ],
)
def test_what_is_no_success_is_said(
    sandbox: RunningSandbox, operation: str, given: object, code: int, words: str
) -> None:
    ended = call(sandbox, operation, given)
    assert (ended.code, words in ended.err) == (code, True), ended.err


def test_what_never_left_exits_with_3(sandbox: RunningSandbox) -> None:
    ended = call(sandbox, "orders.checkout", ORDER, env={"PAYWRIGHT_BASE_URL": f"http://127.0.0.1:{lasting_port()}"})
    assert (ended.code, "This call has moved no money" in ended.err) == (3, True)


def test_a_read_without_a_verified_answer_exits_with_4(sandbox: RunningSandbox, tmp_path: Path) -> None:
    other = {"PAYWRIGHT_GATEWAY_KEY_FILES": calls.another_key(tmp_path)}
    ended = call(sandbox, "orders.query", {"outTradeNo": "A"}, env=other)
    assert (ended.code, ended.out) == (4, "")


@pytest.mark.slow
def test_a_write_without_an_answer_exits_5_and_says_what_to_do(sandbox: RunningSandbox, tmp_path: Path) -> None:
    other = {"PAYWRIGHT_GATEWAY_KEY_FILES": calls.another_key(tmp_path)}
    ended = call(sandbox, "orders.checkout", {**ORDER, "outTradeNo": "CALL_LOST"}, env=other)
    assert (ended.code, "Money may have moved" in ended.err, "orders.query" in ended.err) == (5, True, True)
    assert call(sandbox, "orders.query", {"outTradeNo": "CALL_LOST"}).code == 0


def test_a_key_that_was_placed_before_exits_with_5(sandbox: RunningSandbox) -> None:
    given = {**ORDER, "outTradeNo": "CALL_TWICE"}
    assert call(sandbox, "orders.checkout", given).code == 0
    ended = call(sandbox, "orders.checkout", given)
    assert (ended.code, "placed before" in ended.err) == (5, True)


@pytest.mark.parametrize("line", ["nonsense", "A=b c", "A='b", "=x"])
def test_a_settings_file_with_a_strange_line_names_the_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / ".env"
    file.write_text(f"PAYWRIGHT_APP_ID=a\n{line}\n")
    ended = paywright("call", "orders.query", "--env", file, given=b"{}")
    assert ended.code == 2
    assert f"{file}:2:" in ended.err

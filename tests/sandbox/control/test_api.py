"""The control API: one table of routes, the document written from it, and the command line that uses it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import validate as validate_openapi

from paywright_cli.commands.sandbox_control import COMMANDS
from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.control.api import ROUTES
from paywright_sandbox.control.client import ControlClient, RemoteRefused
from paywright_sandbox.engine.routes import Route, RouteField, find, read_fields
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.gateway import POLICIES
from paywright_sandbox.init import read_env
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.desk import Desk
from tests.sandbox.helpers.merchant_server import MerchantServer
from tests.sandbox.helpers.place import place
from tests.support.commands import sandbox as main


def test_the_openapi_document_is_one_and_has_every_route(desk: Desk) -> None:
    document = desk.control("GET", "openapi.json")
    document.pop("httpStatus")
    validate_openapi(document)
    operations = [
        (method.upper(), path.removeprefix("/_sandbox/")) for path, item in document["paths"].items() for method in item
    ]
    assert sorted(operations) == sorted((route.method, route.path) for route in ROUTES)
    snapshot = document["paths"]["/_sandbox/snapshot"]
    assert list(snapshot["get"]["responses"]["200"]["content"]) == ["application/vnd.sqlite3"]
    assert list(snapshot["put"]["requestBody"]["content"]) == ["application/vnd.sqlite3"]
    operations_found = [operation for item in document["paths"].values() for operation in item.values()]
    media = [one["responses"]["200"]["content"] for one in operations_found]
    media += [one["requestBody"]["content"] for one in operations_found if "requestBody" in one]
    assert all("schema" in kind for one in media for kind in one.values())  # without one, generators stop
    names = [operation["operationId"] for item in document["paths"].values() for operation in item.values()]
    assert len(set(names)) == len(names)


REQUIRED = {
    "balances": {"currency": "EUR", "amount": "1"},
    "bill-payments": {"referenceNo": "B1", "amount": "1"},
    "cases": {"outTradeNo": "ORD_1"},
    "faults": {"kind": "refuse"},
    "merchants": {"appId": "app_2", "merchantNo": "M2", "publicKey": "x"},
    "links": {"merchantLinkId": "L1", "amount": "1", "currency": "USD", "country": "SG", "description": "Two"},
    "transfers": {"amount": "1", "currency": "USD"},
    "withdrawals": {"outTradeNo": "W1", "transactionCurrency": "USD", "transactionAmount": "1"},
}  # fmt: skip


def test_the_document_says_what_each_route_requires_and_without_it_nothing_happens(desk: Desk) -> None:
    desk.paid("ORD_1", 10)
    required = {
        route.path: {field.name for field in route.fields if field.required}
        for route in ROUTES
        if route.method == "POST"
    }
    document = desk.control("GET", "openapi.json")["paths"]
    assert {path: set(names) for path, names in REQUIRED.items()} == {
        path: names for path, names in required.items() if names and "{" not in path
    }
    for path, body in REQUIRED.items():
        schema = document[f"/_sandbox/{path}"]["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert set(schema["required"]) == set(body)
        for name in body:
            refused = desk.control("POST", path, {other: value for other, value in body.items() if other != name})
            assert (refused["httpStatus"], name in refused["error"]) == (400, True), refused


def test_no_two_routes_answer_the_same_request() -> None:
    shapes = [(route.method, tuple("{}" if step[0] == "{" else step for step in route.steps)) for route in ROUTES]
    assert len(set(shapes)) == len(shapes)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_route_is_found_and_no_other_method_is(route: Route, desk: Desk) -> None:
    path = "/_sandbox/" + "/".join("A%2FB" if step.startswith("{") else step for step in route.steps)
    found = find(ROUTES, route.method, path)
    assert found.route is route
    assert set(found.variables.values()) <= {"A/B"}
    other = desk.control("PATCH", path.removeprefix("/_sandbox/"))
    assert other["httpStatus"] == 405


def test_fields_are_read_by_kind_and_nothing_else_passes() -> None:
    route = Route("POST", "x", "x", lambda engine, call: {}, (
        RouteField("n", "integer", "n"), RouteField("b", "boolean", "b"), RouteField("d", "decimal", "d"), RouteField("t", "time", "t"),
        RouteField("s", "string", "s", required=True, choices=("A", "B")), RouteField("o", "array", "o"),
    ))  # fmt: skip
    good = b'{"n":1,"b":true,"d":"10.50","t":"2025-06-01T12:00:00Z","s":"A","o":[]}'
    assert set(read_fields(route, good)) == {"n", "b", "d", "t", "s", "o"}
    assert read_fields(route, b'{"s":"A","n":null}') == {"s": "A"}
    for wrong in (
        b"", b"[]", b"{", b'{"s":"A","s":"B"}', b'{"s":"C"}', b'{"s":1}', b'{"s":"A","n":true}', b'{"s":"A","n":1.5}',
        b'{"s":"A","b":1}', b'{"s":"A","d":"1e5"}', b'{"s":"A","d":"-1"}', b'{"s":"A","d":-1}', b'{"s":"A","d":"."}',
        b'{"s":"A","t":"noon"}', b'{"s":"A","o":{}}', b'{"s":"A","x":1}', b'{"s":"A","d":"1."}',
    ):  # fmt: skip
        with pytest.raises(Refusal):
            read_fields(route, wrong)


def test_every_command_leads_to_a_route_and_names_fields_of_it() -> None:
    routes = {f"{route.method} {route.path}": {field.name for field in route.fields} for route in ROUTES}
    for verb in (verb for _, verbs in COMMANDS.values() for verb in verbs.values()):
        assert {verb.route, verb.other or verb.route} <= routes.keys()
        assert {*verb.first} <= routes[verb.route]


def test_a_notified_merchant_may_ask_the_sandbox(running: RunningSandbox, merchant: MerchantServer) -> None:
    """The server answers while the clock is moved and deliveries are under way."""
    with running.client() as client:

        def asks(got: Any) -> tuple[int, bytes]:
            order = client.orders.query(out_trade_no=got.body["data"]["outTradeNo"])
            assert order.status == "SUCCESS"
            return 200, b'{"msg":"Success","code":"SUCCESS"}'

        merchant.answers = asks
        place(client, "ORD_1", notify_url=merchant.url)
        running.pay("ORD_1")
        merchant.wait_for(1)
        status, answer = running.control("POST", "clock/advance", {"seconds": 60})
        assert (status, answer["complete"]) == (200, True)
        assert len(merchant.got) == 1


def test_timers_fire_and_notifications_leave_though_nobody_asks(folder: Path, merchant: MerchantServer) -> None:
    with running_sandbox(folder, policies={"refund-settles-after": 1}) as running, running.client() as client:
        place(client, "ORD_1")
        running.pay("ORD_1")
        client.refunds.create(
            out_refund_no="REF_1", refund_amount=Decimal("1.00"), refund_currency="USD", out_trade_no="ORD_1",
            refund_notify_url=merchant.url,
        )  # fmt: skip
        merchant.wait_for(1)
        assert merchant.got[0].body["data"]["status"] == "REFUND_SUCCESS"


def run(*words: str) -> int:
    return main(list(words))


def test_the_commands_say_what_they_did_or_refuse(
    running: RunningSandbox, merchant: MerchantServer, capsys: pytest.CaptureFixture[str]
) -> None:
    url = ("--url", running.base_url)
    with running.client() as client:
        place(client, "ORD_1", notify_url=merchant.url)
        place(client, "ORD_2")
    assert run("trigger", "pay", "ORD_1", *url) == 0
    assert "outTradeNo ORD_1, " in (out := capsys.readouterr().out)
    assert "status SUCCESS" in out
    assert run("trigger", "pay", "ORD_1", *url) == 1
    assert "refused: The order is SUCCESS already" in capsys.readouterr().err
    assert run("trigger", "bounce", "ORD_1", *url) == 0
    assert "status BOUNCEBACK" in capsys.readouterr().out
    assert run("trigger", "bounce", "ORD_2", *url) == 1
    assert "refused: The order is PENDING, not paid" in capsys.readouterr().err
    assert run("trigger", "fail", "ORD_3", *url) == 1
    assert run("trigger", "fail", "ORD_2", "--json", *url) == 0
    capsys.readouterr()
    merchant.wait_for(1)
    assert run("advance", "4m", *url) == 0
    assert "paywright listen" not in capsys.readouterr().out
    assert run("advance", "1d12h", *url) == 0
    said = capsys.readouterr().out
    assert "complete true" in said
    assert "A receiver refuses them (TOO_NEW) unless its max_ahead is longer; `paywright listen --any-time`" in said
    assert run("advance", "to=2020-01-01T00:00:00Z", *url) == 1
    assert "cannot go back" in capsys.readouterr().err
    assert run("notifications", *url) == 0
    assert "kind PAYMENT, about ORD_1" in capsys.readouterr().out
    assert run("notifications", "1", *url) == 0
    assert "ACKNOWLEDGED" in capsys.readouterr().out
    assert run("trigger", "redeliver", "1", *url) == 0
    assert len(merchant.got) == 2
    assert run("trigger", "receive", "amount=10.00", "currency=USD", *url) == 0
    out = capsys.readouterr().out
    assert "status TO_BE_PROVED" in out
    assert "notified nobody: the merchant has no va-result-notify-url" in out
    assert run("clock", "freeze", *url) == 0
    assert "frozen true" in capsys.readouterr().out
    assert run("events", *url) == 0
    assert "order.paid ORD_1" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ("trigger", "pay"), ("trigger", "pay", "A", "B"), ("trigger", "pay", "A", "amount=1"),
        ("trigger", "receive", "ORD_1"),
        ("trigger", "fail-next", "SUB_1", "charges=many"),
        ("advance", "soon"), ("advance", "1d", "2h"),
        ("trigger", "pay", "A", "--url", "http://127.0.0.1:9"),
    ],
)  # fmt: skip
def test_a_wrong_request_exits_2(folder: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--dir", str(folder), *words) == 2
    assert capsys.readouterr().err.startswith("paywright: ")


def test_the_policies_are_listed_without_a_server(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "sandbox.toml"
    file.write_text(file.read_text() + 'unshown-notifications = "off"\n')
    assert run("policies", "--dir", str(folder)) == 0
    out = capsys.readouterr().out
    assert 'unshown-notifications = "off"   (default "on")' in out
    assert all(f"[{policy.question}]" in out for policy in POLICIES.values())
    assert run("policies", "--json", "--dir", str(folder / "nowhere")) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["name"] for row in rows} == set(POLICIES)


@pytest.fixture
def remote(folder: Path) -> Iterator[ControlClient]:
    with running_sandbox(folder) as sandbox:
        yield ControlClient(folder, sandbox.base_url)


def test_a_snapshot_is_fetched_whole_and_put_back(remote: ControlClient) -> None:
    raw = remote.fetch("snapshot")
    assert len(raw) > 1000
    assert remote.put("snapshot", raw)


def test_what_is_not_there_cannot_be_fetched(remote: ControlClient) -> None:
    with pytest.raises(RemoteRefused, match="answers with HTTP status 404"):
        remote.fetch("nothing")


def test_a_refusal_is_said_in_the_sandboxs_words(remote: ControlClient) -> None:
    with pytest.raises(RemoteRefused, match="There is no order"):
        remote.call("POST", "orders/ORD_1/pay")
    with pytest.raises(RemoteRefused):
        remote.put("snapshot", b"no snapshot")


def test_the_address_is_that_of_the_folder_unless_another_is_given(folder: Path, tmp_path: Path) -> None:
    assert ControlClient(folder).base_url == read_env(folder)["PAYWRIGHT_BASE_URL"]
    assert ControlClient(folder, "http://127.0.0.1:1").base_url == "http://127.0.0.1:1"
    (tmp_path / ".env").write_text("PAYWRIGHT_APP_ID=app_1\n")
    with pytest.raises(ConfigurationError, match=r"\.env has no PAYWRIGHT_BASE_URL"):
        ControlClient(tmp_path)
    with pytest.raises(ConfigurationError, match=r"\.env does not exist"):
        ControlClient(tmp_path / "nowhere")
    with pytest.raises(ConfigurationError, match="The address of a sandbox looks like"):
        ControlClient(folder, "127.0.0.1:1")
    with pytest.raises(ConfigurationError, match=r"No sandbox answers at http://127\.0\.0\.1:1"):
        ControlClient(folder, "http://127.0.0.1:1").call("GET", "clock")

"""Several merchants: in sandbox.toml, and by the commands and the control API of a sandbox that is running."""

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from paywright import Client
from paywright_runtime.errors import ConfigurationError
from paywright_runtime.signing.keys import KeyPair
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.control.snapshot_routes import restore
from paywright_sandbox.gateway import read_settings
from paywright_sandbox.init import read_env
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.desk import Desk, checkout_data
from tests.sandbox.helpers.place import place
from tests.support.commands import sandbox as main
from tests.support.keys import key_pair


@pytest.fixture(scope="module")
def pair() -> KeyPair:
    return key_pair(2)


@pytest.fixture(scope="module")
def other(pair: KeyPair) -> KeyPair:
    return key_pair(3)


def registered(pair: KeyPair, **more: Any) -> dict[str, Any]:
    return {"appId": "app_2", "merchantNo": "MN0000000000002", "publicKey": pair.public_pem, **more}


def client_of(folder: Path, url: str, pair: KeyPair, app_id: str = "app_2", number: str = "MN0000000000002") -> Client:
    key = folder / f"{app_id}.key"
    key.write_text(pair.private_pem)
    env = {name: value for name, value in read_env(folder).items() if not re.search("APP_ID|_NO|_ID$", name)}
    named = {"PAYWRIGHT_BASE_URL": url, "PAYWRIGHT_PRIVATE_KEY_FILE": str(key)}
    return Client.from_env({**env, **named, "PAYWRIGHT_APP_ID": app_id, "PAYWRIGHT_MERCHANT_NO": number})


# The control API


def test_a_merchant_who_is_added_calls_at_once_and_after_a_restart(folder: Path, pair: KeyPair) -> None:
    with running_sandbox(folder) as running:
        made = running.done("POST", "merchants", registered(pair, snapClientSecret="quiet", snapAccessToken="token"))
        assert (made["appId"], made["origin"]) == ("app_2", "control API")
        assert "quiet" not in json.dumps(made)
        assert pair.private_pem not in json.dumps(made)
        with client_of(folder, running.base_url, pair) as second, running.client() as first:
            place(first, "ORD_1")
            place(second, "ORD_1")
        assert running.done("GET", "health")["merchants"] == ["app_sandbox_1", "app_2"]
    with running_sandbox(folder) as running, client_of(folder, running.base_url, pair) as second:
        assert second.orders.query(out_trade_no="ORD_1").status == "PENDING"
        assert running.done("GET", "merchants/app_2")["merchantNo"] == "MN0000000000002"


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"appId": "app_sandbox_1"}, 409, "appId app_sandbox_1 belongs to app_sandbox_1, from sandbox.toml"),
        ({"merchantNo": "MN0000000000001"}, 409, "merchantNo MN0000000000001 belongs to app_sandbox_1"),
        ({"merchantId": "MI0000000000001"}, 409, "merchantId"),
        ({"snapPartnerId": "SNAP_PARTNER_1"}, 409, "snapPartnerId"),
        ({"appId": "a b"}, 400, "appId must have 1 to 64 characters of ASCII, and no spaces"),
        ({"appId": ""}, 400, "appId must have 1 to 64"),
        ({"merchantNo": "9" * 33}, 400, "merchantNo must have 1 to 32"),
        ({"appId": None}, 400, "appId is required"),
        ({"publicKey": "no key"}, 400, "publicKey: The public key cannot be used"),
        ({"publicKey": "PRIVATE"}, 400, "this is a private key, a public one is needed"),
        ({"publicKey": "GATEWAY"}, 400, "publicKey is the gateway's own"),
        ({"notifyUrl": "https://shop.example/"}, 400, "notifyUrl: shop.example is neither this machine"),
        ({"snapClientSecret": "alone"}, 400, "needs both snapClientSecret and snapAccessToken"),
        ({"colour": "red"}, 400, "'colour' is not a field"),
    ],
)
def test_a_merchant_who_cannot_be_registered_is_refused_with_the_reason(
    desk: Desk, folder: Path, pair: KeyPair, change: dict[str, Any], status: int, words: str
) -> None:
    keys = {"PRIVATE": pair.private_pem, "GATEWAY": (folder / "keys" / "gateway.pub").read_text()}
    asked = {name: keys.get(str(value), value) for name, value in {**registered(pair), **change}.items()}
    refused = desk.control("POST", "merchants", asked)
    assert (refused["httpStatus"], words in refused["error"]) == (status, True), refused["error"]
    assert ".." not in refused["error"]
    assert "alone" not in refused["error"]
    assert "sent" not in refused["error"]
    assert len(desk.control("GET", "merchants")["merchants"]) == 1
    assert desk.control("GET", "events")["events"] == []


def test_an_added_merchant_is_removed_and_one_of_the_settings_is_not(desk: Desk, pair: KeyPair) -> None:
    desk.control("POST", "merchants", registered(pair))
    assert desk.control("POST", "merchants", registered(pair))["httpStatus"] == 409
    assert desk.control("DELETE", "merchants/app_2") == {"httpStatus": 200, "removed": "app_2"}
    again = desk.control("DELETE", "merchants/app_2")
    assert (again["httpStatus"], "known: app_sandbox_1" in again["error"]) == (404, True)
    kept = desk.control("DELETE", "merchants/app_sandbox_1")
    assert (kept["httpStatus"], "comes from sandbox.toml" in kept["error"]) == (409, True)
    assert desk.control("GET", "merchants/app_2")["httpStatus"] == 404
    message = desk.envelope("orders.checkout", checkout_data("ORD_1"), appId="app_2")
    assert desk.send("orders.checkout", message)["msg"].startswith("No merchant with this appId is registered here")
    kinds = [event["kind"] for event in desk.control("GET", "events")["events"]]
    assert kinds == ["merchant.added", "merchant.removed"]


def test_the_key_of_an_added_merchant_is_named_when_it_signs_for_another(desk: Desk, pair: KeyPair) -> None:
    from paywright_runtime import strict_json
    from paywright_runtime.signing.keys import load_private_key

    desk.control("POST", "merchants", registered(pair))
    raw = strict_json.write(desk.envelope("orders.checkout", checkout_data("ORD_1")))
    signature = RsaSigner(load_private_key(pair.private_pem)).sign(raw)
    refused = desk.raw("orders.checkout", raw, [("sign", signature)])
    assert "that of the merchant app_2, not the one registered" in refused["msg"]


def test_added_merchants_are_in_snapshots_and_go_with_a_reset(running: RunningSandbox, pair: KeyPair) -> None:
    def known() -> object:
        return running.done("GET", "health")["merchants"]

    running.done("POST", "merchants", registered(pair))
    two = running.engine.store.snapshot()
    assert main(["reset", "keepMerchants=true", "--url", running.base_url]) == 0
    assert known() == ["app_sandbox_1", "app_2"]
    assert main(["reset", "--url", running.base_url]) == 0
    assert known() == ["app_sandbox_1"]
    restore(running.engine, two)
    assert known() == ["app_sandbox_1", "app_2"]


def test_where_the_settings_get_a_number_of_an_added_merchant_the_settings_win(folder: Path, pair: KeyPair) -> None:
    with running_sandbox(folder) as running:
        running.done("POST", "merchants", registered(pair))
    file = folder / "sandbox.toml"
    (folder / "two.pub").write_text(pair.public_pem)
    file.write_text(file.read_text() + '\n[[merchants]]\napp-id = "app_2"\npublic-key-file = "two.pub"\n')
    with running_sandbox(folder) as running:
        assert [one["origin"] for one in running.items("merchants")] == ["sandbox.toml", "sandbox.toml"]
        assert running.done("DELETE", "merchants/app_2") == {"removed": "app_2"}
        assert [one["origin"] for one in running.items("merchants")] == ["sandbox.toml", "sandbox.toml"]


def test_one_number_of_two_merchants_is_told_apart(running: RunningSandbox, folder: Path, pair: KeyPair) -> None:
    running.done("POST", "merchants", registered(pair))
    with client_of(folder, running.base_url, pair) as second, running.client() as first:
        for client in (first, second):
            place(client, "ORD_1")
        status, refused = running.control("POST", "orders/ORD_1/pay")
        assert (status, "app_sandbox_1, app_2. Name the merchant: in the field merchant" in str(refused["error"])) == (
            409,
            True,
        )
        with pytest.raises(LookupError, match="Several merchants have orders"):
            running.pay("ORD_1")
        assert running.control("POST", "orders/ORD_1/pay", {"merchant": "app_9"})[0] == 404
        assert running.pay("ORD_1", merchant="app_2")["merchant"] == "app_2"
        assert (first.orders.query(out_trade_no="ORD_1").status, second.orders.query(out_trade_no="ORD_1").status) == (
            "PENDING",
            "SUCCESS",
        )
    assert running.done("GET", "merchants/app_2/orders/ord_1")["status"] == "SUCCESS"
    assert running.control("GET", "orders/ORD_1")[0] == 409
    assert "belongs to app_sandbox_1, app_2." in str(running.control("POST", "orders/ORD_1/pay", {"merchant": "a"})[1])
    assert main(["trigger", "fail", "ORD_1", "merchant=app_sandbox_1", "--url", running.base_url]) == 0


def test_a_number_of_two_merchants_is_read_as_the_refusal_says(
    running: RunningSandbox, folder: Path, pair: KeyPair
) -> None:
    running.done("POST", "merchants", registered(pair))
    with client_of(folder, running.base_url, pair) as second, running.client() as first:
        for client, app_id in ((first, "app_sandbox_1"), (second, "app_2")):
            place(client, "ORD_1")
            running.done("POST", "orders/ORD_1/pay", {"merchant": app_id})
            client.refunds.create(
                out_refund_no="REF_1", out_trade_no="ORD_1", refund_amount=Decimal("1.00"), refund_currency="USD"
            )
    for path in ("orders/ORD_1", "refunds/REF_1"):
        status, refused = running.control("GET", path)
        advised = re.search(r"by GET /_sandbox/(\S+)\.$", str(refused["error"]))
        assert status == 409
        assert advised is not None
        assert running.done("GET", advised[1])["merchant"] == "app_sandbox_1"
        assert running.done("GET", f"merchants/app_2/{path}")["merchant"] == "app_2"


# sandbox.toml


APP_2 = 'app-id = "app_2"'


@pytest.mark.parametrize(
    "lines",
    ['app-id = "app_sandbox_1"', f'{APP_2}\nmerchant-no = "MN0000000000001"', f'{APP_2}\nmerchant-id = "MI0000000000001"'],
)  # fmt: skip
def test_numbers_that_tell_merchants_apart_are_one_merchants_alone(folder: Path, lines: str) -> None:
    file = folder / "sandbox.toml"
    more = f'\n[[merchants]]\npublic-key-file = "keys/merchant.pub"\n{lines}\n'
    file.write_text(file.read_text() + more)
    with pytest.raises(ConfigurationError, match=r"two \[\[merchants\]\] have the (app|merchant)-"):
        read_settings(folder)


# The command line


def run(*words: str) -> int:
    return main(list(words))


def test_the_commands_add_list_and_remove_a_merchant(
    running: RunningSandbox, folder: Path, pair: KeyPair, capsys: pytest.CaptureFixture[str]
) -> None:
    url, key = ("--url", running.base_url), folder / "two.pub"
    key.write_text(pair.public_line)
    assert run("merchants", "add", f"app_2:MN2:{key}", "notifyUrl=http://127.0.0.1:9/x", "memberId=MB2", *url) == 0
    assert "appId app_2, merchantNo MN2, " in capsys.readouterr().out
    assert run("merchants", *url) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in listed] == ["appId app_sandbox_1", "appId app_2"]
    assert listed[1].endswith("origin control API")
    assert run("merchants", "add", f"app_2:MN3:{key}", *url) == 1
    assert "refused: appId app_2 belongs to app_2" in capsys.readouterr().err
    assert run("merchants", "remove", "app_2", *url) == 0
    assert run("merchants", *url, "remove", "app_2") == 1
    assert "No merchant has this app id" in capsys.readouterr().err


def test_a_private_key_never_leaves_the_command(
    running: RunningSandbox, folder: Path, pair: KeyPair, capsys: pytest.CaptureFixture[str]
) -> None:
    key = folder / "two.key"
    key.write_text(pair.private_pem)
    # No sandbox answers there: a command that asked one would say so.
    assert run("merchants", "add", f"app_2:MN2:{key}", "--url", "http://127.0.0.1:9") == 2
    err = capsys.readouterr().err
    assert "this is a private key, a public one is needed" in err
    assert not any(line in err for line in pair.private_pem.splitlines())
    assert run("merchants", "add", f"app_2:MN2:{folder / 'none.pub'}", "--url", running.base_url) == 2
    assert "none.pub: No such file" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run("merchants", "add", "app_2:MN2")


def test_a_transfer_that_no_notification_could_tell_of_is_refused(desk: Desk, pair: KeyPair) -> None:
    entry = registered(pair, merchantNo="M" * 16, vaResultNotifyUrl="http://127.0.0.1:9/va")
    assert desk.control("POST", "merchants", entry)["httpStatus"] == 200
    asked = {"merchant": "app_2", "amount": "1", "currency": "USD"}
    refused = desk.control("POST", "transfers", asked)
    assert (refused["httpStatus"], "merchantNo" in refused["error"]) == (409, True)
    assert desk.control("GET", "transfers")["transfers"] == []
    assert desk.control("POST", "transfers", {**asked, "merchant": "app_sandbox_1"})["httpStatus"] == 200

"""Clients are set up by arguments or by the environment, and say all that is wrong at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from threading import Barrier, get_ident
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from paywright import (
    Client,
    ConfigurationError,
    FixedClock,
    InvalidArgument,
    KeyProblem,
    Merchant,
    MissingSetting,
    RsaVerifier,
    UnreadableAnswer,
)
from paywright.aio import Client as AsyncClient
from paywright_runtime.signing.keys import KeyPair
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED


def test_an_empty_environment_names_all_that_is_missing() -> None:
    with pytest.raises(MissingSetting) as caught:
        Client.from_env({})
    assert caught.value.names == ("base_url", "app_id", "private_key", "gateway_keys")
    for name in ("PAYWRIGHT_BASE_URL", "PAYWRIGHT_APP_ID", "PAYWRIGHT_PRIVATE_KEY_FILE", "PAYWRIGHT_GATEWAY_KEY_FILES"):
        assert name in str(caught.value)


def test_env_makes_a_client(gateway: Gateway, merchant_keys: KeyPair, gateway_keys: KeyPair, tmp_path: Path) -> None:
    (tmp_path / "own.pem").write_text(merchant_keys.private_pem)
    env = {
        "PAYWRIGHT_BASE_URL": gateway.base_url,
        "PAYWRIGHT_APP_ID": "app_9",
        "PAYWRIGHT_MERCHANT_NO": "M9",
        "PAYWRIGHT_PRIVATE_KEY_FILE": str(tmp_path / "own.pem"),
        "PAYWRIGHT_GATEWAY_KEYS": gateway_keys.public_line,
        "PAYWRIGHT_TIMEOUT": "2.5",
        "PAYWRIGHT_PATHS": "orders.checkout=/own, cases.inquire=/biz",
    }
    gateway.reply = Reply(ORDER_CREATED)
    with Client.from_env(env) as client:
        client.orders.checkout(**ORDER)
    assert gateway.seen[0].path == "/own"
    assert gateway.seen[0].json["appId"] == "app_9"
    assert gateway.seen[0].json["merchantNo"] == "M9"


@pytest.mark.parametrize("kind", [Client, AsyncClient])
@pytest.mark.parametrize(("size", "most"), [("2", 2), (None, 6)])
def test_no_more_calls_are_under_way_at_once_than_the_pool_holds(
    gateway: Gateway, env: dict[str, str], gateway_keys: KeyPair, kind: type[Client | AsyncClient],
    size: str | None, most: int,
) -> None:  # fmt: skip
    meet, at_once, seen = Barrier(most), set[int](), list[int]()

    def reply(_: object) -> Reply:
        at_once.add(get_ident())
        seen.append(len(at_once))
        meet.wait()  # so many come together, however busy the machine is
        at_once.discard(get_ident())
        return Reply(ORDER_CREATED)

    gateway.reply = reply
    env |= {"PAYWRIGHT_BASE_URL": gateway.base_url, "PAYWRIGHT_GATEWAY_KEYS": gateway_keys.public_line}
    client = kind.from_env(env | ({} if size is None else {"PAYWRIGHT_POOL_SIZE": size}))

    async def place_awaited() -> None:
        assert isinstance(client, AsyncClient)
        async with client, anyio.create_task_group() as tasks:
            for _ in range(6):
                tasks.start_soon(partial(client.orders.checkout, **ORDER))

    if isinstance(client, AsyncClient):
        anyio.run(place_awaited)
    else:
        with client, ThreadPoolExecutor(6) as threads:
            for done in [threads.submit(client.orders.checkout, **ORDER) for _ in range(6)]:
                done.result()
    assert (len(seen), max(seen)) == (6, most)


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_the_rest_is_given_beside_it(env: dict[str, str], merchant: Merchant, kind: type[Client | AsyncClient]) -> None:
    transport, clock = object(), FixedClock(datetime(2025, 6, 1, tzinfo=UTC))
    del env["PAYWRIGHT_PRIVATE_KEY"]
    given: dict[str, Any] = {
        "signer": merchant.signer, "on_attempt": print, "observer": SimpleNamespace(call=print), "clock": clock,
        "transport": transport,
    }  # fmt: skip
    client: Any = kind.from_env(env, **given)
    assert [client._merchant.signer, *(getattr(client, f"_{name}") for name in list(given)[1:])] == [*given.values()]
    with pytest.raises(ConfigurationError, match="and a signer are more than one private key"):
        kind.from_env(env | {"PAYWRIGHT_PRIVATE_KEY": "key"}, **given)


@pytest.fixture
def env(merchant_keys: KeyPair, gateway_keys: KeyPair) -> dict[str, str]:
    return {
        "PAYWRIGHT_BASE_URL": "http://127.0.0.1:1",
        "PAYWRIGHT_APP_ID": "a",
        "PAYWRIGHT_PRIVATE_KEY": merchant_keys.private_pem,
        "PAYWRIGHT_GATEWAY_KEYS": gateway_keys.public_line,
    }


UNREADABLE = {
    # Docker's --env-file keeps quotes, and what is pasted may bring what nobody sees.
    "PAYWRIGHT_APP_ID": ['"app_1"', "'app_1'", "\ufeffapp_1", "app_1\u200b"],
    "PAYWRIGHT_MERCHANT_NO": ['"MN0000000000002"'],
    "PAYWRIGHT_TIMEOUT": ["soon", "nan", "inf", "-1", "0", "1_0", "5s", "٣", "1e3", "0x10"],
    "PAYWRIGHT_SIGNING_THREADS": ["two", "-1", "1.5"],
    "PAYWRIGHT_RETRIES": ["inf", "nan", "2.5", "-1", "two", "1_0"],
    "PAYWRIGHT_STRICT_ANSWERS": ["ture", "ja", "2", "strict"],
    "PAYWRIGHT_VALIDATION": ["maybe", "Refuse", "none"],
    "PAYWRIGHT_UNSIGNED_ANSWERS": ["sometimes", "unsigned"],
    "PAYWRIGHT_SNAP_SIGNATURE": ["rsa", "Symmetric"],
    "PAYWRIGHT_PATHS": [
        "cases.inquire:/x", "/x", "cases.inquire=", "=/x", "cases.inquire=/x,cases.inquire=/y", "a.b=x",
    ],
    "PAYWRIGHT_BASE_URL": ["no address", "http://gateway.example"],
    "PAYWRIGHT_PROXY": ["no address", "socks5://127.0.0.1:1"],
    "PAYWRIGHT_CA_FILE": ["/nowhere/at.all"],
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in UNREADABLE for value in UNREADABLE[name]])
def test_the_environment_takes_no_word_that_it_does_not_know(name: str, value: str, env: dict[str, str]) -> None:
    with pytest.raises((ConfigurationError, InvalidArgument)) as caught:
        Client.from_env(env | {name: value})
    assert name.removeprefix("PAYWRIGHT_").lower() in str(caught.value).lower()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("PAYWRIGHT_TIMOT", "PAYWRIGHT_TIMEOUT"),
        ("PAYWRIGHT_SIGN_ANSWER", "PAYWRIGHT_SIGN_ANSWERS"),
        ("PAYWRIGHT_GATEWAY_KEY", "PAYWRIGHT_GATEWAY_KEYS"),
        ("PAYWRIGHT_Retries", "PAYWRIGHT_RETRIES"),
    ],
)
def test_a_misspelled_environment_name_names_the_right_one(name: str, meant: str, env: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Client.from_env(env | {name: "5001", "PAYWRIGHT_COLOUR": "5001"})
    said = str(caught.value)
    assert f"{name} is no setting (did you mean {meant}?)" in said
    assert "PAYWRIGHT_COLOUR is no setting" in said
    assert "5001" not in said


def test_names_of_receivers_of_commands_and_of_the_machine_are_no_misspelling(env: dict[str, str]) -> None:
    others = {
        "PAYWRIGHT_LOG_TRACEBACKS": "yes", "PAYWRIGHT_SIGN_ANSWERS": "yes", "PAYWRIGHT_DEBUG": "1",
        "PAYWRIGHT_ABSENT": " ", "SHOP_COLOUR": "red",
        # what Kubernetes sets beside a service called paywright
        "PAYWRIGHT_SERVICE_HOST": "10.0.0.7", "PAYWRIGHT_SERVICE_PORT_HTTP": "8787",
        "PAYWRIGHT_PORT": "tcp://10.0.0.7:8787", "PAYWRIGHT_PORT_8787_TCP_ADDR": "10.0.0.7",
    }  # fmt: skip
    with Client.from_env(env | others) as client:
        assert "app_id='a'" in repr(client)


def test_a_second_private_key_in_the_environment_is_refused(env: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="more than one private key"):
        Client.from_env(env | {"PAYWRIGHT_PRIVATE_KEY_FILE": str(tmp_path / "another.pem")})


def test_no_message_about_a_setting_shows_its_value(env: dict[str, str], merchant_keys: KeyPair) -> None:
    key = merchant_keys.private_pem
    for name in ("TIMEOUT", "RETRIES", "STRICT_ANSWERS", "VALIDATION", "PATHS", "SNAP_SIGNATURE"):
        with pytest.raises(ConfigurationError) as caught:
            Client.from_env(env | {f"PAYWRIGHT_{name}": key})
        assert key[40:60] not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "strict"),
    [
        ("yes", True), ("TRUE", True), (" on ", True), ("1", True), ("no", False), ("off", False), ("0", False),
        ("", False),
    ],
)  # fmt: skip
def test_a_switch_has_these_words(text: str, strict: bool, env: dict[str, str], gateway: Gateway) -> None:
    env |= {"PAYWRIGHT_STRICT_ANSWERS": text, "PAYWRIGHT_BASE_URL": gateway.base_url}
    too_long = {
        "outTradeNo": "ORD_1", "tradeToken": "T" * 65, "status": "PENDING", "redirectUrl": "https://cashier.example/",
    }  # fmt: skip
    gateway.reply = Reply(ORDER_CREATED | {"data": too_long})
    with Client.from_env(env) as client:
        if strict:
            with pytest.raises(UnreadableAnswer):
                client.orders.checkout(**ORDER)
        else:
            assert client.orders.checkout(**ORDER).answer.violations != []


def test_blanks_around_a_value_of_the_environment_do_not_count(env: dict[str, str]) -> None:
    with Client.from_env(
        {name: f" {value}\n" for name, value in env.items()} | {"PAYWRIGHT_TIMEOUT": " 2.5 "}
    ) as client:
        assert "Client('http://127.0.0.1:1', Merchant(app_id='a'" in repr(client)


WRONG_ARGUMENTS: list[tuple[str, object]] = [
    *(("timeout", value) for value in ("5", None, Decimal("3"), True, 0, -1.0, float("nan"), float("inf"), 10**400)),
    *(("retries", value) for value in ("2", None, 2.0, True, -1, Decimal(2))),
    *(("pool_size", value) for value in ("2", None, 0, 1.0, True)),
    *(("signing_threads", value) for value in ("2", None, -1, 1.0, True)),
    *(("strict_answers", value) for value in ("no", None, 0, 1)),
    *(("validation", value) for value in ("maybe", None, True, ["refuse"])),
    *(("unsigned_answers", value) for value in ("unsigned", None, 0, 1)),
    *(("paths", value) for value in ("cases.inquire=/x", [("cases.inquire", "/x")], {"cases.inquire": None})),
    *(("ca_file", value) for value in (5, b"ca.pem")),
    *(("proxy", value) for value in (5, b"http://127.0.0.1:1", "")),
    *(("base_url", value) for value in (None, 5, b"http://127.0.0.1:1", "")),
    *(("merchant", value) for value in (None, "app_1", {})),
    ("on_attempt", "print"),
    *(("observer", value) for value in ("otel", print, SimpleNamespace)),
]


@pytest.mark.parametrize(("name", "value"), WRONG_ARGUMENTS)
def test_an_argument_of_another_type_is_refused_at_once(name: str, value: object, merchant: Merchant) -> None:
    arguments: dict[str, Any] = {"base_url": "http://127.0.0.1:1", "merchant": merchant, name: value}
    with pytest.raises((ConfigurationError, InvalidArgument), match=name):
        Client(**arguments)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("timeout", 0.001),
        ("retries", 0),
        ("pool_size", 1),
        ("signing_threads", 0),
        ("ca_file", None),
        ("on_attempt", None),
    ],
)
def test_the_least_that_an_argument_may_be_is_taken(name: str, value: object, merchant: Merchant) -> None:
    arguments: dict[str, Any] = {"base_url": "http://127.0.0.1:1", "merchant": merchant, name: value}
    with Client(**arguments) as client:
        assert repr(client).startswith("Client(")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("app_id", value) for value in (None, 5, "", " ", b"app_1")),
        *((name, 8001) for name in ("merchant_no", "member_id", "sp_merchant_no", "merchant_id", "snap_partner_id")),
        *(("private_key", value) for value in (None, 5, object())),
        *(("gateway_keys", value) for value in (None, 5, object())),
    ],
)
def test_a_merchant_needs_its_types(name: str, value: object, gateway_keys: KeyPair, merchant_keys: KeyPair) -> None:
    good: dict[str, Any] = {
        "app_id": "a", "private_key": merchant_keys.private_pem, "gateway_keys": [gateway_keys.public_line]
    }  # fmt: skip
    with pytest.raises(InvalidArgument, match=name):
        Merchant(**good | {name: value})


def test_ones_own_public_key_in_place_of_the_gateways_is_recognised(merchant_keys: KeyPair) -> None:
    with pytest.raises(KeyProblem, match=r"your own public key.* yours is merchant\.key"):
        Merchant(app_id="a", private_key=merchant_keys.private_pem, gateway_keys=[merchant_keys.public_pem])


def test_the_file_of_a_bad_key_is_named(
    merchant_keys: KeyPair, gateway_keys: KeyPair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (bad := Path("key")).write_text("hello")  # a word of the message, too
    for keys in ({"private_key": bad}, {"gateway_keys": [gateway_keys.public_pem, bad]}):
        with pytest.raises(KeyProblem, match=r"key in key cannot be used: it is not Base64"):
            Merchant(**{"app_id": "a", "private_key": merchant_keys.private_pem, "gateway_keys": []} | keys)


@pytest.mark.parametrize("keys", [[], ()])
def test_a_merchant_without_a_key_of_the_gateway_is_refused(keys: Any, merchant_keys: KeyPair) -> None:
    with pytest.raises(KeyProblem, match="gateway_keys is empty") as caught:
        Merchant(app_id="a", private_key=merchant_keys.private_pem, gateway_keys=keys)
    assert caught.value.why == "empty"


def refused_signature(gateway: Gateway, gateway_keys: KeyPair, signature: Any) -> str:
    """Return why a signature of a signer of one's own is refused."""

    class Vault:
        def sign(self, body: bytes, /) -> str:
            return signature  # type: ignore[no-any-return]  # that it is of another type is the point

    merchant = Merchant(app_id="a", private_key=Vault(), gateway_keys=RsaVerifier([gateway_keys.public]))
    with (
        Client(base_url=gateway.base_url, merchant=merchant) as client,
        pytest.raises(ConfigurationError, match="Nothing was sent") as caught,
    ):
        client.orders.checkout(**ORDER)
    return str(caught.value)


def test_own_signers_and_verifiers_are_used(gateway: Gateway, merchant_keys: KeyPair, gateway_keys: KeyPair) -> None:
    class Vault:
        def sign(self, body: bytes, /) -> str:
            return "A" * 341 + "Q=="

    merchant = Merchant(app_id="a", private_key=Vault(), gateway_keys=RsaVerifier([gateway_keys.public]))
    gateway.reply = Reply(ORDER_CREATED)
    with Client(base_url=gateway.base_url, merchant=merchant) as client:
        client.orders.checkout(**ORDER)
    assert gateway.seen[0].headers["sign"] == "A" * 341 + "Q=="
    assert Vault.__name__ in refused_signature(gateway, gateway_keys, "signed-elsewhere")
    assert Vault.__name__ in refused_signature(gateway, gateway_keys, b"bytes")
    assert len(gateway.seen) == 1


def test_a_path_for_an_operation_that_does_not_exist_is_refused(merchant: Merchant) -> None:
    with pytest.raises(InvalidArgument, match=r"Did you mean orders\.query"):
        Client(base_url="http://127.0.0.1:1", merchant=merchant, paths={"orders.querry": "/x"})

"""Clients are set up by arguments or by the environment, and say all that is wrong at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from canned_gateway import Gateway, Reply
from client_calls import ORDER, ORDER_CREATED
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from paywright import Client, ConfigurationError, InvalidArgument, KeyProblem, Merchant, MissingSetting, RsaVerifier
from paywright_runtime.keys import KeyPair


def test_an_empty_environment_names_all_that_is_missing() -> None:
    with pytest.raises(MissingSetting) as caught:
        Client.from_env({})
    assert caught.value.names == ("base_url", "app_id", "private_key", "gateway_keys")
    for name in ("PAYWRIGHT_BASE_URL", "PAYWRIGHT_APP_ID", "PAYWRIGHT_PRIVATE_KEY_FILE", "PAYWRIGHT_GATEWAY_KEY_FILES"):
        assert name in str(caught.value)


def test_the_environment_makes_a_working_client(
    gateway: Gateway, merchant_keys: KeyPair, gateway_keys: KeyPair, tmp_path: Path
) -> None:
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


@pytest.mark.parametrize(
    ("env", "words"),
    [({"PAYWRIGHT_TIMEOUT": "soon"}, "PAYWRIGHT_TIMEOUT"), ({"PAYWRIGHT_VALIDATION": "maybe"}, "validation")],
)
def test_a_bad_value_in_the_environment_is_named(
    env: dict[str, str], words: str, merchant_keys: KeyPair, gateway_keys: KeyPair
) -> None:
    base = {
        "PAYWRIGHT_BASE_URL": "http://127.0.0.1:1",
        "PAYWRIGHT_APP_ID": "a",
        "PAYWRIGHT_PRIVATE_KEY": merchant_keys.private_line,
        "PAYWRIGHT_GATEWAY_KEYS": gateway_keys.public_line,
    }
    with pytest.raises((ConfigurationError, InvalidArgument), match=words):
        Client.from_env(base | env)


def test_ones_own_public_key_in_place_of_the_gateways_is_recognised(merchant_keys: KeyPair) -> None:
    with pytest.raises(KeyProblem, match="your own public key"):
        Merchant(app_id="a", private_key=merchant_keys.private_pem, gateway_keys=[merchant_keys.public_pem])


def test_a_short_key_is_refused_without_showing_it(gateway_keys: KeyPair) -> None:
    short = rsa.generate_private_key(65537, 1024).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with pytest.raises(KeyProblem, match="1024") as caught:
        Merchant(app_id="a", private_key=short, gateway_keys=[gateway_keys.public_pem])
    assert short.decode().splitlines()[1] not in str(caught.value)


def test_a_signer_and_a_verifier_of_ones_own_are_used(
    gateway: Gateway, merchant_keys: KeyPair, gateway_keys: KeyPair
) -> None:
    class Vault:
        def sign(self, body: bytes, /) -> str:
            return "signed-elsewhere"

    merchant = Merchant(app_id="a", private_key=Vault(), gateway_keys=RsaVerifier([gateway_keys.public]))
    gateway.reply = Reply(ORDER_CREATED)
    with Client(base_url=gateway.base_url, merchant=merchant) as client:
        client.orders.checkout(**ORDER)
    assert gateway.seen[0].headers["sign"] == "signed-elsewhere"


@pytest.mark.parametrize("url", ["http://gateway.example", "ftp://127.0.0.1", "https://u:p@h.example", "no address"])
def test_an_address_that_is_not_safe_is_refused(merchant: Merchant, url: str) -> None:
    with pytest.raises(ConfigurationError):
        Client(base_url=url, merchant=merchant)


def test_a_path_for_an_operation_that_does_not_exist_is_refused(merchant: Merchant) -> None:
    with pytest.raises(InvalidArgument, match=r"Did you mean orders\.query"):
        Client(base_url="http://127.0.0.1:1", merchant=merchant, paths={"orders.querry": "/x"})


def test_nothing_of_a_key_is_in_any_repr(merchant: Merchant, merchant_keys: KeyPair) -> None:
    with Client(base_url="http://127.0.0.1:1", merchant=merchant) as client:
        shown = repr(client) + repr(merchant) + repr(merchant.signer) + repr(merchant.verifier)
    assert merchant_keys.private_line[40:80] not in shown
    assert "app_1" in shown

"""Each way a call can end is one error, and each says whether money may have moved."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from paywright import Client, Merchant, NoAnswer, NotSent, OutcomeUnknown
from paywright_runtime.signing.keys import KeyPair
from paywright_runtime.signing.rsa import RsaSigner, RsaVerifier, VerifiedBytes
from paywright_runtime.transport.api import TransportFailure
from paywright_runtime.transport.blocking import HttpTransport
from tests.runtime.helpers.canned_gateway import Gateway, Reply
from tests.runtime.helpers.client_calls import ORDER, ORDER_CREATED
from tests.support.keys import key_pair
from tests.support.ports import lasting_port

Call = Callable[[Client], object]
PLACE: Call = lambda client: client.orders.checkout(**ORDER)  # noqa: E731
QUERY: Call = lambda client: client.orders.query(out_trade_no="ORD_1")  # noqa: E731
STATUS = lambda client: client.snap.status(original_partner_reference_no="O1", service_code="54")  # noqa: E731


def body() -> bytes:
    return Reply(ORDER_CREATED).body


BAD_ANSWERS: dict[str, tuple[Callable[[Gateway], Reply], str]] = {
    "unsigned": (lambda g: Reply(ORDER_CREATED, signed=False), "unsigned"),
    "signed twice": (lambda g: Reply(ORDER_CREATED, signature=[g.signer.sign(body())] * 2), "several_signatures"),
    "signed twice, joined by a proxy": (
        lambda g: Reply(ORDER_CREATED, signature=", ".join([g.signer.sign(body())] * 2)),
        "several_signatures",
    ),
    "forged": (lambda g: Reply(ORDER_CREATED, signature=g.signer.sign(b"other")), "bad_signature"),
    "a space in the signature": (
        lambda g: Reply(ORDER_CREATED, signature=f"{g.signer.sign(body())[:9]} {g.signer.sign(body())[9:]}"),
        "not_canonical",
    ),
    "status 500": (lambda g: Reply(ORDER_CREATED, status=500), "http_status"),
    "a redirect": (lambda g: Reply(ORDER_CREATED, status=307, headers={"Location": "/other"}), "redirect"),
    "not JSON": (lambda g: Reply(b"<html>"), "not_json"),
    "JSON with a key twice": (lambda g: Reply(b'{"code":"APPLY_SUCCESS","code":"X"}'), "not_json"),
    "a list": (lambda g: Reply(b"[]"), "not_an_object"),
    "no code": (lambda g: Reply(b"{}"), "no_code"),
    "10 MB": (lambda g: Reply(b" " * 10_000_000), "too_large"),
}


@pytest.mark.parametrize("what", BAD_ANSWERS)
def test_a_write_without_a_verified_answer_is_unknown_with_its_key(client: Client, gateway: Gateway, what: str) -> None:
    make, reason = BAD_ANSWERS[what]
    gateway.reply = make(gateway)
    with pytest.raises(OutcomeUnknown) as caught:
        PLACE(client)
    error = caught.value
    assert (error.reason, error.key, error.resolve_with) == (reason, "ORD_1", "orders.query")
    assert "Money may have moved" in str(error)
    assert len(error.attempts) == 1
    assert len(gateway.seen) == 1  # nothing is repeated, no redirect followed


@pytest.mark.parametrize("what", BAD_ANSWERS)
def test_a_read_without_a_verified_answer_moves_no_money(client: Client, gateway: Gateway, what: str) -> None:
    make, reason = BAD_ANSWERS[what]
    gateway.reply = make(gateway)
    with pytest.raises(NoAnswer) as caught:
        QUERY(client)
    assert caught.value.reason == reason
    assert "has moved no money" in str(caught.value)


def test_a_slip_of_the_gateways_key_is_named_and_the_key_not_blamed(client: Client, gateway: Gateway) -> None:
    for signer, headers, words in (
        (gateway.signer, {}, "does not verify: the right key signed it, but over the body with a newline at its end"),
        (gateway.signer, {"Content-Encoding": "br"}, "does not verify: Content-Encoding is br, and the gateway signs"),
        (RsaSigner(key_pair(3).private), {}, "the gateway key is not the right one .bad_signature.*keys may not hold"),
    ):
        gateway.reply = Reply(ORDER_CREATED, signature=signer.sign(body() + b"\n"), headers=headers)
        with pytest.raises(NoAnswer, match=words) as caught:
            QUERY(client)
        for advice in ("gateway_keys may not hold", "changes answers, or the gateway signs in another way"):
            assert (advice in str(caught.value)) is (("keys" in words) is ("keys" in advice))


def test_into_a_verifier_of_the_merchants_own_nothing_looks(gateway: Gateway, merchant: Merchant) -> None:
    class OfToday(RsaVerifier):
        def __init__(self) -> None:
            """Fetch the keys when they are needed."""

        def verify(self, body: bytes, signature: str, /) -> VerifiedBytes:
            return RsaVerifier([gateway.keys.public]).verify(body, signature)

    own = Merchant(app_id="app_1", private_key=merchant.signer, gateway_keys=OfToday())
    gateway.reply = Reply(ORDER_CREATED, signature=gateway.signer.sign(b"other"))
    with Client(base_url=gateway.base_url, merchant=own) as client, pytest.raises(OutcomeUnknown):
        PLACE(client)


def test_what_an_unverified_answer_appears_to_say_is_a_hint_and_nothing_more(client: Client, gateway: Gateway) -> None:
    gateway.reply = Reply({"code": "SIGN_VERIFY_FAILED", "msg": "wrong key 4444333322221111"}, signed=False)
    with pytest.raises(OutcomeUnknown) as caught:
        PLACE(client)
    assert caught.value.code is None
    assert "NOT VERIFIED, the gateway appears to say SIGN_VERIFY_FAILED" in str(caught.value)
    assert "4444333322221111" not in str(caught.value)


def test_a_refused_connection_is_not_sent_and_safe_to_repeat(merchant: Merchant) -> None:
    port = lasting_port()
    with Client(base_url=f"http://127.0.0.1:{port}", merchant=merchant) as client, pytest.raises(NotSent) as caught:
        PLACE(client)
    assert (caught.value.phase, caught.value.key) == ("connecting", "ORD_1")
    assert "Else call again: the same content keeps its key, other content takes a new one." in str(caught.value)
    assert (
        f"no connection could be made: 127.0.0.1:{port}: connection refused [ECONNREFUSED] (connection_failed"
        in str(caught.value)
    )
    assert isinstance(caught.value.__cause__, TransportFailure)


def test_a_connection_is_used_again_only_after_a_verified_answer(client: Client, gateway: Gateway) -> None:
    transport = client._transport
    assert isinstance(transport, HttpTransport)
    kept: list[int] = []
    for signed in (True, True, False, True):
        gateway.reply = Reply(ORDER_CREATED, signed=signed)
        with suppress(OutcomeUnknown):
            PLACE(client)
        kept.append(len(transport._idle) + len(transport._reserved))
    assert kept == [1, 1, 0, 1]


def test_two_merchants_live_side_by_side(gateway: Gateway, merchant: Merchant, gateway_keys: KeyPair) -> None:
    other_gateway = Gateway(key_pair(2))
    other = Merchant(app_id="app_2", private_key=key_pair(3).private_pem, gateway_keys=[other_gateway.keys.public_pem])
    gateway.reply = other_gateway.reply = Reply(ORDER_CREATED)
    try:
        with (
            Client(base_url=gateway.base_url, merchant=merchant) as a,
            Client(base_url=other_gateway.base_url, merchant=other) as b,
        ):
            PLACE(a), PLACE(b), PLACE(a)
        assert [seen.json["appId"] for seen in gateway.seen] == ["app_1", "app_1"]
        assert [seen.json["appId"] for seen in other_gateway.seen] == ["app_2"]
        assert gateway.seen[0].headers["sign"] == merchant.signer.sign(gateway.seen[0].body)
        assert other_gateway.seen[0].headers["sign"] == other.signer.sign(other_gateway.seen[0].body)
    finally:
        other_gateway.close()


class OwnSnapSignature:
    """A way of signing bank-style calls that an agreement of one's own describes."""

    def headers(self, method: str, path: str, body: bytes, timestamp: str) -> dict[str, str]:
        return {"X-SIGNATURE": "own"}


def test_unsigned_bank_style_answers_pass_only_under_their_setting(gateway: Gateway, merchant: Merchant) -> None:
    merchant.snap_signature = OwnSnapSignature()
    found = {
        "responseCode": "2005500", "responseMessage": "ok", "originalPartnerReferenceNo": "O1",
        "originalReferenceNo": "x", "latestTransactionStatus": "00",
    }  # fmt: skip
    gateway.reply = Reply(found, signed=False)
    with Client(base_url=gateway.base_url, merchant=merchant) as client, pytest.raises(NoAnswer):
        STATUS(client)
    with Client(base_url=gateway.base_url, merchant=merchant, unsigned_answers=True) as client:
        assert STATUS(client).latest_transaction_status == "00"
        gateway.reply = Reply(found, signature=gateway.signer.sign(b"other"))
        with pytest.raises(NoAnswer, match="bad_signature"):
            STATUS(client)
        gateway.reply = Reply(ORDER_CREATED, signed=False)
        with pytest.raises(OutcomeUnknown):
            PLACE(client)

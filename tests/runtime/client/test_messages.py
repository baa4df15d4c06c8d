"""Every message of every operation: the methods that it names exist, and nothing that it advises goes against section 4.3."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final

import pytest

from paywright import Client, FixedClock, GatewayError, Merchant, PaywrightError, SnapAsymmetric, TooEarly, contract
from paywright_runtime import error_text
from paywright_runtime.contract.operation import Operation
from paywright_runtime.signing.keys import KeyPair, load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest, TransportFailure
from tests.runtime.helpers.client_calls import OUTBOUND

NOON: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
NAMED: Final = re.compile(r"client\.([a-z_]+)\.([a-z_]+)\(([^)]*)\)")
NO_USE: Final = re.compile("Repeating does not help|If this stays so")
ASKED: Final = re.compile(r"which asks ([a-z_.]+) for")
ALWAYS: Final = (
    "no code at all", "not sent", "lost", "unsigned", "unreadable", "BRAND_NEW", "tls", "404", "407", "502", "302", "bad signature",
)  # fmt: skip
SENTENCES: Final = {
    name: value
    for name, value in vars(error_text).items()
    if name.isupper() and name[0] != "_" and isinstance(value, str)
}


class Ending:
    """A transport whose calls all end in one way: with a code, or with one of `ALWAYS`."""

    def __init__(self, operation: Operation, how: str, sign: Callable[[bytes], str]) -> None:
        self.operation = operation
        self.how = how
        self.sign = sign

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """One exchange; see `exchange.Transport`."""
        if self.how == "not sent":
            raise TransportFailure(Phase.CONNECTING, "connection_failed")
        if self.how == "lost":
            raise TransportFailure(Phase.WAITING, "connection_lost")
        if self.how == "tls":
            raise TransportFailure(Phase.CONNECTING, "tls_failed", "self-signed certificate")
        if self.how.isdecimal() and len(self.how) == 3:
            return RawAnswer(int(self.how), (), b"")
        member, yes = self.operation.succeeds or ("code", "")
        code = yes if self.how == "unreadable" else self.how
        body = b"{}" if self.how == "no code at all" else json.dumps({member: code, "data": None}).encode()
        if self.how == "unsigned":
            return RawAnswer(200, (), body)
        return RawAnswer(200, (("sign", self.sign(b"other" if self.how == "bad signature" else body)),), body)

    def close(self) -> None:
        """Nothing is open."""


def codes_of(operation: Operation) -> Iterator[str]:
    yield from ALWAYS
    yield from sorted(
        operation.refusal_codes | operation.duplicate_codes | operation.not_found_codes | operation.clock_codes
    )


@pytest.fixture
def sign(gateway_keys: KeyPair) -> Callable[[bytes], str]:
    return cache(RsaSigner(load_private_key(gateway_keys.private_pem)).sign)


def client_of(merchant: Merchant, transport: Ending) -> Client:
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    paths = {name: "/biz" for name in OUTBOUND if contract.operation(name).path is None}
    return Client(
        base_url="http://127.0.0.1:1", merchant=merchant, transport=transport, validation="off", retries=0, paths=paths,
        clock=FixedClock(NOON),
    )  # fmt: skip


def test_every_message_advises_what_is_allowed_and_says_of_money_what_is_true(
    merchant: Merchant, sign: Callable[[bytes], str]
) -> None:
    sentences: dict[str, set[bool]] = {}
    for name in OUTBOUND:
        operation, said = contract.operation(name), set[str]()
        for how in codes_of(operation):
            client = client_of(merchant, Ending(operation, how, sign))
            try:
                client.call_by_name(name, {} if operation.key is None else {operation.key: "KEY_1"})
            except PaywrightError as error:
                said.add(type(error).__name__)
                _judged(client, operation, type(error).__name__, str(error))
                for sentence, text in SENTENCES.items():
                    if text in str(error):
                        sentences.setdefault(sentence, set()).add(error.call_may_have_moved_money)
            else:
                assert how == "unreadable", how  # an answer of which no member is required
        assert {
            "NotSent", "GatewayError" if not operation.write or operation.refusal_codes else "OutcomeUnknown",
        } <= said  # fmt: skip
    assert sentences == {"MAY_HAVE_MOVED": {True}, "UNSETTLED": {True}, "MOVED_NONE": {False}, "READS_ONLY": {False}}
    assert SENTENCES.keys() - sentences.keys() == {"NOT_SIGNED"}, "the next test has it"


@pytest.mark.parametrize("signed", [True, False])
def test_a_refusal_is_called_signed_if_it_is(merchant: Merchant, sign: Callable[[bytes], str], signed: bool) -> None:
    body = json.dumps({"responseCode": "4005701"}).encode()
    transport = Ending(contract.operation("snap.cancel"), "", sign)
    transport.send = lambda request, deadline: RawAnswer(200, (("sign", sign(body)),) if signed else (), body)  # type: ignore[method-assign]  # one answer
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    client = Client(base_url="http://127.0.0.1:1", merchant=merchant, transport=transport, unsigned_answers=True)
    with pytest.raises(GatewayError) as caught:
        client.snap.cancel(original_partner_reference_no="KEY_1")
    assert (error_text.NOT_SIGNED in str(caught.value)) != signed
    assert "verified" not in str(caught.value)


def _judged(client: Client, operation: Operation, kind: str, text: str) -> None:
    settles = {
        each.resolver()
        for each in map(contract.operation, OUTBOUND)
        if each.resolution is not None and each.resolution.operation == operation.name
    }
    methods = NAMED.findall(text)
    for resource, method, arguments in methods:
        parameters = inspect.signature(getattr(getattr(client, resource), method)).parameters
        assert {each.partition("=")[0] for each in arguments.split(", ")} - {"..."} <= parameters.keys(), text
    for query in ASKED.findall(text):
        assert operation.resolution is not None
        assert query == operation.resolution.operation
    if operation.write:
        assert bool(methods) == (operation.resolver() is not None), text
        assert operation.resolver() is not None or "The contract has no query for it" in text or "no query" in text
        assert {f"client.{resource}.{method}" for resource, method, _ in methods} <= {
            operation.resolution.resolver if operation.resolution is not None else None
        }
        moved = kind in ("OutcomeUnknown", "AlreadyPlaced", "UnreadableWrite")
        assert ("Money may have moved. Do not call it again, under this key or a new one." in text) == moved, text
        assert (
            "This call has moved no money. If the outcome of an earlier call with this key is unknown" in text
        ) != moved
    else:
        assert "This call only reads and has moved no money." in text
        assert ("Repeat it." in text) == (kind in ("NoAnswer", "NotSent") and not NO_USE.search(text)), text
        assert "Money may have moved" not in text
        assert bool(methods) <= bool(settles)
        absent = kind == "GatewayError" and any(
            f" {code}." in text or f": {code}" in text for code in operation.not_found_codes
        )
        assert ("which says what is allowed and when [4.3]" in text) == (absent and bool(settles)), text
        assert not (absent and "correct what it names" in text.lower()), "4.3 does not say that the key is wrong"
    assert "new key" not in text.replace("under this key or a new one", "")


@pytest.mark.parametrize("name", [name for name in OUTBOUND if contract.operation(name).write])
@pytest.mark.parametrize("asked", [0, 1])
def test_a_time_only_if_it_may_permit(name: str, asked: int, merchant: Merchant, sign: Callable[[bytes], str]) -> None:
    operation = contract.operation(name)
    resolution = operation.resolution
    assert resolution is not None
    query = None if resolution.operation is None else contract.operation(resolution.operation)
    transport = Ending(query or operation, "" if query is None else min(query.not_found_codes), sign)
    client = client_of(merchant, transport)
    content = {shown.asked: "1" for shown in operation.shows}
    resolver = client.resolve_by_name(
        name, key="KEY_1", asks={"serviceCode": "54"} if resolution.asks else None, content=content
    )
    for _ in range(asked):
        resolver.step()
    with pytest.raises(TooEarly) as caught:
        resolver.permission(store=str)
    placed_again = resolution.placed_again_after is not None
    assert caught.value.come_back_at == (NOON + timedelta(seconds=300 * asked) if placed_again else None)
    assert ("Come back at" in str(caught.value)) == placed_again
    assert ("`step` asks" in str(caught.value)) == placed_again
    assert "Nothing was sent: this call has moved no money." in str(caught.value)

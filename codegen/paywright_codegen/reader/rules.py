"""Read rules and guards. A rule is one sentence: `[when condition [and condition]..., ] demand [and demand]...`.

A guard has demands alone: requests that the client refuses to send although the specification allows them. Received messages are not
checked by guards. `a.b` is b inside a, and `a{b c}` is a.b and a.c.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from paywright_codegen.model import rules as model
from paywright_codegen.model.operations import Guard, GuardDemand, GuardKind
from paywright_codegen.problems import Problem, meant
from paywright_codegen.reader.document import CitedParts, TreeEntry, bare_citations, cited, without_questions
from paywright_codegen.reader.grammar import CONDITIONS, DEMANDS, GUARDS, either

_WORD = re.compile(r"[^\s,{}]+\{[^{}]*\}|[^\s,{}]+|,|\{|\}")
_PATH = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z][A-Za-z0-9_-]*)*")
_GROUP = re.compile(r"(?P<head>[^{}]+)\{(?P<tails>[^{}]+)\}")
_JOINTS = frozenset(
    {"and", "or", ",", "when", "need", "refuse", "is", "in", "max", "not", "given", "empty", "differs", "then"}
)
_CONDITIONS, _DEMANDS = either(CONDITIONS), either(DEMANDS)


class _Unreadable(Exception):
    """Raised for a sentence that cannot be read; carries what is wrong and what to do."""

    def __init__(self, what: str, do: str) -> None:
        super().__init__(what)
        self.what = what
        self.do = do


@dataclass(slots=True)
class _Words:
    """The words of a sentence, read from left to right."""

    words: Sequence[str]
    at: int = 0
    questions: list[str] = field(default_factory=list)

    def see(self, further: int = 0) -> str:
        """Return the next word, or the one `further` words after it; "" after the last."""
        at = self.at + further
        return self.words[at] if at < len(self.words) else ""

    def take(self) -> str:
        word = self.see()
        self.at += 1
        return word

    def skip(self, *wanted: str) -> bool:
        """Take these words if they come next, and return whether they did."""
        if tuple(self.words[self.at : self.at + len(wanted)]) != wanted:
            return False
        self.at += len(wanted)
        return True

    def ask(self) -> None:
        """Collect the questions that come next."""
        while self.see().startswith("?"):
            self.questions.append(self.take()[1:])


def parse_rule(entry: TreeEntry, sections: Sequence[str], problems: list[Problem]) -> model.Rule:
    """Return the rule of an entry. An unreadable sentence is a problem, and becomes a rule without demands."""
    key = entry.key
    text = " ".join(entry.text.split())
    words = _Words(_WORD.findall(text))
    when: tuple[model.Condition, ...] = ()
    demands: tuple[model.Demand, ...] = ()
    try:
        if words.see() in ("if", "where") and words.see(1) not in _JOINTS:
            raise _Unreadable(f"`{words.see()}` begins no rule", "write `when`")
        when = _conditions(words)
        demands = _demands(words)
    except _Unreadable as error:
        problems.append(Problem(entry.place, f"rule `{key.name}`: {error.what}", error.do))
    return model.Rule(
        **_cited(entry, sections, words.questions),
        id=key.name,
        text=text,
        when=when,
        demands=demands,
    )


def parse_guard(entry: TreeEntry, sections: Sequence[str], problems: list[Problem]) -> Guard:
    """Return the guard of an entry. An unreadable sentence is a problem, and becomes a guard without demands."""
    key = entry.key
    text, questions = without_questions(" ".join(entry.text.split()))
    demands: list[GuardDemand] = []
    for part in text.split(" and "):
        form = next((form for form in GUARDS if part.endswith(form[1:])), None)
        paths = spread(part.removesuffix(form[1:])) if form is not None else []
        if form is None or not paths:
            do = f"write {either(GUARDS)}, joined by `and`"
            problems.append(Problem(entry.place, f"guard `{key.name}`: `{part}` is no demand", do))
            continue
        kind = cast(GuardKind, form[1:].removesuffix("0").strip())
        demands += [GuardDemand(kind, path) for path in paths]
    return Guard(
        **_cited(entry, sections, questions),
        id=key.name,
        text=text,
        demands=tuple(demands),
    )


def _cited(entry: TreeEntry, sections: Sequence[str], asked: Sequence[str]) -> CitedParts:
    own = (*(entry.key.sections or sections), *bare_citations(entry))
    return cited(entry, asked, tuple(dict.fromkeys(own)))


def _conditions(words: _Words) -> tuple[model.Condition, ...]:
    if not words.skip("when"):
        return ()
    found: list[model.Condition] = []
    while True:
        found += _condition(words)
        words.ask()
        if words.skip(","):
            return tuple(found)
        if words.see() == "or":
            raise _Unreadable("`or` after a condition", "write `f in V W`, or one rule for each condition")
        if not words.skip("and"):
            raise _Unreadable(
                _stands(words, "after a condition"), "write `and` with a condition, or a comma and the demand"
            )


def _condition(words: _Words) -> list[model.Condition]:
    if words.see().startswith("?") and len(words.see()) > 1:
        return [model.Unknowable(words.take()[1:])]
    paths = _paths(words, _CONDITIONS)
    if words.skip("is", "given") or words.skip("is", "not", "empty"):
        return [model.IsGiven(path) for path in paths]
    if words.skip("is", "empty"):
        return [model.IsGiven(path, negated=True) for path in paths]
    values = _values(words)
    if not values:
        raise _Unreadable(_stands(words, f"after `{_said(paths[0])}`"), f"a condition is {_CONDITIONS}")
    return [model.OneOf(path, values) for path in paths]


def _demands(words: _Words) -> tuple[model.Demand, ...]:
    found: list[model.Demand] = []
    verb = ""
    while True:
        if words.see() in ("need", "refuse"):
            verb = words.take()
            found += _verb(verb, words)
        elif verb and not _facet_follows(words):
            found += _verb(verb, words)  # `need a and b`
        else:
            verb = ""
            found += _facet(words)
        words.ask()
        if words.skip("and"):
            continue
        if words.see():
            raise _Unreadable(_stands(words, "after a demand"), f"join demands with `and`; a demand is {_DEMANDS}")
        return tuple(found)


def _facet_follows(words: _Words) -> bool:
    return words.at + 1 < len(words.words) and words.words[words.at + 1] in ("is", "in", "max", "differs")


def _verb(verb: str, words: _Words) -> list[model.Demand]:
    paths = _paths(words, _DEMANDS)
    if words.see() != "or":
        return [model.Need((path,)) if verb == "need" else model.Refuse(path) for path in paths]
    if verb == "refuse":
        raise _Unreadable("`refuse f or g` says nothing that could be checked", "write `refuse f and refuse g`")
    count = 1
    while words.skip("or"):
        words.skip("need")
        more = _paths(words, _DEMANDS)
        if len(paths) > count or len(more) > 1:
            raise _Unreadable("braces and `or` in one demand", "write the paths out, or two rules")
        paths += more
        count += 1
    if len(set(paths)) < len(paths):
        raise _Unreadable("`or` names a field twice", "name each once")
    return [model.Need(tuple(paths))]


def _facet(words: _Words) -> list[model.Demand]:
    paths = _paths(words, _DEMANDS)
    if words.skip("is", "empty"):
        return [model.Blank(path) for path in paths]
    if words.skip("is", "given") or words.skip("is", "not", "empty"):
        raise _Unreadable("a demand that a field is given", f"write `need {_said(paths[0])}`")
    if len(paths) > 1:
        raise _Unreadable("braces before a value", "write one demand for each field")
    if words.skip("differs", "from"):
        return [model.Differs(paths[0], _one_path(words))]
    if words.see() == "is" and words.see(2) == "then":
        words.take()
        first = _one_path(words)
        words.take()
        return [model.Joined(paths[0], (first, _one_path(words)))]
    most = _most(words) if words.skip("max") else None
    listed = words.see() == "in"
    if most is not None:
        return [model.Restrict(paths[0], most)]
    values = _values(words)
    if not values:
        verb = meant(_said(paths[0]), ("need", "refuse", "when"))
        raise _Unreadable(_stands(words, f"after `{_said(paths[0])}`"), f"{verb}write a demand: {_DEMANDS}")
    if words.see() != "or":
        return [model.Restrict(paths[0], values=values)] if listed else [model.AnyIs((model.OneOf(paths[0], values),))]
    choices = [model.OneOf(paths[0], values)]
    while words.skip("or"):
        path, *others = _paths(words, _DEMANDS)
        values = () if others else _values(words)
        if not values:
            raise _Unreadable(_stands(words, "after `or`"), "write `f is V or g is W`")
        choices.append(model.OneOf(path, values))
    return [model.AnyIs(tuple(choices))]


def _one_path(words: _Words) -> model.Path:
    path, *others = _paths(words, _DEMANDS)
    if others:
        raise _Unreadable("braces where one field should stand", "write one demand for each field")
    return path


def _most(words: _Words) -> int:
    word = words.take()
    if not (word.isascii() and word.isdecimal() and len(word) <= 9):
        raise _Unreadable(f"`max {word}` is no count", "write a whole number such as 43")
    return int(word)


def _values(words: _Words) -> tuple[str, ...]:
    """Return the values of `is V` or `in V W`; none if neither comes next."""
    if words.skip("is"):
        return () if _joint(words.see()) else (words.take(),)
    values: list[str] = []
    if words.skip("in"):
        while not _joint(words.see()):
            values.append(words.take())
    if len(set(values)) < len(values):
        raise _Unreadable("`in` names a value twice", "name each once")
    return tuple(values)


def _joint(word: str) -> bool:
    return not word or word in _JOINTS or word.startswith("?") or "{" in word or "}" in word


def _paths(words: _Words, forms: str) -> list[model.Path]:
    """Return the paths that come next; `a{b c}` is two."""
    word = words.see()
    paths = spread(word)
    if word in _JOINTS or not paths:
        raise _Unreadable(_stands(words, "where a field should stand"), f"write {forms}")
    words.take()
    return paths


def spread(word: str) -> list[model.Path]:
    """Return the paths of a word: `a{b c}` is a.b and a.c. The list is empty if it names no members."""
    group = _GROUP.fullmatch(word)
    paths = [f"{group['head']}.{tail}" for tail in group["tails"].split()] if group else [word]
    return [tuple(path.split(".")) for path in paths] if all(map(_PATH.fullmatch, paths)) else []


def _stands(words: _Words, where: str) -> str:
    return f"`{words.see()}` {where}" if words.see() else f"the sentence ends {where}"


def _said(path: model.Path) -> str:
    return ".".join(path)

"""Read rules and guards by their forms. A rule is one sentence: `[when condition [and condition]..., ] demand [and demand]...`.

A guard has demands alone: requests that the client refuses to send although the specification allows them. Received messages are not
checked by guards. `a.b` is b inside a, and `a{b c}` is a.b and a.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from typing import Any, Final, TypeVar

from paywright_codegen.model import rules as model
from paywright_codegen.model.operations import Guard, GuardDemand
from paywright_codegen.problems import Problem, meant
from paywright_codegen.reader.document import CitedParts, TreeEntry, bare_citations, cited, without_questions

_WORD = re.compile(r"[^\s,{}]+\{[^{}]*\}|[^\s,{}]+|,|\{|\}")
_PATH = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z][A-Za-z0-9_-]*)*")
_GROUP = re.compile(r"(?P<head>[^{}]+)\{(?P<tails>[^{}]+)\}")
_COUNT = re.compile("[0-9]{1,9}")
_JOINTS = frozenset(
    {"and", "or", ",", "when", "need", "refuse", "is", "in", "max", "not", "given", "empty", "differs", "then"}
)

T = TypeVar("T")

_Paths = list[model.Path]
_Group = Sequence[Any]
"""Paths, values or a count, which stand for the signs of a form."""
_Make = Callable[[Sequence[_Group]], list[Any]]


class _Unreadable(Exception):
    """Raised for a sentence that cannot be read, at a word; carries what is wrong and what to do."""

    def __init__(self, what: str, do: str, at: int = 1 << 30) -> None:
        super().__init__(what)
        self.what, self.do, self.at = what, do, at


def _each(make: Callable[..., object]) -> _Make:
    """Return what makes a part of each path."""
    return lambda groups: [make(path, *groups[0][1:]) for path in groups[0][0]]


def _one(make: Callable[..., object]) -> _Make:
    """Return what makes a part of single paths."""
    return lambda groups: [make(_single(groups[0][0], "before a value"), *groups[0][1:])]


def _single(paths: _Paths, where: str) -> model.Path:
    if len(paths) > 1:
        raise _Unreadable(f"braces {where}", "write one demand for each field")
    return paths[0]


def _need(groups: Sequence[_Group]) -> list[model.Need]:
    if len(groups) == 1:
        return [model.Need((path,)) for path in groups[0][0]]
    if any(len(paths) > 1 for paths, *_ in groups):
        raise _Unreadable("braces and `or` in one demand", "write the paths out, or two rules")
    paths = _distinct([paths[0] for paths, *_ in groups], "`or` names a field twice")
    return [model.Need(tuple(paths))]


def _any_is(groups: Sequence[_Group]) -> list[model.AnyIs]:
    choices = [model.OneOf(_single(paths, "before a value"), values) for paths, values in groups]
    return [model.AnyIs(tuple(choices))]


def _given(groups: Sequence[_Group]) -> list[model.Demand]:
    raise _Unreadable("a demand that a field is given", f"write `need {'.'.join(groups[0][0][0])}`")


def _differs(path: model.Path, other: _Paths) -> model.Differs:
    return model.Differs(path, _single(other, "where one field should stand"))


def _joined(path: model.Path, *parts: _Paths) -> model.Joined:
    first, second = (_single(part, "where one field should stand") for part in parts)
    return model.Joined(path, (first, second))


# What each form makes: `f`, `g` and `h` stand for members, `V` for a value, `V W` for some, `43` for a count. What begins with `or` may
# stand several times.
CONDITIONS: Final[Mapping[str, _Make]] = {
    "f is given": _each(model.IsGiven),
    "f is empty": _each(lambda path: model.IsGiven(path, negated=True)),
    "f is not empty": _each(model.IsGiven),
    "f is V": _each(model.OneOf),
    "f in V W": _each(model.OneOf),
    "?question": lambda groups: [model.Unknowable(groups[0][0])],
}
DEMANDS: Final[Mapping[str, _Make]] = {
    "need f or g": _need,
    "refuse f": _each(model.Refuse),
    "f is empty": _each(model.Blank),
    "f max 43": _one(model.Restrict),
    "f in V W": _one(lambda path, values: model.Restrict(path, values=values)),
    "f is V or g is W": _any_is,
    "f differs from g": _one(_differs),
    "f is g then h": _one(_joined),
}
GUARDS: Final[Mapping[str, _Make]] = {
    "f above 0": _each(lambda path: GuardDemand("above", path)),
    "f not below 0": _each(lambda path: GuardDemand("not below", path)),
}
# Forms that a demand also has, or that it has not, with words.
_ALSO: Final[Mapping[str, _Make]] = {"f in V W or g is W": _any_is, "f is given": _given, "f is not empty": _given}
_VERBS: Final[Mapping[str, Mapping[str, _Make]]] = {"need": {"f or g": _need}, "refuse": {"f": _each(model.Refuse)}}


@dataclass(slots=True)
class _Words:
    words: Sequence[str]
    joints: Set[str] = _JOINTS  # words that are no members
    at: int = 0
    questions: list[str] = field(default_factory=list)

    def see(self, at: int | None = None) -> str:
        """Return the next word, or the one at a place; "" after the last."""
        at = self.at if at is None else at
        return self.words[at] if at < len(self.words) else ""

    def skip(self, wanted: str) -> bool:
        """Take this word if it comes next, and return whether it did. Questions before it are collected."""
        while self.see().startswith("?"):
            self.questions.append(self.see()[1:])
            self.at += 1
        found = self.see() == wanted
        self.at += found
        return found

    def stands(self, where: str, at: int | None = None) -> str:
        return f"`{self.see(at)}` {where}" if self.see(at) else f"the sentence ends {where}"

    def read(self, forms: Mapping[str, _Make], do: str, more: Mapping[str, _Make] | None = None) -> list[Any]:
        """Return what the longest form makes of the words that come next. Raises `_Unreadable` at the word that fits none."""
        end, made, furthest = self.at, list[Any](), _Unreadable("", "", -1)
        for form, make in {**forms, **(more or {})}.items():
            try:
                at, groups = self._fit(form)
                end, made = (at, make(groups)) if at > end else (end, made)
            except _Unreadable as error:
                furthest = max(furthest, error, key=lambda one: one.at)
        if furthest.at > end or not made:
            near = meant(self.see(furthest.at - 1), _VERBS) if furthest.at == self.at + 1 and more else ""
            raise _Unreadable(furthest.what, furthest.do or f"{near}{do}{either(forms)}")
        self.at = end
        return made

    def _fit(self, form: str) -> tuple[int, list[_Group]]:
        """Return where a form ends, and what stands for its signs, once more for each `or`."""
        first, _, other = form.partition(" or ")
        at, found = self._signs(first.split(), self.at)
        groups: list[_Group] = [found]
        while other and self.see(at) == "or":
            at += 2 if other == "g" and self.see(at + 1) == "need" else 1
            listed = "in" if self.see(at + 1) == "in" else "is"
            at, found = self._signs([other[0], listed, "V"] if other[1:] else [other], at)
            groups.append(found)
        return at, groups

    def _signs(self, signs: Sequence[str], at: int) -> tuple[int, list[Any]]:
        found: list[Any] = []
        for before, sign in pairwise(("", *signs)):
            word, taken = self.see(at), 1
            if sign in ("f", "g", "h"):
                found.append(spread(word) if word not in self.joints else [])
                if not found[-1]:
                    raise _Unreadable(self.stands("where a field should stand", at), "", at)
            elif sign == "43":
                if _COUNT.fullmatch(word) is None:
                    raise _Unreadable(f"`max {word}` is no count", "write a whole number such as 43", at)
                found.append(int(word))
            elif sign == "V":
                values = [*takewhile(_is_value, self.words[at : at + 1] if before == "is" else self.words[at:])]
                found.append(tuple(_distinct(values, "`in` names a value twice")))
                taken = len(values)
            elif sign == "?question":
                found.append(word[1:])
                taken = word[:1] == "?" and word != "?"
            elif sign != "W":  # a value more, which `V` took
                taken = word == sign
            at += taken if sign != "W" else 0
            if not taken:
                where = "where a field should stand" if at == self.at else f"after `{self.see(at - 1)}`"
                raise _Unreadable(self.stands(where, at), "", at)
        return at, found


def _is_value(word: str) -> bool:
    return word not in _JOINTS and not word.startswith("?") and "{" not in word and "}" not in word


def _distinct(found: list[T], twice: str) -> list[T]:
    if len(set(found)) < len(found):
        raise _Unreadable(twice, "name each once")
    return found


def either(forms: Iterable[str]) -> str:
    """Return forms as a sentence has them: `` `a`, `b` or `c` ``."""
    *most, last = (f"`{form}`" for form in forms)
    return f"{', '.join(most)} or {last}"


def spread(word: str) -> _Paths:
    """Return the paths of a word: `a{b c}` is a.b and a.c. The list is empty if it names no members."""
    group = _GROUP.fullmatch(word)
    paths = [f"{group['head']}.{tail}" for tail in group["tails"].split()] if group else [word]
    return [tuple(path.split(".")) for path in paths] if all(map(_PATH.fullmatch, paths)) else []


def made_by(form: str, forms: Mapping[str, _Make]) -> object:
    """Return what a form makes of itself: an example of its kind."""
    return _Words(form.partition(" or ")[0].split()).read(forms, "")[0]


def parse_rule(entry: TreeEntry, sections: Sequence[str], problems: list[Problem]) -> model.Rule:
    """Return the rule of an entry. An unreadable sentence is a problem, and becomes a rule without demands."""
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
        problems.append(Problem(entry.place, f"rule `{entry.key.name}`: {error.what}", error.do))
    parts = _cited(entry, sections, words.questions)
    return model.Rule(**parts, id=entry.key.name, text=text, when=when, demands=demands)


def parse_guard(entry: TreeEntry, sections: Sequence[str], problems: list[Problem]) -> Guard:
    """Return the guard of an entry. An unreadable sentence is a problem, and becomes a guard without demands."""
    text, questions = without_questions(" ".join(entry.text.split()))
    words, demands = _Words(_WORD.findall(text), frozenset()), list[GuardDemand]()
    try:
        while not demands or words.skip("and"):
            demands += words.read(GUARDS, "a demand is ")
        if words.see():
            raise _Unreadable(words.stands("after a demand"), f"write {either(GUARDS)}, joined by `and`")
    except _Unreadable as error:
        problems.append(Problem(entry.place, f"guard `{entry.key.name}`: {error.what}", error.do))
    parts = _cited(entry, sections, questions)
    return Guard(**parts, id=entry.key.name, text=text, demands=tuple(demands))


def _cited(entry: TreeEntry, sections: Sequence[str], asked: Sequence[str]) -> CitedParts:
    own = (*(entry.key.sections or sections), *bare_citations(entry))
    return cited(entry, asked, tuple(dict.fromkeys(own)))


def _conditions(words: _Words) -> tuple[model.Condition, ...]:
    found: list[model.Condition] = []
    if words.see() != "when" or not words.skip("when"):
        return ()
    while True:
        found += words.read(CONDITIONS, "a condition is ")
        if words.skip(","):
            return tuple(found)
        if words.see() == "or":
            raise _Unreadable("`or` after a condition", "write `f in V W`, or one rule for each condition")
        if not words.skip("and"):
            do = "write `and` with a condition, or a comma and the demand"
            raise _Unreadable(words.stands("after a condition"), do)


def _demands(words: _Words) -> tuple[model.Demand, ...]:
    found: list[model.Demand] = []
    verb = ""
    while True:
        verb = words.see() if words.see() in _VERBS else verb  # `need a and b`
        found += words.read(DEMANDS, "write a demand: ", {**_ALSO, **_VERBS.get(verb, {})})
        verb = verb if isinstance(found[-1], model.Need | model.Refuse) else ""
        if words.skip("and"):
            continue
        if words.see() == "or" and verb == "refuse":
            raise _Unreadable("`refuse f or g` says nothing that could be checked", "write `refuse f and refuse g`")
        if words.see():
            do = f"join demands with `and`; a demand is {either(DEMANDS)}"
            raise _Unreadable(words.stands("after a demand"), do)
        return tuple(found)

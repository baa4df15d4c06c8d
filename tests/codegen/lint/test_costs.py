"""A contract costs what its length says: patterns of any text, and files of any number of types."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from pathlib import Path

import pytest

from paywright_codegen.documents.json_schema import portable
from paywright_codegen.lint.linter import check, lint
from paywright_codegen.patterns import cost_of
from tests.codegen.helpers.contract_texts import SHOP, contract_of, folder_of
from tests.support.contract import contract

_LINEAR = [
    "", "[A-Z]{3}", "[A-Z0-9]+", "-?[0-9]+([.][0-9]+)?", "[0-9]{4}-[0-9]{2}-[0-9]{2}", "a|bc|", "(a|b)*c", "(ab|cd)+", "(?:[0-9]{3},)*x", "a*ba*c",
    "[ab]*c[ab]*", "[a-z]+@[a-z]+", "[a-z]+?x", "a{0,3}b{2}?", "(a+)?", "(a{1,9}){3}", "(?:[0-9]{1,3}[.]){3}[0-9]{1,3}", "[^A]*", "(\\(|\\))*",
    "[\\]]*]", "[]a]+b", "\\\\+a", "\\u00e9*", ".*", "[Aa]pplication/[Jj]son([ \\t]*;.*)?",
]  # fmt: skip
_POWER = [
    "a*a*b", "a+a+", "a*aa*", "a*b?a*", "a*(b|ca*)d*a*", ".*.*x", ".*a.*b", "[a-z.]+@[a-z.]+[.][a-z]+", "\\u0061*a*", "a*?a*", "(a+){3}", "a{0,99}a{0,99}",
    "[0-9]*[0-9]{2,}", "[^b]*a*", "(a*|b)a*",
]  # fmt: skip
_DOUBLING = [
    "(a+)+b", "(((a*)*)*)*b", "(?:a+)+", "(a*)*", "(a+)*b", "(a?){20}", "(a{1,9}){9}", "(a|a)*b", "(a|ab)*c", "([a-z]+,)*", "(a|[a-c])+", "(a|b|ab)+", "(.|a)+",
    "((a|b)+c)+", "(a+|b)*", "(a+b?)+", "((?:a{2,})+)", "(a+?)+", "(a|aa){30}",
]  # fmt: skip
_UNKNOWN = ["(?=(a+)+b)a", "(a)\\1", "(", "[", "a{3,2}"]


@pytest.mark.parametrize(
    ("pattern", "cost"),
    [
        (one, cost)
        for cost, some in (("linear", _LINEAR), ("power", _POWER), ("doubling", _DOUBLING), ("unknown", _UNKNOWN))
        for one in some
    ],
)
def test_the_cost_of_a_pattern_is_known_by_its_form(pattern: str, cost: str) -> None:
    assert cost_of(pattern) == cost


def test_a_long_address_that_is_none_is_refused_and_holds_nobody_up(tmp_path: Path) -> None:
    text = SHOP.replace("post: /buy\n", f"post: /{'a' * 2000}{chr(233)}\n")  # each letter doubled the time once
    (found,) = check(folder_of(tmp_path, text))
    assert "a path is made of letters, digits and" in found.what


def test_every_pattern_of_ours_is_linear() -> None:
    assert {cost_of(form.pattern) for form in contract().formats.values() if form.pattern is not None} == {"linear"}


def with_pattern(pattern: str, line: str) -> str:
    form = f"formats:\n\n  odd [1]:  # Odd.\n    pattern: '{pattern}'\n    shown: odd\n"
    return SHOP.replace("formats:\n", form, 1).replace(
        "      note: string max 20\n", f"      note: string max 20\n      {line}\n", 1
    )


_HOSTILE = "a" * 5000  # no match with it would end


@pytest.mark.parametrize("pattern", _DOUBLING)
def test_lint_refuses_a_pattern_whose_time_doubles_and_matches_nothing_with_it(tmp_path: Path, pattern: str) -> None:
    (said,) = check(folder_of(tmp_path, with_pattern(pattern, f"x: odd max 9999 eg {_HOSTILE}")))
    assert "format `odd`: the pattern repeats a group that has a repetition in it, or alternatives" in said.what
    assert said.place.line == 4


@pytest.mark.parametrize("pattern", _POWER)
def test_lint_asks_for_a_bound_of_a_slow_pattern(tmp_path: Path, pattern: str) -> None:
    words = "`x`: the pattern of `odd` has repetitions of the same characters in a row, and takes long with a long text"
    for line, do in (
        (f"x: odd eg {_HOSTILE}", "write `max`, or the pattern with one of them"),
        ("x: odd[] max 3", "write the pattern with one of them"),
    ):
        found = [one for one in check(folder_of(tmp_path, with_pattern(pattern, line))) if words in one.what]
        assert [one.do for one in found] == [do]
    bounded = check(folder_of(tmp_path, with_pattern(pattern, "x: odd max 64")))
    assert [one for one in bounded if "takes long" in one.what] == []


def test_a_pattern_is_exported_in_one_pass() -> None:
    for text in ("[" * 100_000, "[" * 100_000 + "\\", "[^" * 50_000, "[a" * 50_000 + "]", "\\[" * 50_000):
        portable(text)


# Files


def _chain(number: int, base: str = "") -> str:
    first = f"  Type0 [1]: # A.\n    a: string\n{base}"
    return first + "".join(f"  Type{n} from Type{n - 1} [1]: # A.\n    a{n}: string\n" for n in range(1, number))


def _wide(number: int) -> str:
    base = "".join(f"    b{n}: string\n" for n in range(number))
    return f"  Base [1]: # A.\n{base}" + "".join(
        f"  Type{n} from Base [1]: # A.\n    a: string\n" for n in range(number)
    )


_MANY: dict[str, Callable[[int], str]] = {
    "types": lambda number: "".join(f"  Type{n} [1]: # A.\n    a{n}: string\n" for n in range(number)),
    "types in one another": lambda number: "".join(f"  Type{n} [1]: # A.\n    a: Type{n + 1}\n" for n in range(number)),
    "a circle of types": lambda number: "".join(f"  Type{n} [1]: # A.\n    a: Type{(n + 1) % number}\n" for n in range(number)),
    "types from what is not there": lambda number: "".join(f"  Type{n} from No{n} [1]: # A.\n    a: Not{n}\n" for n in range(number)),
    "fields": lambda number: "  Many [1]: # A.\n" + "".join(f"    a{n}: string\n" for n in range(number)),
}  # fmt: skip


def calls(folder: Path, more: str) -> int:
    """How many functions the linter calls for the shop's contract with more types: the same number every time."""
    text = SHOP.replace("types:\n", "types:\n\n" + more, 1)
    made = folder_of(folder, text)
    profile = cProfile.Profile()
    profile.runcall(check, made)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]  # its stubs do not have it


@pytest.mark.slow
@pytest.mark.parametrize("make", _MANY.values(), ids=_MANY)
def test_twice_the_types_cost_twice_as_much(tmp_path: Path, make: Callable[[int], str]) -> None:
    none = calls(tmp_path, "")
    one, two = (calls(tmp_path, make(number)) - none for number in (700, 1400))
    assert two < 2.3 * one


@pytest.mark.parametrize("text", [_chain(3000), _wide(2000)], ids=["3,000 types from one another", "2,000 of 2,000 fields"])  # fmt: skip
def test_types_with_too_many_fields_from_others_are_refused(tmp_path: Path, text: str) -> None:
    (said,) = check(folder_of(tmp_path, SHOP.replace("types:\n", "types:\n\n" + text, 1)))
    assert "have more than 100000 fields from others" in said.what


@pytest.mark.slow
def test_types_too_deep_in_one_another_are_refused(tmp_path: Path) -> None:
    deep = _MANY["types in one another"](3000) + "  Type3000 [1]: # A.\n    a: string\n"
    text = SHOP.replace("types:\n", "types:\n\n" + deep, 1).replace(
        "      note: string max 20\n", "      note: string max 20\n      x: Type0\n", 1
    )
    assert [one.what for one in check(folder_of(tmp_path, text))] == ["types are nested too deep in one another"]
    assert [one.what for one in lint(contract_of(tmp_path, text))] == ["types are nested too deep in one another"]

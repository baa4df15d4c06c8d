"""What the linter finds: for each finding a contract that has it, and the message with file and line; and what it refuses to read."""

from __future__ import annotations

from pathlib import Path

import pytest

from paywright_codegen.lint.linter import check, lint
from paywright_codegen.problems import ContractProblems, Problem, meant
from paywright_codegen.reader.loader import load
from tests.codegen.helpers.contract_texts import SHOP, SPEC, changed, contract_of, decides, folder_of, line_of
from tests.codegen.helpers.refusals import MEANINGLESS, MISTYPED, UNSAID, field, guard

Edit = tuple[str, str]
NOTE = "      note: string max 20"
PERSON = "    name!: string max 64 pii"
TYPES = "types:\n"


def query_called(name: str) -> list[Edit]:
    """The query `goods.query` by another name."""
    edits = (("  {} [1.2]:", "goods.query"), ("query: {} by", "goods.query"))
    return [(text.format(old), text.format(name)) for text, old in edits]


def notification_called(name: str) -> list[Edit]:
    return [("  goods.sent [3]:", f"  {name} [3]:")]


def number_called(name: str) -> list[Edit]:
    return [("  merchant_no: id", f"  {name}: id")]


def type_called(name: str) -> list[Edit]:
    return [(TYPES, f"{TYPES}\n  {name} [1]:  # One more.\n    x: Person\n")]


LONG = "a" * 100  # the longest name that there may be


@pytest.mark.parametrize(
    ("sentence", "demands"),
    [
        ("amount above 0", [("above", ("amount",))]),
        ("amount not below 0", [("not below", ("amount",))]),
        ("buyer.x above 0 and amount above 0", [("above", ("buyer", "x")), ("above", ("amount",))]),
        ("buyer{x y} not below 0 ?colours", [("not below", ("buyer", "x")), ("not below", ("buyer", "y"))]),
    ],
)
def test_an_amount_guard_is_clean(tmp_path: Path, sentence: str, demands: list[tuple[str, tuple[str, ...]]]) -> None:
    contract = contract_of(tmp_path, changed(field("x: number\n    y: number"), guard(f"g: {sentence}")))
    assert [str(problem) for problem in lint(contract)] == []
    (read,) = contract.operations["goods.buy"].guards
    assert [(demand.kind, demand.path) for demand in read.demands] == demands


def test_a_guard_that_is_no_sentence_is_refused_with_the_forms_there_are(tmp_path: Path) -> None:
    with pytest.raises(
        ContractProblems, match="guard `x`: `is` after `kind`; a demand is `f above 0` or `f not below 0`"
    ):
        contract_of(tmp_path, changed(guard("x: amount above 0 and kind is above")))


PATTERNS = {
    "[A-Z]+$": "`$` in a pattern that is for the whole text",
    "^[A-Z]+": "`^` in a pattern that is for the whole text",
    r"\\d+": r"`\d` matches more than ASCII; write [0-9]",
    r"[\\d]+": r"`\d` matches more than ASCII", r"\\w+": r"`\w` matches more than ASCII",
    r"\\s": r"`\s` matches more than ASCII", r"\\S": r"`\S` matches more than ASCII",
    r"\\Aa": r"`\A` in a pattern that is for the whole text",
    r"a\\Z": r"`\Z` in a pattern that is for the whole text",
    r"a\\b": r"`\b` in a pattern that is for the whole text",
    "(?i)a": "the pattern has a group that is more than a group",
    "(?=a)a": "the pattern has a group that is more than a group",
    "ä+": "the pattern is not ASCII", "(a": "the pattern does not compile", "a{3,2}": "the pattern does not compile",
    "[a[]]$": "`$` in a pattern that is for the whole text",
    "[]a]$": "`$` in a pattern that is for the whole text",
}  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_lint_finds_a_pattern_that_means_more_than_it_seems_to(tmp_path: Path, pattern: str) -> None:
    text = changed(('"[A-Z0-9]+"', f'"{pattern}"'))
    found = [str(problem) for problem in lint(contract_of(tmp_path, text))]
    place = f"spec/shop.yaml:{line_of(text, '    pattern: ')}"
    assert any(one.startswith(f"{place}: format `code`: {PATTERNS[pattern]}") for one in found), found


@pytest.mark.parametrize("pattern", ["(a", "a{3,2}"])
def test_a_pattern_that_does_not_compile_is_told_once_and_not_with_every_example(tmp_path: Path, pattern: str) -> None:
    (found,) = lint(contract_of(tmp_path, changed(('"[A-Z0-9]+"', f'"{pattern}"'))))
    assert "the pattern does not compile" in str(found)


@pytest.mark.parametrize("pattern", ["[^a-z$^]+", r"(?:[A-Z0-9]|\\$|\\^)+", r"[\\x41-\\x5a0-9\\]]+", "[A-Z0-9]{1,8}"])
def test_lint_lets_a_plain_pattern_pass(tmp_path: Path, pattern: str) -> None:
    assert lint(contract_of(tmp_path, changed(('"[A-Z0-9]+"', f'"{pattern}"')))) == ()


LAWFUL: dict[str, list[Edit]] = {
    **{
        f"a notification named {name}": notification_called(name)
        for name in ("close.date", "goods.resolved", "goods.strip_frames")
    },
    "a verb named follow where nothing is followed": query_called("goods.follow"),
    "a number named like no handler": number_called("on_buy"),
    "a member named with an underscore behind it": [("    R RED: red", "    R RED: red\n    A_: red")],
    "a number named with a hundred letters": number_called(LONG),
    "a field that is a keyword, which gets an underscore": [field("from: string")],
    "a field of an answer with a second spelling that only differs in case": [
        ("    colour: Colour\n\n", "    colour: Colour\n    priceId: string also priceID\n\n")
    ],
    "an array with a maximum": [field("x: number[] max 3")],
    "a time without a format in a question of the gateway": [
        (
            "    notification: Parcel\n    answer: Received",
            decides("MAYBE") + "    request: Parcel\n    response: Received",
        ),
        ("    once per: number\n", ""),
        ("    when: kind is SENT\n", ""),
        ("    code!: string sends OK\n\nrules", "    code!: string max 8 eg OK\n    why: string\n\nrules"),
    ],
    "elements with values": [field("x: string[] in LONG LONGER max 2")],
    "a blank code": [field("x: code blank eg A1")],
    "a blank member": [field("x: ItemStatus blank max 4")],
    "a condition on an open list": [("when status is SENT, need colour", "when colour is GREEN, status is SENT")],
    "a key longer than what its query can ask for": [("      key!: code max 8\n", "      key!: code max 7\n")],
    "two calls told apart by a fixed value": [
        ("post: /query", "post: /buy"),
        ("      note: string max 20", "      note: string max 20\n      what!: string is buy"),
        ("      key!: code max 8\n    response", "      key!: code max 8\n      what!: string is query\n    response"),
    ],
    "a rule that max and values share": [("need note", "note max 19 and kind in OLD")],
    "a settled state with a move out of it": [
        ("SENT final paid: sent", "SENT settled paid: sent"),
        ("none -> OPEN: goods.buy answered OK", "SENT -> OPEN: goods come back"),
    ],
    "a write that acts on what a query shows, whose state may be absent": [
        ("    status!: ItemStatus", "    status: ItemStatus"),
        (
            "  # Ask what became of goods.\n",
            "  # Drop goods.\n  goods.drop [1.1]:\n    post: /drop\n    version: 1.0\n    envelope: sealed\n    key: key\n"
            "    acts on: goods.query\n    resolved by:\n      query: goods.query by key\n      done when: status in SENT\n"
            "    request:\n      key!: code max 8 eg K1\n    response: Item\n\n  # Ask what became of goods.\n",
        ),
    ],
    "a move from any state": [("none -> OPEN", "any -> OPEN SENT")],
    "a condition that no field tells": [("when kind is OLD", "when ?colours")],
}


@pytest.mark.parametrize("name", LAWFUL)
def test_lint_lets_pass(tmp_path: Path, name: str) -> None:
    assert lint(contract_of(tmp_path, changed(*LAWFUL[name]))) == ()


def test_the_small_contract_is_clean(tmp_path: Path) -> None:
    assert check(folder_of(tmp_path, SHOP)) == ()


def test_the_contract_of_the_gateway_is_clean() -> None:
    assert lint(load(SPEC)) == ()


def test_a_name_has_at_most_a_hundred_letters_whatever_it_names(tmp_path: Path) -> None:
    long, wide = LONG + "a", f"{LONG.title()}a"
    text = changed(
        *type_called(wide), *number_called(long), *notification_called(f"goods.{long[6:]}"),
        ("formats:\n", f'formats:\n\n  {long} [1]:  # Digits.\n    pattern: "[0-9]+"\n    shown: digits\n'),
        ("signatures:\n", f'signatures:\n\n  {long} [1]:  # It.\n    covers: "{{body}}"\n    written: "{{base64 of RSA-SHA256}}"\n'),
        ("enums:\n", f"enums:\n\n  E{long[1:]} [2]:  # Colours.\n    R: red\n    ...: ?colours\n"),
    )  # fmt: skip
    found = [str(one) for one in lint(contract_of(tmp_path, text)) if "more than 100" in str(one)]
    assert sorted(int(one.split(":")[1]) for one in found) == sorted(
        number for number, line in enumerate(text.split("\n"), 1) if LONG[6:] in line
    )


@pytest.mark.parametrize("stem", ["my-shop", "größe", "import", "_shop", "sets"])
def test_a_file_name_must_be_a_module(tmp_path: Path, stem: str) -> None:
    folder = folder_of(tmp_path, SHOP)
    (folder / "shop.yaml").rename(folder / f"{stem}.yaml")
    assert [str(one) for one in check(folder)] == [
        f"spec/{stem}.yaml:1: `{stem}` is not a name for a module; rename the file, such as orders.yaml"
    ]


def test_a_type_of_another_file_may_not_have_the_validator_of_a_request(tmp_path: Path) -> None:
    more = "types:\n\n  {} [2]:  # Something.\n    x!: string\n"
    contract = load(folder_of(tmp_path, SHOP, more=more.format("GoodsBuyRequestData")))
    (found,) = (problem for problem in lint(contract) if "validators" in str(problem))
    assert "GoodsBuyRequestData" in str(found)
    assert "among the validators of spec/shop.yaml" in str(found)
    pair = (more.format("HTTPCode"), more.format("HttpCode"))
    (found,) = (
        problem
        for problem in lint(load(folder_of(tmp_path, SHOP, more=pair[0], others=pair[1])))
        if "both" in str(problem)
    )
    assert "both become `http_code` among the validators" in str(found)
    (tmp_path / "spec" / "others.yaml").unlink()
    contract = load(folder_of(tmp_path, SHOP, more=more.format("GoodsBuyRequestDatum")))
    assert [problem for problem in lint(contract) if "validators" in str(problem)] == []


def test_each_problem_says_what_to_do_and_none_is_told_twice(tmp_path: Path) -> None:
    text = changed(
        field("x!: string max 2 eg ABC default ABC"), ("      amount!: number eg 10.50", "      amount!: number max 3")
    )
    found = lint(contract_of(tmp_path, text))
    assert len(found) == len(set(found)) == 4
    assert all(isinstance(problem, Problem) and problem.do for problem in found)
    assert [problem.place.line for problem in found] == sorted(problem.place.line for problem in found)


def test_unreadable_lines_and_senseless_ones_are_told_at_once(tmp_path: Path) -> None:
    text = changed((PERSON, "    name!: strnig max 64 pii"), (NOTE, "      note: string max 0"))
    found = [str(problem).split(";")[0] for problem in check(folder_of(tmp_path, text))]
    assert found == [
        f"spec/shop.yaml:{line_of(text, 'note: string max 0')}: `note`: max 0 leaves nothing to write",
        f"spec/shop.yaml:{line_of(text, 'strnig')}: no type is called `strnig`",
    ]


def test_a_contract_that_cannot_be_read_is_told_by_check(tmp_path: Path) -> None:
    assert [str(one.place) for one in check(folder_of(tmp_path, "types:\n  A [1]: {}\n"))] == ["spec/shop.yaml:2"]
    assert "cannot be read" in str(check(tmp_path / "nothing")[0])


REFUSED = {**MISTYPED, **UNSAID, **MEANINGLESS}


def test_no_two_rows_have_one_name() -> None:
    assert len(REFUSED) == len(MISTYPED) + len(UNSAID) + len(MEANINGLESS)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_refused_where_it_stands(tmp_path: Path, name: str) -> None:
    folder, place = REFUSED[name].written(tmp_path)
    found = [*map(str, check(folder))]
    wanted = f"{place}: {REFUSED[name].says}"
    assert any(one.startswith(wanted) for one in found), "\n".join([wanted, "not among", *found])
    assert all("; " in one for one in found)


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("mx", ("min", "max"), "did you mean `max`? Else "),
        ("colour", ("Colour", "code"), "did you mean `Colour`? Else "),
        ("zebra", ("min", "max"), ""), ("max", ("max",), ""), ("max", (), ""),
    ],
)  # fmt: skip
def test_a_name_is_proposed_only_if_it_is_near(word: str, known: tuple[str, ...], hint: str) -> None:
    assert meant(word, known) == hint


def test_a_file_with_the_line_ends_of_windows_is_refused_once(tmp_path: Path) -> None:
    folder = tmp_path / "spec"
    folder.mkdir()
    (folder / "shop.yaml").write_bytes(SHOP.replace("\n", "\r\n").encode())
    (problem,) = check(folder)
    assert str(problem) == (
        "spec/shop.yaml:1: the line has a carriage return; save the file with the line ends of Unix (LF); this line is the first"
    )

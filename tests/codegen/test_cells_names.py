"""Whatever the linter lets through as a name is generated, compiled and imported: keywords, builtins and exports, drawn for each place."""

from __future__ import annotations

import builtins
import importlib
import re
import sys
from collections.abc import Callable, Iterable
from keyword import kwlist, softkwlist
from pathlib import Path
from random import Random

import pytest

import paywright
from paywright_codegen import naming
from paywright_codegen.lint.linter import check
from paywright_codegen.reader.loader import load
from tests.codegen.cells.agreement import generate
from tests.codegen.helpers.contract_texts import SHOP, folder_of
from tests.support.tiny import SPEC as TINY

SEED = 31
DRAWN = 4  # for each place

NAMES = sorted({*kwlist, *softkwlist, *dir(builtins), *paywright.__all__, *naming.NUMBERS, *naming.CLIENT, *naming.FIELDS})  # fmt: skip
PLACES = {
    "header": (r"\bsign!", lambda name: f"{name}!"),
    "format": (r"\bcode(?= max|\b \[1\])", str.lower),
    "signature": (r"(?<=signature[.])body|\bbody(?= \[1\])", str.lower),
    "envelope": (r"\bsealed\b", str.lower),
    "field of a rule": (r"\bkind\b", str),
    "key": (r"\bkey(?=!?: code)|(?<=key: )key|(?<=echoes: )key|(?<=by )key|(?<=request[.])key", str),
    "limit": (r"\bagain\b(?= \[2\])|(?<=after: )again", str.lower),
    "question": (r"\bcolours(?= \[2\])|(?<=\?)colours", str.lower),
}

# Places that the tiny contract has, and the shop has not.
OF_TINY = {
    "form of a signature": (r"\bfind_key\b", str.lower),
    "form with a secret": (r"\bfind_secret\b", str.lower),
    "choice of a signature": (r"\bfind(?=_signature)", str.lower),
    "question of the gateway": (r"\bgoods[.]may_send\b", lambda name: f"goods.{name.lower()}"),
    "kind that is seen elsewhere": (r"\bLOST\b", str.upper),
    "decision": (r"\ballowed\b(?! it)", str),
    "reason of a decision": (r"\bwhy(?=:)|(?<=why not: )why", str),
    "payload": (r"\border(?=!:)|(?<=payload: )order", str),
    "second spelling": (r"\bitemID\b", str),
    "followed resource": (r"\bgoods(?=[.]| \[2\]:)", str.lower),
    "text of the merchant": (r"\btill\b", str.lower),
    "type of a state": (r"\bParcelState\b", str),
    "derived type": (r"\bWorker\b", str),
}


def refused(tmp_path: Path, package: str, **files: str) -> bool:
    """Lint a contract. Unless it has problems, generate its package and import every module of it."""
    folder = folder_of(tmp_path, **files)
    problems = check(folder)
    for problem in problems:
        assert problem.what
        assert problem.do
    if not problems:
        generate(load(folder), tmp_path, package)
        sys.path.insert(0, str(tmp_path))
        try:
            for path in sorted((tmp_path / package).rglob("*.py")):
                importlib.import_module(
                    ".".join(path.relative_to(tmp_path).with_suffix("").parts).removesuffix(".__init__")
                )
        finally:
            sys.path.remove(str(tmp_path))
    return bool(problems)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_a_name_that_lints_is_generated_and_imported(tmp_path: Path, place: str) -> None:
    pattern, spelled = PLACES[place]
    for number, name in enumerate(Random(f"{SEED} {place}").sample(NAMES, DRAWN)):
        text = re.sub(pattern, spelled(name), SHOP)
        assert text != SHOP
        refused(tmp_path / str(number), f"named_{place.replace(' ', '_')}_{number}", shop=text)


# Places where many names may stand beside each other: the lines of one name, and the line before which they stand.

_QUERY = """\
  # Ask.
  {0} [1.2]:
    post: /{1}
    version: 1.0
    envelope: sealed
    echoes: key
    absent: NONE
    request:
      key!: code max 8
    response: Item

"""
_TOLD = """\
  # It happened.
  goods.{0} [3]:
    post: /{1}
    envelope: bare
    when: kind is {1}
    once per: number
    notification: Parcel{1}
    answer: Received

"""
Lines = tuple[tuple[str, str], ...]
MANY: dict[str, tuple[Callable[[str], str], Lines]] = {
    "types": (str, (("  Item [2]:", "  {0} [3]:  # It.\n    key!: string\n\n"), ("    colour: Colour", "    {1}: {0}\n"))),
    "value lists": (str, (("  Colour [2]:", "  {0} [2]:  # It.\n    R RED: red\n\n"), ("    colour: Colour", "    {1}: {0}\n"))),
    "values": (str.upper, (("    B BLUE", "    {1} {0}: it\n"),)),
    "values by themselves": (str.upper, (("    B BLUE", "    {0}: it\n"),)),
    "states": (str.upper, (("    OPEN: not", "    {0}: it\n"), ("    none -> OPEN", "    OPEN -> {0}: it happens\n"))),
    "fields": (str, (("    colour: Colour", "    {0}: string max 3\n"),)),
    "arguments": (str, (("      note: string", "      {0}: string max 3\n"),)),
    "listed texts": (str, (("      note: string", "      {1}: string in {0} OTHER\n"),)),
    "resources": (str.lower, (("  # Ask what", _QUERY.replace("{0}", "{0}.query")),)),
    "operations": (str.lower, (("  # Ask what", _QUERY.replace("{0}", "goods.{0}")),)),
    "notifications": (
        str.lower, (("  # Goods were sent.", _TOLD), ("  Parcel [3]:", "  Parcel{1} from Parcel [3]:  # It.\n    kind!: string is {1}\n\n")),
    ),
    "numbers of the merchant": (str.lower, (("  merchant_no: id", "  {0}: id  # It.\n"),)),
    "rules": (str.lower, (("      note-of-old [1.1]:", "      {0} [1.1]: when kind is OLD, need note\n"),)),
    "limits": (str.lower, (("  again [2]:", "  {0} [2]: 5 s\n"),)),
}  # fmt: skip


def with_names(lines: Lines, names: Iterable[str]) -> str:
    text = SHOP
    for before, line in lines:
        added = "".join(line.format(name, f"N{number}") for number, name in enumerate(names))
        assert text.count(f"\n{before}") == 1
        text = text.replace(f"\n{before}", f"\n{added}{before}")
    return text


@pytest.mark.parametrize("place", MANY)
@pytest.mark.parametrize(
    "number", [pytest.param(8, marks=pytest.mark.slow), pytest.param(len(NAMES), marks=pytest.mark.full)]
)
def test_many_names_that_lint_are_generated_and_imported_together(tmp_path: Path, place: str, number: int) -> None:
    spelled, lines = MANY[place]
    drawn = {spelled(name) for name in Random(f"{SEED} {place}").sample(NAMES, number)}
    clean = [name for name in sorted(drawn) if not check(folder_of(tmp_path / "one", with_names(lines, [name])))]
    assert len(clean) >= number // 8
    for problem in check(folder_of(tmp_path / "all", with_names(lines, clean))):
        assert "both become" in problem.what  # as `class` and `class_` do
        clean.remove(problem.what.split("`")[1].rpartition(".")[2])
    assert not refused(tmp_path / "all", f"many_{number}_{place.replace(' ', '_')}", shop=with_names(lines, clean))


@pytest.mark.slow
@pytest.mark.parametrize("place", OF_TINY)
def test_a_name_of_the_tiny_contract_that_lints_is_generated_and_imported(tmp_path: Path, place: str) -> None:
    pattern, spelled = OF_TINY[place]
    texts = {path.stem: path.read_text(encoding="utf-8") for path in TINY.glob("*.yaml")}
    for number, name in enumerate([*Random(f"{SEED} {place}").sample(NAMES, DRAWN), "Zeta"]):
        changed = {stem: re.sub(pattern, spelled(name), text) for stem, text in texts.items()}
        assert changed != texts
        told = refused(tmp_path / str(number), f"tiny_{place.replace(' ', '_')}_{number}", **changed)
    assert not told


@pytest.mark.slow
@pytest.mark.parametrize("name", ["class", "import", "str", "self", "models", "list", "orders", "contract", "_x"])
def test_a_file_whose_name_lints_is_a_module(tmp_path: Path, name: str) -> None:
    assert refused(tmp_path, f"filed_{name}", **{name: SHOP}) == (name in ("class", "import", "_x"))


@pytest.mark.slow
def test_many_files_whose_names_lint_are_modules_together(tmp_path: Path) -> None:
    def beside(names: Iterable[str]) -> dict[str, str]:
        types = {name: f"types:\n\n  N{number} [3]:  # It.\n    key!: string\n" for number, name in enumerate(names)}
        used = "".join(f"    n{number}: N{number}\n" for number in range(len(types)))
        return {"shop": SHOP.replace("    colour: Colour\n", f"    colour: Colour\n{used}"), **types}

    drawn = sorted({name.lower() for name in Random(f"{SEED} files").sample(NAMES, 60)})
    clean = [name for name in drawn if not check(folder_of(tmp_path / name, **beside([name])))]
    assert len(clean) > 30
    assert not refused(tmp_path, "many_files", **beside(clean))


@pytest.mark.parametrize("name", ["Transaction", "Ledger", "Violation", "Step", "Client"])
def test_a_type_that_a_package_exports_already_is_refused(tmp_path: Path, name: str) -> None:
    assert refused(tmp_path, "never", shop=SHOP.replace("Person", name))


@pytest.mark.parametrize("name", ["class", "self", "options", "ledger", "super", "max_age", "on_sent", "receive", "_x"])
def test_a_number_that_a_merchant_or_receiver_needs_is_refused(tmp_path: Path, name: str) -> None:
    assert refused(tmp_path, "never", shop=SHOP.replace("merchant_no", name))


@pytest.mark.parametrize("old", ["Person", "Colour", "goods.", "merchant_no", "query"])
def test_a_name_that_is_longer_than_a_file_may_be_called_is_refused(tmp_path: Path, old: str) -> None:
    assert refused(tmp_path, "never", shop=SHOP.replace(old, f"{old[0] * 300}{old}"))

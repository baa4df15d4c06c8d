"""Whatever the linter lets through as a name is generated, compiled and imported: keywords, builtins and exports, drawn for each place."""

from __future__ import annotations

import builtins
import importlib
import re
import sys
from keyword import kwlist, softkwlist
from pathlib import Path
from random import Random

import pytest

import paywright
from paywright_codegen import taken
from paywright_codegen.lint.linter import check
from paywright_codegen.reader.loader import load
from tests.codegen.cells.agreement import generate
from tests.codegen.helpers.contract_texts import SHOP, folder_of

SEED = 31
DRAWN = 6  # for each place

NAMES = sorted({*kwlist, *softkwlist, *dir(builtins), *paywright.__all__, *taken.NUMBERS, *taken.CLIENT, *taken.FIELDS})
PLACES = {
    "type": (r"\bPerson\b", str),
    "value list": (r"\bColour\b", str),
    "value": (r"\bBLUE\b", str.upper),
    "field": (r"\bnote\b", str),
    "header": (r"\bsign!", lambda name: f"{name}!"),
    "resource": (r"\bgoods(?=[.])", str.lower),
    "operation": (r"\bgoods[.]query\b", lambda name: f"goods.{name.lower()}"),
    "notification": (r"\bgoods[.]sent\b", lambda name: f"goods.{name.lower()}"),
    "number of the merchant": (r"\bmerchant_no\b", str.lower),
    "format": (r"\bcode(?= max|\b \[1\])", str.lower),
    "signature": (r"(?<=signature[.])body|\bbody(?= \[1\])", str.lower),
    "envelope": (r"\bsealed\b", str.lower),
    "rule": (r"\bnote-of-old\b", str.lower),
    "limit": (r"\bagain\b(?=, else| \[2\])", str.lower),
    "question": (r"\bcolours(?= \[2\])|(?<=\?)colours", str.lower),
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


@pytest.mark.slow
@pytest.mark.parametrize("name", ["class", "import", "str", "self", "models", "list", "orders", "contract", "_x"])
def test_a_file_whose_name_lints_is_a_module(tmp_path: Path, name: str) -> None:
    assert refused(tmp_path, f"filed_{name}", **{name: SHOP}) == (name in ("class", "import", "_x"))


@pytest.mark.parametrize("name", ["Transaction", "Ledger", "Violation", "Step", "Client"])
def test_a_type_that_a_package_exports_already_is_refused(tmp_path: Path, name: str) -> None:
    assert refused(tmp_path, "never", shop=SHOP.replace("Person", name))


@pytest.mark.parametrize("name", ["class", "self", "options", "ledger", "super", "max_age", "on_sent", "receive", "_x"])
def test_a_number_that_a_merchant_or_receiver_needs_is_refused(tmp_path: Path, name: str) -> None:
    assert refused(tmp_path, "never", shop=SHOP.replace("merchant_no", name))


@pytest.mark.parametrize("old", ["Person", "Colour", "goods.", "merchant_no", "query"])
def test_a_name_that_is_longer_than_a_file_may_be_called_is_refused(tmp_path: Path, old: str) -> None:
    assert refused(tmp_path, "never", shop=SHOP.replace(old, f"{old[0] * 300}{old}"))

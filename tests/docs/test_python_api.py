"""The pages of the Python API: every public name of every public module, with words, and arguments that were read as meant."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

from docs.building.python_api import MODULES, escaped
from tests.support.contract import TOP

FOLDER = TOP / "docs" / "reference" / "python"


def page(module: str) -> str:
    return (FOLDER / f"{module}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("module", MODULES)
def test_a_page_has_every_public_name_of_its_module(module: str) -> None:
    if module in ("paywright_audit.spark",):
        pytest.importorskip("pyspark", reason="the extra spark is not installed")
    loaded = importlib.import_module(module)
    text = page(module)
    names = [
        name
        for name in loaded.__all__
        if not name.startswith("__") and not isinstance(getattr(loaded, name), ModuleType)
    ]
    assert names
    assert [name for name in names if f"\n## {name}\n" not in text and f"[`{name}`](../" not in text] == []


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.stem)
def test_every_name_has_words_and_arguments_have_names(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"^- `\w+ [^`]*`:", text, re.MULTILINE) == [], "a docstring's lines are not indented"
    bare = re.findall(r"^#{2,4} (\S+)\n\n```text\n(?:(?!```).*\n)*```\n\n?(?=#|\Z)", text, re.MULTILINE)
    assert bare == [], "without a docstring"


def test_words_of_docstrings_do_not_change_the_page() -> None:
    assert escaped("see [4.3], <b> and `a[0] * b`") == r"see \[4.3], \<b> and `a[0] * b`"
    assert escaped("so:\n\n    a[0] * <b>") == "so:\n\n    a[0] * <b>"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.md")), ids=lambda path: path.stem)
def test_every_signature_is_one_of_python(path: Path) -> None:
    for block in re.findall(r"^```text\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        if "(" in block.partition(":")[0]:
            ast.parse(f"def f{block[block.index('(') :].rstrip()}: ...")

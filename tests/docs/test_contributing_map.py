"""The map in CONTRIBUTING and the decision pages: every package, room, module and function that they name exists.

No room is missing from the map.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
_TEXT = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8")
_MAP = re.search(r"^## Map\n.*?^```text\n(.*?)^```$", _TEXT, re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"`(paywright(?:_\w+)?(?:[.]\w+)+)(?::(\w+))?`")
_TESTS = re.compile(r"`(tests/[\w/.]*)`")
PACKAGES = {path.name: path for path in TOP.glob("*/paywright*") if (path / "__init__.py").is_file()}


def rooms_of_the_map() -> dict[str, set[str]]:
    """Folders that the map lists, by package."""
    assert _MAP is not None
    found: dict[str, set[str]] = {}
    package = ""
    for line in _MAP[1].splitlines():
        if (at_top := re.match(r"\w+/ +(paywright\w*):", line)) is not None:
            package = at_top[1]
            found[package] = set()
        elif (below := re.match(r" {8,}(\w+)/ ", line)) is not None:
            found[package].add(below[1])
    return found


def defined(tree: ast.Module) -> Iterator[str]:
    """Names that a module defines at its top level."""
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def source_of(module: str) -> Path | None:
    """The file of a module or package of ours, or None."""
    package, *parts = module.split(".")
    path = PACKAGES[package].joinpath(*parts)
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def test_the_map_has_every_package_and_every_room() -> None:
    rooms = rooms_of_the_map()
    assert set(rooms) == set(PACKAGES)
    for package, root in PACKAGES.items():
        if package == "paywright":
            continue  # generated: its folders follow from the contract
        there = {path.name for path in root.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
        assert rooms[package] == there - {"templates"}, package


PAGES = [TOP / "CONTRIBUTING.md", *sorted((TOP / "docs" / "decisions").glob("*.md"))]


def named_by_pages(names: re.Pattern[str]) -> list[tuple[str, str]]:
    """Each page with what it names, once."""
    texts = {str(page.relative_to(TOP)): page.read_text(encoding="utf-8") for page in PAGES}
    return [(page, found) for page, text in texts.items() for found in sorted({m[0] for m in names.finditer(text)})]


@pytest.mark.parametrize(("page", "named"), named_by_pages(_NAMED))
def test_the_modules_and_functions_that_a_page_names_exist(page: str, named: str) -> None:
    module, _, name = named.strip("`").partition(":")
    file = source_of(module)
    assert file is not None, f"there is no module {module}: it has moved, and {page} names it"
    if name:
        names = set(defined(ast.parse(file.read_text(encoding="utf-8"))))
        assert name in names, f"{module} has no {name}: it has moved, and {page} names it"


@pytest.mark.parametrize(("page", "named"), named_by_pages(_TESTS))
def test_the_tests_that_a_page_names_exist(page: str, named: str) -> None:
    path = named.strip("`")
    assert (TOP / path).exists(), f"there is no {path}, and {page} names it"

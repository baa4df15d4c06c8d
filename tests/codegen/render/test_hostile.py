"""Whatever a contract says, it stays text: hostile strings in every place give the same code with other constants."""

from __future__ import annotations

import ast
import builtins
import importlib
import json
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from paywright_codegen.documents.files import as_rows, render_documents
from paywright_codegen.documents.machine import machine_documents
from paywright_codegen.generation.generator import black_text
from paywright_codegen.model.contract import Contract
from paywright_codegen.problems import ContractProblems
from paywright_codegen.reader.loader import load
from paywright_codegen.render.renderer import behind, comment, docstring, render_python
from tests.support.hostile import CANARY, HOSTILE, planted
from tests.support.tiny import tiny_contract


class Plan:
    """Gives every kind of place another string each time. Strings are unique and longer than any limit of the contract."""

    def __init__(self, first: int, strings: tuple[str, ...] = HOSTILE) -> None:
        self.first = first
        self.strings = strings
        self.taken: dict[str, int] = defaultdict(int)
        self.number = 0
        self.used: set[tuple[str, str]] = set()

    def __call__(self, kind: str) -> str:
        text = self.strings[(self.first + self.taken[kind]) % len(self.strings)]
        self.taken[kind] += 1
        self.number += 1
        self.used.add((kind, text))
        unique = f"number-{self.number:04}"
        return text + unique if self.first % 2 else unique + text


def _harmless(kind: str, count: list[int]) -> str:
    count[0] += 1
    return f"harmless-{count[0]:04}"


class _Blank(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant(type(node.value).__name__ if isinstance(node.value, str | bytes) else node.value)


def shape(source: str) -> str:
    """The syntax tree of a module without the texts in it."""
    return ast.dump(_Blank().visit(ast.parse(source)))


def rendered(contract: Contract) -> dict[str, str]:
    return {one.path: one.text for one in render_python(contract, "tinypay")}


@cache
def harmless() -> dict[str, str]:
    count = [0]
    files = rendered(planted(tiny_contract(), lambda kind: _harmless(kind, count)))
    return {path: shape(text) for path, text in files.items()}


def assert_no_code(contract: Contract) -> dict[str, str]:
    files = rendered(contract)
    assert files.keys() == harmless().keys()
    for path, text in files.items():
        assert shape(text) == harmless()[path], path
        assert "\r" not in text
        text.encode()  # every file can be written
    return files


def test_there_are_enough_hostile_strings_and_kinds_of_places() -> None:
    plan = Plan(0)
    planted(tiny_contract(), plan)
    assert len(HOSTILE) >= 500
    assert len(plan.taken) >= 30


def _texts_without_half_pairs() -> tuple[str, ...]:
    return tuple(text for text in HOSTILE if not any("\ud800" <= c <= "\udfff" for c in text))


@pytest.mark.parametrize(
    "firsts",
    [
        pytest.param(range(0, len(HOSTILE) // 4, len(HOSTILE) // 100), id="some", marks=pytest.mark.slow),
        *(pytest.param(range(part, len(HOSTILE), 8), id=str(part), marks=pytest.mark.full) for part in range(8)),
    ],
)
def test_hostile_strings_are_constants(firsts: range, record_property: Callable[[str, object], None]) -> None:
    used: set[tuple[str, str]] = set()
    for first in firsts:
        plan = Plan(first)
        assert_no_code(planted(tiny_contract(), plan))
        used |= plan.used
    record_property("count: hostile strings in kinds of places, rendered and compared", len(used))
    assert len(used) >= 500


@pytest.mark.parametrize("first", range(0, len(HOSTILE), len(HOSTILE) // 12))
def test_a_package_of_hostile_strings_imports_without_side_effects(first: int, tmp_path: Path) -> None:
    strings = _texts_without_half_pairs()
    plan = Plan(first, strings)
    contract = planted(tiny_contract(), plan)
    files = assert_no_code(contract)
    for stem, document in machine_documents(contract).items():
        files[f"tinypay/contract/{stem}.json"] = as_rows(document)
    name = f"hostile_{first}"
    for path, text in files.items():
        file = tmp_path / path.replace("tinypay", name, 1)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("tinypay", name), encoding="utf-8", newline="\n")
    sys.path.insert(0, str(tmp_path))
    try:
        package = importlib.import_module(name)
        for path in files:
            if path.endswith(".py"):
                module = (
                    path.replace("tinypay", name, 1).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                )
                importlib.import_module(module)
        assert not hasattr(builtins, CANARY)
        for set_name, chosen in contract.sets.items():
            assert [member.value for member in getattr(package, set_name)] == [value.wire for value in chosen.values]
        for question in contract.questions.values():
            told = package.contract.questions()[question.name]
            assert (told.says, told.does, told.seen) == (question.says, question.does, question.seen)
        body = {
            "code": contract.operations["goods.buy"].succeeds[1] if contract.operations["goods.buy"].succeeds else ""
        }
        for one in package.validate("goods.buy", "response", body) + package.validate(
            "goods.buy", "request", {"data": {}}
        ):
            assert str(one)
        assert not hasattr(builtins, CANARY)
    finally:
        sys.path.remove(str(tmp_path))
        for module in [module for module in sys.modules if module.split(".")[0] == name]:
            del sys.modules[module]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, len(HOSTILE), len(HOSTILE) // 5))
def test_black_leaves_hostile_strings_as_they_are(first: int) -> None:
    for path, text in assert_no_code(planted(tiny_contract(), Plan(first))).items():
        if path.endswith(".py") and text:
            before = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
            after = [node.value for node in ast.walk(ast.parse(black_text(text))) if isinstance(node, ast.Constant)]
            docs = [value.split() if isinstance(value, str) else value for value in before]
            assert docs == [value.split() if isinstance(value, str) else value for value in after], path


@pytest.mark.parametrize("first", range(0, len(HOSTILE), len(HOSTILE) // 5))
def test_documents_of_hostile_strings_are_json(first: int) -> None:
    plan = Plan(first, _texts_without_half_pairs())
    for path, text in render_documents(planted(tiny_contract(), plan), "tinypay").items():
        assert isinstance(json.loads(text.encode()), dict), path


@pytest.mark.slow
def test_hostile_wire_names_stay_text_too() -> None:
    """Only what Python names cannot hold is added, so that the names stay the same."""
    plain = {path: shape(source) for path, source in rendered(tiny_contract()).items()}
    for text in (
        '"', "'", '"""', "\\", "{}", "{!}", "\n", "\r", "\x00", "}{", '")', "{{ }}", "{% %}", "#", "\u2028", "＂",
        "%(",
    ):  # fmt: skip
        contract = tiny_contract()
        structs = {
            name: replace(struct, fields=tuple(replace(field, wire=field.wire + text) for field in struct.fields))
            for name, struct in contract.structs.items()
        }
        operations = {
            name: replace(
                one,
                once_per=tuple(tuple(step + text for step in path) for path in one.once_per),
                lists=tuple(replace(each, items=each.items + text, key=each.key + text) for each in one.lists),
            )
            for name, one in contract.operations.items()
        }
        paths = ("state", "each", "amount", "currency", "open_until")
        follows = {
            kind: replace(one, **{name: tuple(step + text for step in getattr(one, name)) for name in paths})
            for kind, one in contract.follows.items()
        }
        hostile = replace(contract, structs=structs, operations=operations, follows=follows)
        for path, source in rendered(hostile).items():
            if "/validators/" in path or "/models/" in path or "/contract/" in path:
                assert shape(source) == plain[path], (path, text)


def test_nothing_ends_a_docstring_or_a_comment() -> None:
    for text in HOSTILE:
        for lines in ([text], [text, text], ["x", text], [text, "x"]):
            (statement,) = ast.parse(docstring(lines, 0)).body
            assert isinstance(statement, ast.Expr), text
            assert isinstance(statement.value, ast.Constant), text
        for line in (f"{comment(text)}\n1", f"1{behind(text)}\n"):
            assert ast.dump(ast.parse(line)) == ast.dump(ast.parse("1")), text


def _name(number: int) -> str:
    return "q-" + "".join(chr(97 + int(digit)) for digit in str(number))


def _asked(folder: Path, texts: list[str]) -> tuple[Contract | None, set[str]]:
    """A contract that asks these texts, or those of them that the reader refuses."""
    lines = ["questions:"]
    homes: dict[int, str] = {}
    for number, text in enumerate(texts):
        lines += [f"  {_name(number)} [1]:", f"    says: {json.dumps(text)}", "    does: nothing"]
        homes[len(lines) - 1] = text
    (folder / "questions.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    try:
        return load(folder), set()
    except ContractProblems as error:
        return None, {homes[problem.place.line] for problem in error.problems if problem.place.line in homes}


@pytest.mark.slow
def test_hostile_questions_that_the_reader_takes_arrive_unchanged(tmp_path: Path) -> None:
    texts = [text for text in _texts_without_half_pairs() if text.strip()]
    contract, refused = _asked(tmp_path, texts)
    while refused:
        texts = [text for text in texts if text not in refused]
        contract, refused = _asked(tmp_path, texts)
    assert contract is not None
    assert len(texts) >= 100
    assert [question.says for question in contract.questions.values()] == texts
    general = json.loads(as_rows(machine_documents(contract)["_general"]))
    assert [question["says"] for question in general["questions"].values()] == texts

"""The schema of the grammar as an editor's YAML language server applies it: JSON values of YAML 1.2, and no reader of our own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest
import yaml
from jsonschema import Draft7Validator

from paywright_cli.main import main
from paywright_codegen.generation.generator import laid_out
from paywright_codegen.reader.loader import load
from paywright_codegen.reader.schema_check import editor_schema
from paywright_codegen.reader.yaml_reader import COVERAGE_FILE
from tests.codegen.helpers.contract_texts import SHOP, SPEC, changed, folder_of

TINY = Path(__file__).parents[1] / "tiny"
FILES = [path for folder in (SPEC, TINY) for path in sorted(folder.glob("*.yaml")) if path.name != COVERAGE_FILE]
MODELINE = "# yaml-language-server: $schema=../contract.schema.json\n"


class _Core(yaml.SafeLoader):
    """YAML 1.2: `NO` and `2025-01-01` are text, 1.0 is a number."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}


for _tag, _pattern in (
    ("null", r"~|null|Null|NULL|"),
    ("bool", r"true|True|TRUE|false|False|FALSE"),
    ("int", r"[-+]?[0-9]+"),
    ("float", r"[-+]?([.][0-9]+|[0-9]+([.][0-9]*)?)([eE][-+]?[0-9]+)?"),
):
    _Core.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), None)


def seen_by_an_editor(text: str) -> object:
    """The file as JSON values. Keys are text whatever they look like, as in the editors."""
    loader = _Core(text)
    try:
        return _value(loader, cast(yaml.Node, loader.get_single_node()))
    finally:
        loader.dispose()


def _value(loader: _Core, node: yaml.Node) -> object:
    if isinstance(node, yaml.MappingNode):
        return {cast(str, key.value): _value(loader, value) for key, value in node.value}
    if node.tag.endswith(":int"):  # `0030` is a number there; what it is called in base 8 does not matter
        return int(cast(str, node.value), 10)
    return loader.construct_object(node, deep=True)


def complaints(text: str) -> list[str]:
    return [error.message for error in Draft7Validator(editor_schema()).iter_errors(seen_by_an_editor(text))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_an_editor_has_nothing_to_say_of_a_file_that_is_right(path: Path) -> None:
    assert complaints(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    repeats: AGAIN ?repeats", "    repeat: AGAIN ?repeats"),
        ("types:\n", "type:\n"), ("  Person [2]:", "  person [2]:"), ("    post: /buy\n    version: 1.0", "    post: /buy\n    version: one"),
        ("    envelope: bare\n", ""),
        ("    name!: string max 64 pii", "    name !: string max 64 pii"),
    ],
)  # fmt: skip
def test_an_editor_underlines_a_shape_that_is_wrong(old: str, new: str) -> None:
    assert complaints(changed((old, new)))


def test_every_key_has_a_title_and_a_description() -> None:
    schema = editor_schema()
    Draft7Validator.check_schema(schema)
    places = dict(_judged(schema, "#"))
    assert len(places) > 60
    assert [where for where, said in places.items() if not (said.get("title") and said.get("description"))] == []


def _judged(schema: Mapping[str, object], at: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Every subschema that an editor can show."""
    yield at, schema
    for name in ("propertyNames", "additionalProperties"):
        inner = schema.get(name)
        if isinstance(inner, Mapping):
            yield from _judged(inner, f"{at}/{name}")
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        for key, inner in properties.items():
            yield from _judged(inner, f"{at}/{key}")


@pytest.mark.parametrize("above", [MODELINE, f"{MODELINE}\n", f"{MODELINE}# A shop.\n\n"])
def test_the_line_that_names_the_schema_is_kept(tmp_path: Path, above: str) -> None:
    plain = laid_out(folder_of(tmp_path / "plain", SHOP))
    folder = folder_of(tmp_path / "named", above + SHOP)
    assert list(laid_out(folder).values()) == [above + text for text in plain.values()]
    assert load(folder).operations.keys() == load(folder_of(tmp_path / "plain", SHOP)).operations.keys()


def test_the_command_prints_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contract", "schema"]) == 0
    assert json.loads(capsys.readouterr().out) == editor_schema()

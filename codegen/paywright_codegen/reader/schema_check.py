"""Check a contract file against `dialect.schema.json`: its sections, their keys, text or entries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from jsonschema import Draft7Validator
from jsonschema.exceptions import ValidationError

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.problems import Problem, meant
from paywright_codegen.reader.document import Document, TreeBlock

Tree = dict[str, "str | Tree"]


SCHEMA = Path(__file__).with_name("dialect.schema.json")
"""The JSON Schema of one contract file, for editors too: `title` and `description` say what stands at each key."""


@cache
def _validator() -> Draft7Validator:
    return Draft7Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def plain(block: TreeBlock) -> Tree:
    """Return the block as dictionaries of text."""
    return {entry.key.text: plain(entry.value) if isinstance(entry.value, TreeBlock) else entry.text for entry in block}


def shape_problems(document: Document) -> list[Problem]:
    """Return where a file does not match the schema."""
    tree = plain(document.block)
    problems: list[Problem] = []
    for error in _validator().iter_errors(tree):
        problems += _worded(error, document)
    return problems


def _worded(error: ValidationError, document: Document) -> Iterable[Problem]:
    path = [str(part) for part in error.absolute_path]
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    say, do = str(schema.get("title", "what it should be")), str(schema.get("description", "see dialect.schema.json"))
    if error.validator == "additionalProperties":
        known = schema.get("properties", {})
        for key in error.instance if isinstance(error.instance, dict) else ():
            if key not in known:
                where = _place(document, [*path, key])
                do = f"{meant(key, known)}write one of the keys of {say}: {', '.join(known)}"
                yield Problem(where, f"`{key}` is not known here", do)
    elif error.validator == "required":
        key = error.message.split("'")[1]  # one error for each missing key
        yield Problem(_place(document, path), f"{_named(path)} lacks `{key}:`", do)
    elif "propertyNames" in error.absolute_schema_path:
        yield Problem(_place(document, [*path, str(error.instance)]), f"`{error.instance}` is not {say}", do)
    elif isinstance(error.instance, dict):
        yield Problem(_place(document, path), f"under {_named(path)} stand entries where {say} should be", do)
    elif error.validator == "type":
        yield Problem(_place(document, path), f"`{error.instance}` stands where {say} should be", do)
    else:
        yield Problem(_place(document, path), f"`{error.instance}` is not {say}", do)


def _named(path: list[str]) -> str:
    return f"`{path[-1]}`" if path else "the file"


def _place(document: Document, path: list[str]) -> SourcePlace:
    place, block = document.block.place, document.block
    for key in path:
        entry = block.get(key)
        if entry is None:
            return place
        place, block = entry.place, entry.block
    return place

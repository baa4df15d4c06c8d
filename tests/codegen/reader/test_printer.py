"""Every file parses, prints and parses again to the same model."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest

from paywright_codegen.model.cited import SourcePlace
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Field
from paywright_codegen.reader.document import Text, TreeEntry, split_key
from paywright_codegen.reader.loader import kinds_of, load, read_documents
from paywright_codegen.reader.printer import print_document, print_facets
from paywright_codegen.reader.structs import parse_field
from tests.codegen.helpers.contract_texts import SHOP, SPEC, changed, folder_of

NOWHERE = SourcePlace("", 0)


def placeless(value: object) -> object:
    """A value as plain tuples, with every place in it taken away, and what does not count when values are compared."""
    if isinstance(value, SourcePlace):
        return None
    if is_dataclass(value) and not isinstance(value, type):
        return (type(value).__name__, *(placeless(getattr(value, field.name)) for field in fields(value) if field.compare))  # fmt: skip
    if isinstance(value, dict):
        return tuple((key, placeless(item)) for key, item in value.items())
    if isinstance(value, tuple):
        return tuple(map(placeless, value))
    return value


def printed(folder: Path, to: Path) -> Path:
    """The files of a folder, printed into another."""
    documents = read_documents(folder)
    out = to / "spec"
    out.mkdir(parents=True)
    for document in documents:
        (out / Path(document.file).name).write_text(print_document(document, kinds_of(documents)), encoding="utf-8")
    return out


def all_fields(contract: Contract) -> list[Field]:
    found = [field for struct in contract.all_structs() for field in struct.fields]
    for operation in contract.operations.values():
        found += [field for message in operation.messages for field in message.headers]
    return found


AWKWARD = changed(
    ('    pattern: "[A-Z0-9]+"', "    pattern: '[\"A-Z0-9]+'"),
    ("    shown: letters and digits", '    shown: "it\'s \\"so\\" \\\\ # here"'),
    ("      note: string max 20", "      # above\n      # it\n      note:   string    max 20 min 1  # behind"),
    ("when kind is OLD, need note", f"when {' and '.join(['kind is OLD'] * 12)},\n        need note"),
    ("formats:\n", "# A header\n#\n#   of lines\n\nformats:     # all of them\n"),
)


@pytest.mark.parametrize("text", [SHOP, AWKWARD], ids=["plain", "awkward"])
def test_a_file_prints_and_reads_as_the_same_contract(tmp_path: Path, text: str) -> None:
    folder = folder_of(tmp_path / "first", text)
    again = printed(folder, tmp_path / "second")
    assert placeless(load(again)) == placeless(load(folder))


@pytest.mark.parametrize("text", [SHOP, AWKWARD], ids=["plain", "awkward"])
def test_what_was_printed_prints_as_itself(tmp_path: Path, text: str) -> None:
    once = printed(folder_of(tmp_path / "first", text), tmp_path / "second")
    twice = printed(once, tmp_path / "third")
    assert (once / "shop.yaml").read_text() == (twice / "shop.yaml").read_text()


@pytest.mark.slow
def test_every_file_of_the_gateway_prints_and_reads_as_the_same_contract(tmp_path: Path) -> None:
    again = printed(SPEC, tmp_path)
    assert placeless(load(again)) == placeless(load(SPEC))
    twice = printed(again, tmp_path / "twice")
    for path in again.iterdir():
        assert (twice / path.name).read_text() == path.read_text()


def test_every_field_of_the_gateway_prints_and_reads_as_itself() -> None:
    contract = load(SPEC)
    kinds = kinds_of(read_documents(SPEC))
    for field in all_fields(contract):
        if field.type.kind == "struct" and "." in field.type.name:
            continue  # the `data` of an envelope, which is written as an object
        key, text = f"{field.wire}{'!' if field.required else ''}", print_facets(field)
        again = parse_field(
            TreeEntry(split_key(Text(key, field.place)), Text(text, field.place)), kinds, field.sections, []
        )
        assert replace(again, prose=field.prose) == field

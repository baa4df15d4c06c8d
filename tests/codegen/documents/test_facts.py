"""What tells that an entry of a contract is not what the statements say that it covers, or not what it was when they were compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from paywright_codegen.documents.coverage import Comparison, check_entries, claims_text, compare, read_claims
from paywright_codegen.reader.loader import load
from tests.codegen.helpers.contract_texts import SHOP, contract_of

EDITION = """\
## 1. Goods

| Field | Type | Req | Notes |
|---|---|---|---|
| key | string | yes | max 8; unique |
| kind | string | no | NEW, OLD |
| buyer | object | no | name (string, required, max 64) |

Ask again after five minutes. `tags` (array of string, optional) has at most 3 elements.
"""
CLAIMS = ("'goods.buy, ItemStatus'", "not ours (the titles)", "goods.buy.request.key", "goods.buy.request.kind",
          "'Person, goods.buy.request.buyer'", "limits.again", "goods.buy.request.tags")  # fmt: skip


def compared(folder: Path, edition: str = EDITION) -> Comparison:
    contract = load(folder)
    return compare(contract, read_claims(folder, contract)[0], edition)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The shop's contract, compared with an edition that it agrees with."""
    contract = contract_of(tmp_path, SHOP)
    spec = tmp_path / "spec"
    said = claims_text(spec, compare(contract, (), EDITION))
    for claim in CLAIMS:
        said = said.replace("unclaimed", claim, 1)
    (spec / "coverage.yaml").write_text(said)
    (spec / "coverage.yaml").write_text(claims_text(spec, compared(spec)))
    assert read_claims(spec, contract)[1] == ()
    return spec


def edit(folder: Path, old: str, new: str) -> int:
    """Edit the shop's contract; return the line."""
    shop = folder / "shop.yaml"
    text = shop.read_text()
    assert old in text
    shop.write_text(text.replace(old, new, 1))
    return text[: text.index(old)].count("\n") + 1


def test_a_contract_that_agrees_has_no_problem(folder: Path) -> None:
    assert check_entries(folder, compared(folder), "edition.md") == ((), ())


@pytest.mark.parametrize(
    ("old", "new", "ours", "theirs"),
    [
        ("key!: code max 8 eg K1", "key!: code max 7 eg K1", "max 7", "max 8"),
        ("key!: code max 8 eg K1", "key!: code eg K1", "no max", "max 8"),
        ("key!: code max 8 eg K1", "key: code max 8 eg K1", "optional", "required"),
        ("kind: string in NEW OLD", "kind: number", "number", "string"),
        ("kind: string in NEW OLD", "kind: string in NEW OLD WORN", "WORN", "nothing of WORN"),
        ("kind: string in NEW OLD", "kind!: string in NEW OLD", "required", "optional"),
        ("name!: string max 64 pii", "name!: string max 46 pii", "max 46", "max 64"),
        ("buyer: Person", "buyer!: Person", "required", "optional"),
        ("again [2]: 300 s", "again [2]: 301 s", "301 s", "300 s"),
    ],
)  # fmt: skip
def test_another_statement_is_told_unless_questioned(folder: Path, old: str, new: str, ours: str, theirs: str) -> None:
    line = edit(folder, old, new)
    refused, _ = check_entries(folder, compared(folder), "edition.md")
    assert [problem.place.line for problem in refused] == [line]
    assert f"has `{ours}`" in refused[0].what
    assert f"says `{theirs}`" in refused[0].what
    edit(folder, new, f"{new} ?repeats")
    assert check_entries(folder, compared(folder), "edition.md")[0] == ()


def test_a_value_that_a_statement_adds_to_its_list_is_told(folder: Path) -> None:
    found = compared(folder, EDITION.replace("NEW, OLD", "NEW, OLD, WORN"))
    [problem], _ = check_entries(folder, found, "edition.md")
    assert "`goods.buy.request.kind` has `no WORN`, and 1:3 of the specification (line 6) says `WORN`" in problem.what


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("key!: code max 8 eg K1", "key!: code max 8 eg K2", "goods.buy.request.key"),
        ("# unique", "# one of its kind", "goods.buy.request.key"),
        ("refuses: POOR", "refuses: POOR RICH", "goods.buy"),
        ("echoes: key\n    refuses", "refuses", "goods.buy"),
        ("name!: string max 64 pii", "name!: string max 64", "Person"),
        ("note: string max 20", "note: string max 21", "goods.buy"),
        ("SENT final paid: sent", "SENT final: sent", "ItemStatus"),
    ],
)  # fmt: skip
def test_a_changed_entry_is_told_until_recorded(folder: Path, old: str, new: str, named: str) -> None:
    edit(folder, old, new)
    refused, uncompared = check_entries(folder, compared(folder), "edition.md")
    assert refused == ()
    assert uncompared
    assert all(f"`{named}` has changed since it was compared with 1:" in problem.what for problem in uncompared)
    assert all("(edition.md:" in problem.what for problem in uncompared)
    (folder / "coverage.yaml").write_text(claims_text(folder, compared(folder)))
    assert check_entries(folder, compared(folder), "edition.md") == ((), ())


def test_a_release_note_replaces_what_was_stated_before_it(folder: Path) -> None:
    note = "The field key (string, yes, max 7) is shorter from May.\n"
    contract = load(folder)
    line = edit(folder, "key!: code max 8 eg K1", "key!: code max 7 eg K1")
    assert check_entries(folder, compared(folder), "edition.md")[0][0].place.line == line
    found = compare(contract, read_claims(folder, contract)[0], note, "note-7")
    assert ([one.place for one in found.new], found.gone, found.is_another) == (["note-7:1"], (), False)
    said = claims_text(folder, found).replace("unclaimed", "goods.buy.request.key")
    (folder / "coverage.yaml").write_text(said)
    assert check_entries(folder, compared(folder), "edition.md")[0] == ()
    assert compared(folder).gone == (), "an edition says nothing of the note"
    again = compare(contract, read_claims(folder, contract)[0], note, "note-7")
    assert (again.differs, check_entries(folder, again, "note.md")[0]) == (False, ())
    edit(folder, "key!: code max 7 eg K1", "key!: code max 6 eg K1")
    assert "says `max 7`" in check_entries(folder, again, "note.md")[0][0].what


def test_a_change_is_told_at_the_claimed_key(folder: Path) -> None:
    path, shop = folder / "coverage.yaml", folder / "shop.yaml"
    shop.write_text(shop.read_text().replace("sealed", "goods"))
    path.write_text(path.read_text().replace("limits.again", "goods.query.request"))
    path.write_text(claims_text(folder, compared(folder)))
    line = edit(folder, "      key!: code max 8\n    response", "      key!: code max 9\n    response") - 1
    _, told = check_entries(folder, compared(folder), "edition.md")
    assert [str(one.place) for one in told if "`goods.query.request` has changed" in one.what] == [
        f"spec/shop.yaml:{line}"
    ]

"""The reference: everything of a contract is defined on one page, links hold, and a change stays where it belongs."""

from __future__ import annotations

import posixpath
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from paywright_codegen.literals import is_text
from paywright_codegen.model.contract import Contract
from paywright_codegen.reader.loader import load
from paywright_codegen.reference.operation_page import RunExample
from paywright_codegen.reference.pages import reference_pages
from paywright_codegen.reference.tables import Home, Homes, all_codes, duration, slug
from tests.support.contract import TOP, contract
from tests.support.tiny import tiny_contract

_LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
_ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
CONTRACTS = {"paywright": contract, "tinypay": tiny_contract}


@cache
def pages(name: str) -> dict[str, str]:
    return reference_pages(CONTRACTS[name]())


def anchors(text: str) -> Counter[str]:
    return Counter([*_ANCHOR.findall(text), *map(slug, _HEADING.findall(text))])


def links(page: str, text: str) -> Iterator[tuple[str, str]]:
    """The page and anchor of every link of a page."""
    for target in _LINK.findall(text):
        name, _, anchor = target.partition("#")
        yield posixpath.normpath(posixpath.join(posixpath.dirname(page), name)) if name else page, anchor


def definitions(whole: Contract) -> Iterator[tuple[str, Home]]:
    """Everything that the reference defines, with its home."""
    homes = Homes(whole)
    for operation in whole.operations.values():
        yield operation.name, homes.operation(operation.name)
        yield from (
            (f"{operation.name} {one.id}", homes.operation(operation.name, f"guard.{one.id}"))
            for one in operation.guards
        )
        for message in operation.messages:
            yield from (
                (f"{message.name} {one.wire}", homes.operation(operation.name, f"{message.role}.header.{one.wire}"))
                for one in message.headers
            )
    for struct in whole.all_structs():
        yield from ((f"{struct.name}.{one.wire}", homes.part(struct, one.wire)) for one in struct.fields)
        yield from ((f"{struct.name} {one.id}", homes.part(struct, one.id)) for one in struct.rules)
    yield from ((name, homes.struct(name)) for name in whole.structs)
    yield from ((name, homes.operation(name)) for name in whole.seen)
    yield from ((name, homes.named("set", name)) for name in whole.sets)
    yield from (
        (f"{one.name} {each.wire}", Home("states.md", f"{one.name}.{each.wire}"))
        for one in whole.sets.values()
        for each in one.values
    )
    yield from ((name, homes.named("code", name)) for name in all_codes(whole))
    yield from ((name, homes.named("limit", name)) for name in whole.limits)
    yield from ((name, homes.named("format", name)) for name in whole.formats)
    yield from ((name, homes.named("question", name)) for name in whole.questions)


@pytest.mark.parametrize("name", CONTRACTS)
def test_everything_is_defined_once(name: str) -> None:
    found = {page: anchors(text) for page, text in pages(name).items()}
    counted = 0
    for what, home in definitions(CONTRACTS[name]()):
        counted += 1
        assert home.anchor == "" or found[home.page][home.anchor] == 1, what
    assert counted > (1000 if name == "paywright" else 100)


@pytest.mark.parametrize("name", CONTRACTS)
def test_every_link_holds(name: str) -> None:
    found = {page: anchors(text) for page, text in pages(name).items()}
    for page, text in pages(name).items():
        for target, anchor in links(page, text):
            if not target.startswith(".."):  # guides are checked by `make check-docs`
                assert target in found, f"{page}: {target}"
                assert not anchor or anchor in found[target], f"{page}: {target}#{anchor}"


@pytest.mark.parametrize("struct", ["refunds.create.request.data", "orders.checkout.request.data", "Money"])
def test_a_change_of_a_field_changes_only_pages_that_name_it(tmp_path: Path, struct: str) -> None:
    changed = Path(shutil.copytree(TOP / "spec", tmp_path / "spec"))
    field = next(one for one in reversed(contract().struct_named(struct).fields) if is_text(one) and not one.questions)
    name, path = field.wire, tmp_path / field.place.file
    lines = path.read_text(encoding="utf-8").split("\n")
    start = lines[field.place.line - 1].partition(":")[0]
    lines[field.place.line - 1] = f"{start}: string max 397"
    path.write_text("\n".join(lines), encoding="utf-8")
    now = reference_pages(load(changed))
    assert now.keys() == pages("paywright").keys()
    different = [page for page, text in now.items() if text != pages("paywright")[page]]
    assert different
    assert all(f"`{name}`" in now[page] for page in different)
    assert len(different) < len(now) / 2


def test_a_page_shows_the_example_that_was_run_in_place_of_the_made_one() -> None:
    run = RunExample("print(1)", "1", '{"asked": 1}', '{"answered": 1}')
    shown = reference_pages(contract(), {"refunds.create": run})["operations/refunds.create.md"]
    assert "```python\nprint(1)\n```" in shown
    assert '```json\n{"answered": 1}\n```' in shown
    assert "made from the contract" not in shown


def test_a_rule_stands_as_its_sentence_with_its_questions() -> None:
    page = pages("tinypay")["operations/goods.buy.md"]
    assert (
        "`gift-note`: `when ?gifts, need note`. Nothing checks this, because no field shows the case. Open: [`gifts`]"
        in page.replace('<a id="request.data.gift-note"></a>', "")
    )


def test_a_span_of_time_has_its_largest_whole_unit() -> None:
    assert [duration(one) for one in (1, 120, 300, 3600, 86400, 15552000)] == [
        "1 second", "2 minutes", "5 minutes", "1 hour", "1 day", "180 days",
    ]  # fmt: skip

"""What merchants' Python misses: names that are gone, and other types where they are read or written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from paywright_codegen.diff.python_breaks import breaks, names
from paywright_codegen.diff.report import compared
from paywright_codegen.diff.table import Level
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.types import Field, TypeRef
from tests.codegen.diff.edits import alone, with_field, with_name, with_struct
from tests.codegen.diff.oracle import party
from tests.support.contract import contract

MINOR, MAJOR = Level.MINOR, Level.MAJOR
Edit = Callable[[Contract], Contract]
ASKED = "refunds.create.request.data"


def added(struct: str, **facets: object) -> Edit:
    return lambda whole: with_struct(
        whole, struct, lambda one: replace(one, fields=(*one.fields, Field(one.place, wire="newOne", **facets)))  # type: ignore[arg-type]
    )


def edited(struct: str, wire: str, **facets: object) -> Edit:
    return lambda whole: with_field(whole, struct, wire, **facets)


def without_value(whole: Contract) -> Contract:
    chosen = whole.sets["RefundStatus"]
    return replace(whole, sets={**whole.sets, chosen.name: replace(chosen, values=chosen.values[1:])})


FIRST = contract().sets["RefundStatus"].values[0].wire
# What changes: the edit, what is found, and what is found if it is turned round.
TABLE: dict[str, tuple[Edit, dict[str, Level], dict[str, Level]]] = {
    "an argument that may be given": (added(ASKED), {"client.refunds.create(new_one): is new": MINOR},
        {"client.refunds.create(new_one): is gone": MAJOR}),
    "an argument that must be given": (added(ASKED, required=True), {"client.refunds.create(new_one): is new and must be given": MAJOR},
        {"client.refunds.create(new_one): is gone": MAJOR}),
    "an argument that must be given now": (edited(ASKED, "comments", required=True),
        {"client.refunds.create(comments): must be given": MAJOR}, {"client.refunds.create(comments): was str, is str | None": MINOR}),
    "an argument that takes fewer texts": (edited(ASKED, "comments", values=("A",)),
        {"client.refunds.create(comments): was str | None, is Literal['A'] | None": MAJOR},
        {"client.refunds.create(comments): was Literal['A'] | None, is str | None": MAJOR}),
    "what is read and always there": (edited("Refund", "status", required=True),
        {"Refund.status: was RefundStatus | None, is RefundStatus": MINOR},
        {"Refund.status: was RefundStatus, is RefundStatus | None": MAJOR}),
    "a member that merchants only read": (added("Refund", required=True), {"Refund.new_one: is new": MINOR},
        {"Refund.new_one: is gone": MAJOR}),
    "a member of an object that merchants make": (added("EnvInfo", type=TypeRef("string", "string"), required=True),
        {"EnvInfo(new_one): is new and must be given": MAJOR}, {"EnvInfo(new_one): is gone": MAJOR}),
    "a value fewer": (without_value, {f"RefundStatus.{FIRST}: is gone": MAJOR}, {f"RefundStatus.{FIRST}: is new": MINOR}),
    "another limit": (edited(ASKED, "comments", max=5), {}, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_a_difference_in_python_has_its_level(name: str) -> None:
    edit, there, back = TABLE[name]
    old, new = contract(), edit(contract())
    for one, other, due in ((old, new, there), (new, old, back)):
        assert {f"{each.path}: {each.words}": each.level for each in breaks(one, other)} == due


def test_an_operation_that_is_gone_is_one_difference() -> None:
    fewer = replace(
        contract(), operations={name: one for name, one in contract().operations.items() if name != "rates.query"}
    )
    assert [one.path for one in breaks(contract(), fewer) if one.path.startswith("client.")] == ["client.rates.query"]


def test_a_type_with_another_name_breaks_python_alone(tmp_path: Path) -> None:
    sides = contract(), with_name(tmp_path, "Refund", "Return")
    found, python = compared(*(party(alone(side, "refunds.query")) for side in sides))
    assert found == ()
    assert {f"{one.path} {one.words}" for one in python} == {
        "Refund is gone", "Return is new", "client.refunds.query was Refund, is Return",
    }  # fmt: skip


def test_every_name_that_a_contract_makes_is_in_the_package() -> None:
    import paywright

    for name in names(contract()):
        path = name.partition("(")[0]
        first, *rest = path.split(".")
        if first in ("client", "receiver"):
            first = {"client": "Client", "receiver": "Receiver"}[first]
            rest = rest[-1:] if first == "Receiver" else rest
        one = getattr(paywright, first)
        if first == "Client":
            resource = __import__(f"paywright.resources.{rest[0]}", fromlist=[""])
            one, rest = getattr(resource, "".join(part.capitalize() for part in rest[0].split("_"))), rest[1:]
        for part in rest:
            if part in getattr(one, "__dataclass_fields__", ()):
                break
            one = getattr(one, part)

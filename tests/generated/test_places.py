"""Where the contract states what it states: every place is a line of spec/ that names it."""

from __future__ import annotations

import pytest

from paywright import InvalidArgument
from paywright.contract import CONTRACT
from tests.support.contract import TOP


def line(place: str) -> str:
    path, _, number = place.rpartition(":")
    return (TOP / path).read_text(encoding="utf-8").splitlines()[int(number) - 1]


def test_members_rules_and_lists_stand_where_they_are_said_to_stand() -> None:
    structs = [CONTRACT.struct(name) for name in CONTRACT.structs()]
    for struct in structs:
        for field in struct.fields:
            assert field.wire in line(CONTRACT.place(struct.name, member=field.wire)), (struct.name, field.wire)
        for rule in struct.rules:
            assert rule.id in line(CONTRACT.place(struct.name, rule=rule.id)), (struct.name, rule.id)
    for name in CONTRACT.sets():
        assert name in line(CONTRACT.place(name))
    for operation in CONTRACT.operations():
        assert operation in line(CONTRACT.place(operation))


@pytest.mark.parametrize(
    ("name", "part", "words"),
    [
        ("Refnd", {}, "does not state 'Refnd'. Did you mean Refund"),
        ("Refund", {"member": "statu"}, "Refund has no member statu. Did you mean member status"),
        ("Refund", {"rule": "none"}, "Refund has no rule none. It has"),
    ],
)
def test_what_it_does_not_state_is_refused_with_the_nearest(name: str, part: dict[str, str], words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        CONTRACT.place(name, **part)


def test_a_class_of_nothing_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidArgument, match="no value list 'RefundStats'. Did you mean RefundStatus"):
        CONTRACT.model("RefundStats")

"""Where the contract states what it states: every place is a line of spec/ that names it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from paywright import InvalidArgument
from paywright.contract import CONTRACT
from paywright_runtime.contract.index import Contract
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
    with pytest.raises(InvalidArgument, match=r"no value list 'RefundStats'\. Did you mean RefundStatus"):
        CONTRACT.model("RefundStats")


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Contract:
    """The contract of a checkout elsewhere, without its package and what was cached."""
    home = tmp_path / "generated" / "copied"
    shutil.copytree(TOP / "generated" / "paywright" / "contract", home / "contract")
    (home / "__init__.py").touch()
    shutil.copytree(TOP / "spec", tmp_path / "spec")
    monkeypatch.syspath_prepend(home.parent)
    monkeypatch.delitem(sys.modules, "copied", raising=False)
    return Contract("copied")


def test_a_checkouts_lines_are_those_of_its_spec(copied: Contract, tmp_path: Path) -> None:
    was = CONTRACT.place("Refund").rpartition(":")
    assert copied.place("Refund") == CONTRACT.place("Refund")
    assert (tmp_path / ".cache" / "places.json").exists()
    path = tmp_path / "spec" / "refunds.yaml"
    path.write_text(f"# One line more.\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    assert Contract("copied").place("Refund") == f"{was[0]}:{int(was[2]) + 1}"


@pytest.mark.parametrize("why", ["no generator", "no contract"])
def test_a_strange_checkouts_files(copied: Contract, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    if why == "no generator":
        monkeypatch.setitem(sys.modules, "paywright_codegen.generation.places", None)
    else:
        (tmp_path / "spec" / "refunds.yaml").write_text("operations: [")
    assert copied.place("Refund", member="status") == "spec/refunds.yaml"
    with pytest.raises(InvalidArgument, match=r"does not state 'Refnd'\. Did you mean Refund"):
        copied.place("Refnd")

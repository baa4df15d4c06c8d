"""Changes drawn by seed: the verdict on the wire agrees with thousands of documents of both contracts, judged by both."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from random import Random

import jsonschema_rs
import pytest

from paywright_codegen.diff.walk import Walk
from paywright_codegen.diff.witnesses import Party, Witness
from paywright_codegen.documents.json_schema import message_schema
from paywright_codegen.lint.linter import lint
from paywright_codegen.model.contract import Contract
from tests.codegen.diff.edits import alone, drawn_edit
from tests.codegen.diff.oracle import Oracle, effects_of, judged, party
from tests.support.contract import contract

PARTS, EACH = 20, 100
FEW = 6
NOT_IN_SCHEMA = {"two-currencies", "pair-of-the-two"}


@cache
def base(name: str) -> Party:
    return party(alone(contract(), name))


def drawn_change(random: Random) -> tuple[str, Contract] | None:
    """A change of one operation that the linter takes, or nothing."""
    name = random.choice([*contract().operations])
    _, edited = drawn_edit(contract(), name, random)
    if not Walk(contract(), edited).changes or lint(edited):
        return None
    return name, alone(edited, name)


def takes(whole: Contract, witness: Witness, document: object) -> bool:
    """Whether the exported schema takes a document: a judge that shares nothing with the validators."""
    operation = whole.operations[witness.use.message.rpartition(".")[0]]
    message = next(one for one in operation.messages if one.name == witness.use.message)
    return jsonschema_rs.Draft202012Validator(message_schema(whole, message)).is_valid(document)


def confirm(old: Contract, new: Contract, witness: Witness) -> None:
    """Assert that the schemas of both sides tell the document of a witness apart as the validators do."""
    document = json.loads(json.dumps(witness.document, default=lambda one: float(Decimal(one))))
    writer, reader = (old, new) if witness.effect == "narrowed" else (new, old)
    assert takes(writer, witness, document), document
    assert not takes(reader, witness, document), document


def judge_changes(seed: int, count: int, documents: int, mutated: int, record: Callable[[str, object], None]) -> None:
    random = Random(seed)
    oracle = Oracle(random, documents, mutated)
    counts: Counter[str] = Counter()
    while counts["changes"] < count:
        drawn = drawn_change(random)
        if drawn is None:
            continue
        name, edited = drawn
        new = party(edited)
        try:
            shown = oracle.effects(base(name), new, name)
        except (AssertionError, IndexError, StopIteration):  # the helpers draw no document of this contract
            continue
        verdicts = judged(base(name), new)
        ours = effects_of(verdicts)
        assert shown.keys() <= ours, (name, [one.change for one in verdicts], shown)
        counts["changes"] += 1
        counts["agree"] += ours == shown.keys()
        counts["not shown, and taken for a break"] += any(one.unshown and one.wire > 1 for one in verdicts)
        for witness in (witness for one in verdicts for witness in one.witnesses):
            if not witness.use.is_header and witness.code not in NOT_IN_SCHEMA:
                confirm(base(name).contract, edited, witness)
                counts["witnesses that the schemas confirm"] += 1
    for what, number in {**counts, "documents": oracle.judged}.items():
        record(f"count: drawn changes: {what}", number)
    assert counts["agree"] >= int(0.9 * count)  # where the oracle draws no such document, the witness is one


@pytest.mark.slow
def test_the_wire_verdict_agrees_with_documents_of_both_sides(record_property: Callable[[str, object], None]) -> None:
    judge_changes(31, FEW, 4, 100, record_property)


@pytest.mark.full
@pytest.mark.parametrize("part", range(PARTS))
def test_two_thousand_changes_agree_with_documents(part: int, record_property: Callable[[str, object], None]) -> None:
    judge_changes(part, EACH, 10, 150, record_property)

"""The table of verdicts in outcome: what the same message means after a change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from paywright_codegen.diff.report import Verdict, compared
from paywright_codegen.diff.table import Level
from paywright_codegen.diff.witnesses import Party
from paywright_codegen.model.cited import Prose
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import Resolution
from tests.codegen.diff.edits import with_field, with_operation
from tests.support.contract import contract

PATCH, MINOR, MAJOR = Level.PATCH, Level.MINOR, Level.MAJOR


def of_create(**fields: Any) -> Callable[[Contract], Contract]:
    """An edit of the operation that makes a refund."""
    return lambda whole: with_operation(whole, "refunds.create", lambda one: replace(one, **fields))


def of_notification(**fields: Any) -> Callable[[Contract], Contract]:
    return lambda whole: with_operation(whole, "notifications.receive", lambda one: replace(one, **fields))


def of_part(table: str, name: str, **fields: Any) -> Callable[[Contract], Contract]:
    """An edit of one limit, signature, number or the like."""
    return lambda whole: replace(
        whole, **{table: {**getattr(whole, table), name: replace(getattr(whole, table)[name], **fields)}}
    )


def of_state(**flags: bool) -> Callable[[Contract], Contract]:
    """An edit of the state REFUND_SUCCESS."""

    def edit(whole: Contract) -> Contract:
        chosen = whole.sets["RefundStatus"]
        values = tuple(replace(one, **flags) if one.wire == "REFUND_SUCCESS" else one for one in chosen.values)
        return replace(whole, sets={**whole.sets, chosen.name: replace(chosen, values=values)})

    return edit


_NAMES = ("orders.query", "refunds.create", "refunds.query", "notifications.receive")
BASE = replace(
    contract(),
    operations={name: contract().operations[name] for name in _NAMES},
    follows={"refunds": contract().follows["refunds"]},
)
CREATE = BASE.operations["refunds.create"]
SETTLED = CREATE.resolution
assert SETTLED is not None
# What changes: the edit, its verdict, and the verdict of the edit turned round.
TABLE: dict[str, tuple[Callable[[Contract], Contract], Level, Level]] = {
    "the key": (of_create(key="outTradeNo"), MAJOR, MAJOR),
    "the key's case": (of_create(key_ignores_case=True), MAJOR, MAJOR),
    "success": (of_create(succeeds=("code", "OK")), MAJOR, MAJOR),
    "a refusal fewer": (of_create(refuses=CREATE.refuses[1:]), MAJOR, MINOR),
    "no code for a repeat": (of_create(repeats=()), MAJOR, MINOR),
    "a code for what is absent": (of_create(absent=("NONE",)), MINOR, MAJOR),
    "a stale code fewer": (of_create(stale=()), MAJOR, MINOR),
    "nothing settles": (of_create(resolution=Resolution(None)), MAJOR, MAJOR),
    "another query settles": (of_create(resolution=replace(SETTLED, operation="orders.query")), MAJOR, MAJOR),
    "another member settles": (of_create(resolution=replace(SETTLED, by="refundTradeNo")), MAJOR, MAJOR),
    "placed again": (of_create(resolution=replace(SETTLED, placed_again_after="not-exist-interval")), MAJOR, MAJOR),
    "an echo fewer": (of_create(echoes=()), MAJOR, MAJOR),
    "nothing shown": (of_create(shows=CREATE.shows[1:]), MAJOR, MAJOR),
    "no guard": (of_create(guards=()), MINOR, MAJOR),
    "no origin": (of_create(gives_back=CREATE.gives_back[1:]), MAJOR, MINOR),
    "the address": (of_create(post="/v2/refund"), MAJOR, MAJOR),
    "the version": (of_create(version="1.6"), MINOR, MINOR),
    "what a notification is once per": (of_notification(once_per=(("data", "requestNo"),)), MAJOR, MAJOR),
    "what tells a notification": (of_notification(when=("notifyType", "OTHER")), MAJOR, MAJOR),
    "a state is final no more": (of_state(final=False), MAJOR, MAJOR),
    "a state is not paid": (of_state(paid=False), MAJOR, MAJOR),
    "a move fewer": (lambda whole: replace(whole, moves=whole.moves[1:]), MAJOR, MINOR),
    "a lower limit": (of_part("limits", "refund-window", seconds=60), MAJOR, MINOR),
    "a limit fewer": (lambda whole: replace(whole, limits={name: one for name, one in whole.limits.items() if name != "refund-window"}),
        MINOR, MAJOR),
    "fewer decimals": (of_part("limits", "sent-decimals", decimals=2), MAJOR, MINOR),
    "no decimals": (of_part("limits", "sent-decimals", decimals=0), MAJOR, MINOR),
    "what a signature covers": (of_part("signatures", "body", covers="{path}{body}"), MAJOR, MAJOR),
    "how a signature is written": (of_part("signatures", "body", written="{hex of RSA-SHA256}"), MAJOR, MAJOR),
    "how refunds are followed": (of_part("follows", "refunds", by="refundTradeNo"), MAJOR, MAJOR),
    "redaction": (lambda whole: with_field(whole, "Refund", "resultMsg", redaction="pii"), MINOR, MAJOR),
    "what the client sends": (lambda whole: with_field(whole, "refunds.create.request", "keyVersion", sends="2"), MAJOR, MAJOR),
    "words": (of_create(prose=Prose(("Other words.",))), PATCH, PATCH),
    "sections": (of_create(sections=("9.9",)), PATCH, PATCH),
    "examples": (lambda whole: with_field(whole, "refunds.create.request.data", "outRefundNo", examples=("R1",)), PATCH, PATCH),
    "a question": (of_part("questions", "refund-data", does="otherwise"), PATCH, PATCH),
}  # fmt: skip


def outcome(old: Contract, new: Contract) -> tuple[Verdict, ...]:
    """The verdicts of changes that no validator sees."""
    return compared(*(Party(side, lambda struct, body: ()) for side in (old, new)))[0]


@pytest.mark.parametrize("name", TABLE)
def test_a_change_of_meaning_has_its_level_both_ways(name: str) -> None:
    edit, level, turned = TABLE[name]
    there, back = outcome(BASE, edit(BASE)), outcome(edit(BASE), BASE)
    assert max(one.outcome for one in there) == level, there
    assert max(one.outcome for one in back) == turned, back
    assert all(one.change.places != ("", "") for one in (*there, *back))


def test_an_operation_added_is_minor_and_removed_is_major() -> None:
    fewer = replace(contract(), operations={"refunds.create": CREATE}, follows={})
    added, removed = outcome(fewer, contract()), outcome(contract(), fewer)
    assert {one.level for one in added if one.change.key == "Contract.operations"} == {MINOR}
    gone = [one for one in removed if one.change.key == "Contract.operations"]
    assert {one.level for one in gone} == {MAJOR}
    assert len(gone) == len(contract().operations) - 1

"""What always holds of notifications and of the log: nothing is lost, nothing is told twice, every byte is accounted for."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from paywright import validate
from paywright_runtime.signing.rsa import RsaVerifier, SignatureProblem
from paywright_sandbox.delivery.outbox import KINDS, notification
from paywright_sandbox.delivery.tasks import foreign_signer, outgoing_request
from paywright_sandbox.engine.state.store import instant
from paywright_sandbox.faults.rules import rules_of
from tests.sandbox.helpers.machine_faults import OF_NOTIFICATIONS, WIRE
from tests.sandbox.helpers.machine_world import World

ATTEMPTS = 6  # of the default schedule
BILL = "merchant.validate_bill_payment"
APPS = {"app_sandbox_1": 0, "app_sandbox_2": 1}

Row = dict[str, Any]


def notifications_are_kept_and_delivered(
    world: World, before: dict[int, Row], attempts: list[Any], events: list[Any], records: list[Any]
) -> None:
    rows = world.rows["notifications"]
    told = Counter((APPS[row["merchant"]], row["kind"], row["about"]) for row in rows.values())
    assert told == +world.model.told
    made = Counter(attempt["notification"] for attempt in attempts if not attempt["asked"])
    now = instant(world.now)
    for number, row in rows.items():
        assert row["attempts"] == made[number]
        if row["status"] == "DUE":  # still due
            assert row["next_at"] is not None
            assert row["attempts"] < ATTEMPTS
        else:
            assert row["next_at"] is None
            assert row["status"] != "ACKNOWLEDGED" or row["body"] in world.shop.acknowledged  # it really was
            assert row["status"] != "USED_UP" or row["attempts"] == ATTEMPTS
        if number not in before:
            assert row["created_at"] <= now
            one_is_as_the_contract_shows_it_and_signed(world, row)
            world.count("notifications judged")
    sent = [record for record in records if record["kind"] == "notify" and record["operation"] != BILL]
    spoiled = Counter(kind for kind in (how_spoiled(world, record) for record in sent) if kind)
    struck = Counter(detail["kind"] for detail in strikes(events) if detail["kind"] in OF_NOTIFICATIONS)
    assert spoiled == Counter({kind: count for kind, count in struck.items() if kind in ("wrong-key", "corrupted")})
    tried = len(attempts) - world.attempts
    assert len(sent) == tried + struck["duplicate"]
    world.attempts = len(attempts)
    world.count("outgoing_requests", len(sent))
    for kind, count in struck.items():
        world.count(f"struck: {kind}", count)


def one_is_as_the_contract_shows_it_and_signed(world: World, row: Row) -> None:
    with world.engine.store.transaction() as state:
        found = notification(state, row["id"])
    assert found is not None
    outgoing, kind = outgoing_request(world.engine, found), KINDS[row["kind"]]
    assert outgoing.body == row["body"]
    world.at.verifier.verify(outgoing.body, dict(outgoing.headers)["sign"])
    if kind.operation is not None:
        assert validate(kind.operation, "notification", outgoing.body, headers=outgoing.headers) == []
    else:  # its contents are not shown: the policy says so with it
        assert dict(outgoing.headers)["X-Sandbox-Policy"] == "unshown-notifications"
    body = json.loads(outgoing.body)
    assert (body["notifyType"], body["appId"]) == (row["kind"], row["merchant"])


def how_spoiled(world: World, record: Row) -> str | None:
    """None for a parcel as it should be; else which fault it must have met."""
    headers = dict(json.loads(record["request_headers"]))
    meant = [row for row in world.rows["notifications"].values() if row["about"] == record["key"]]
    try:
        world.at.verifier.verify(record["request"], headers["sign"])
    except SignatureProblem:
        if any(row["body"] == record["request"] for row in meant):
            RsaVerifier([foreign_signer().public]).verify(record["request"], headers["sign"])
            return "wrong-key"
        assert any(differ_in_one_byte(row["body"], record["request"]) for row in meant)
        return "corrupted"
    assert any((row["body"], row["url"]) == (record["request"], record["url"]) for row in meant)
    return None


def differ_in_one_byte(one: bytes, other: bytes) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def strikes(events: list[Any]) -> list[dict[str, Any]]:
    return [json.loads(event["detail"]) for event in events if event["kind"] == "fault.struck"]


def the_log_is_whole(world: World, events: list[Any], records: list[Any]) -> None:
    """One record for each exchange, with the bytes of both sides as they were; the rules count what they struck."""
    calls = [record for record in records if record["kind"] == "call"]
    assert len(calls) == len(world.exchanges)
    for record, (raw, reply, struck) in zip(calls, world.exchanges, strict=True):
        kind = struck.rule.kind if struck else ""
        assert (record["request"], record["fault"]) == (raw, struck.name if struck else None)
        if kind in ("reset", "hang"):
            assert (record["status"], record["response"]) == (None, None)
        else:
            sent = reply.body[: len(reply.body) // 2] if kind == "cut" else reply.body
            assert (record["status"], record["response"]) == (reply.status, sent)
            length = ["content-length", str(len(reply.body))]
            assert json.loads(record["response_headers"]) == [*map(list, reply.headers), length]
        assert (reply.fault is not None) == (kind in WIRE)
        if kind:
            world.count(f"struck: {kind}")
    of_answers = [detail for detail in strikes(events) if detail["kind"] not in OF_NOTIFICATIONS]
    assert [(one["rule"], one["when"]) for one in of_answers] == [
        (struck.rule.id, struck.rule.when) for _, _, struck in world.exchanges if struck
    ]
    posted = [record["request"] for record in records if record["kind"] == "notify" and record["url"] == world.shop.url]
    assert posted == [got.raw for got in world.shop.got]
    known = {rule.id: rule for rule in world.book.rules}
    assert [rule.id for rule in rules_of(world.engine).rules()] == list(known)
    for rule in rules_of(world.engine).rules():
        must = known[rule.id]
        if rule.of_notifications:
            assert rule.struck <= max(0, rule.seen - rule.skip)
            assert rule.times is None or rule.struck <= rule.times
            assert rule.probability != 1 or rule.times is not None or rule.struck == max(0, rule.seen - rule.skip)
        else:
            assert (rule.seen, rule.struck) == (must.seen, must.struck)
    world.count("exchanges judged", len(world.exchanges))
    for event in events:
        world.count(f"event: {event['kind']}")
    world.exchanges, world.shop.got = [], []
    world.records = max([world.records, *(record["id"] for record in records)])
    world.events = max([world.events, *(event["seq"] for event in events)])

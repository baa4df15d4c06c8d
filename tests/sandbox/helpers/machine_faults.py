"""Which fault must strike which call, worked out beside the sandbox, and what the struck answer must be."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256

from paywright import validate
from paywright.contract import CONTRACT
from paywright_runtime.signing.rsa import SignatureProblem
from paywright_sandbox.engine.responses import HttpReply
from tests.sandbox.helpers.desk import Desk

WIRE = ("reset", "hang", "cut", "drip")
OF_ANSWERS = (*WIRE, "html", "bad-signature", "no-signature", "code", "another-answer", "stale-answer")
OF_NOTIFICATIONS = ("duplicate", "late", "reordered", "wrong-key", "corrupted")
SEED = "1"
WHENS = {kind: ("after",) if kind == "drip" else ("before", "after") for kind in OF_ANSWERS}

Headers = tuple[tuple[str, str], ...]


@dataclass
class Planted:
    """A rule of the sandbox as it was planted, with the counts that it must have."""

    id: int
    kind: str
    when: str = "after"
    operation: str | None = None
    key: str | None = None
    skip: int = 0
    times: int | None = None
    probability: str = "1"
    seen: int = 0
    struck: int = 0

    @property
    def used_up(self) -> bool:
        return self.times is not None and self.struck >= self.times

    def draws(self) -> bool:
        self.seen += 1
        drawn = int.from_bytes(sha256(f"{SEED}:fault:{self.id}:{self.seen}".encode()).digest()[:8])
        hit = self.seen > self.skip and drawn < Decimal(self.probability) * 2**64
        self.struck += hit
        return hit


@dataclass
class Struck:
    rule: Planted
    earlier: tuple[Headers, bytes] | None = None

    @property
    def name(self) -> str:
        return f"{self.rule.kind} {self.rule.when}"


@dataclass
class Book:
    """The rules that are planted, in order, and the good answers so far: (merchant, operation, key, headers, body)."""

    rules: list[Planted] = field(default_factory=list)
    good: list[tuple[int, str, str | None, Headers, bytes]] = field(default_factory=list)

    def strikes(self, who: int, operation: str, key: str | None) -> Struck | None:
        """What must strike the call that is about to be made; it counts it."""
        for rule in self.rules:
            if rule.kind in OF_NOTIFICATIONS or rule.used_up or rule.operation not in (None, operation):
                continue
            if rule.key is not None and (key is None or rule.key.lower() != key.lower()):
                continue
            earlier = None
            if rule.kind in ("another-answer", "stale-answer"):
                earlier = self._earlier(rule.kind, who, operation, key)
                if earlier is None:
                    continue
            if rule.draws():
                return Struck(rule, earlier)
        return None

    def _earlier(self, kind: str, who: int, operation: str, key: str | None) -> tuple[Headers, bytes] | None:
        of = [
            (known and known.lower(), headers, body)
            for whose, name, known, headers, body in self.good
            if (whose, name) == (who, operation)
        ]
        meant = key and key.lower()
        others = [(headers, body) for known, headers, body in of if known != meant and names_its_key(operation, body)]
        if kind == "another-answer":
            found = others[::-1]
        else:
            found = [(headers, body) for known, headers, body in of if known == meant] + others
        return found[0] if found else None


def names_its_key(operation: str, answer: bytes) -> bool:
    body = json.loads(answer)
    told = {**body, **(body.get("data") or {})}
    return any(isinstance(told.get(name), str) and told[name] for name in CONTRACT.operation(operation).echoes)


def key_of(operation: str, data: dict[str, object]) -> str | None:
    facts = CONTRACT.operation(operation)
    values = [data.get(name) for name in (facts.key, *facts.echoes) if name]
    return next((value for value in values if isinstance(value, str) and value), None)


def judge_spoiled(desk: Desk, operation: str, struck: Struck, reply: HttpReply) -> dict[str, object] | None:
    """The true answer where it is still in the reply; None where the client could not know it."""
    kind = struck.rule.kind
    if kind in WIRE:
        assert reply.fault is not None
        assert reply.fault.kind == kind
        return desk.judged(operation, reply)
    assert reply.fault is None
    signatures = [value for name, value in reply.headers if name == "sign"]
    if kind == "html":
        assert (reply.status, signatures) == (502, [])
        assert reply.body.startswith(b"<html>")
        return None
    assert reply.status == 200
    if kind == "no-signature":
        assert signatures == []
        assert validate(operation, "response", reply.body) == []
    elif kind == "bad-signature":
        assert validate(operation, "response", reply.body, headers=reply.headers) == []
        try:
            desk.verifier.verify(reply.body, signatures[0])
        except SignatureProblem:
            return None
        raise AssertionError("the signature holds")
    elif kind == "code":
        answer = desk.judged(operation, reply)
        member, good = CONTRACT.operation(operation).succeeds or ("code", "APPLY_SUCCESS")
        assert answer[member] != good
        assert answer.get("code", "SYSTEM_ERROR") == "SYSTEM_ERROR"
    else:
        assert struck.earlier == (reply.headers, reply.body)
        desk.judged(operation, reply)
    return None

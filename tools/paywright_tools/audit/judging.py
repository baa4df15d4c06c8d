"""Judging one exchange: schema and signature of both messages. Findings hold places, codes and words, never a value."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from paywright import validate
from paywright.contract import CONTRACT
from paywright_runtime.facts import Operation
from paywright_runtime.redact import shown
from paywright_tools.audit.matching import Match
from paywright_tools.audit.records import Exchange, Lost, Message, Parsed
from paywright_tools.audit.signatures import Keys, Verdict

__all__ = ["Finding", "Judged", "judge"]

_LONGEST: Final = 200
_MOST: Final = 100
_SIGN: Final = "@header/sign"
_SNAP_SIGN: Final = "@header/X-SIGNATURE"


class Finding(NamedTuple):
    """One thing that is wrong. `part` is the message: request, response, notification or answer."""

    operation: str
    part: str
    pointer: str
    code: str
    message: str


class Judged:
    """What became of one exchange: the findings, every signature's verdict, and the messages that could not be judged."""

    __slots__ = ("findings", "signatures", "unanswered", "unjudged")

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.signatures: list[Verdict] = []
        self.unjudged = 0
        self.unanswered = False


def judge(exchange: Exchange, match: Match, keys: Keys) -> Judged:
    """All that the contract and the keys say of an exchange."""
    judged = Judged()
    operation = match.operation
    if operation is None:
        _sign(judged, "", "notification", _SIGN, keys.judge(exchange.request, by_merchant=False), required=True)
        return judged
    asked, answered = operation.roles
    inbound = operation.inbound
    _schema(judged, operation, asked, exchange.request)
    verdict = keys.judge(exchange.request, by_merchant=not inbound)
    _sign(judged, operation.name, asked, _SIGN, verdict, required=_due(operation.request_headers, "sign"))
    if _due(operation.request_headers, "X-SIGNATURE"):
        snap = keys.judge_snap(exchange.request, operation)
        _sign(judged, operation.name, asked, _SNAP_SIGN, snap, required=True)
    answer = exchange.response
    if answer is None:
        judged.unanswered = True
    elif answer.status != 200:
        words = f"is {answer.status}; the service's answers come with 200, and of others nothing is shown"
        judged.findings.append(Finding(operation.name, answered, "@status", "http-status", words))
    else:
        _schema(judged, operation, answered, answer)
        if not inbound:
            verdict = keys.judge(answer, by_merchant=False)
            due = _due(operation.response_headers, "sign")
            _sign(judged, operation.name, answered, _SIGN, verdict, required=due)
    return judged


def _schema(judged: Judged, operation: Operation, part: str, message: Message) -> None:
    body = message.body
    if isinstance(body, Lost):
        judged.unjudged += 1
        return
    try:
        value = body.value if isinstance(body, Parsed) else body.raw
        found = validate(operation.name, part, value, headers=list(message.headers))
    except RecursionError:  # a parsed body of our own parser is never as deep; whoever calls with another's is told
        judged.findings.append(Finding(operation.name, part, "", "json", "is nested too deeply"))
        return
    for violation in found[:_MOST]:
        # Whether a signature is there is the signatures' matter, told once.
        if violation.pointer in (_SIGN, _SNAP_SIGN) and violation.code in ("required", "duplicate"):
            continue
        pointer, words = _plain(violation.pointer), _plain(violation.message)
        judged.findings.append(Finding(operation.name, part, pointer, violation.code, words))
    if len(found) > _MOST:
        words = f"and {len(found) - _MOST} more violations, which are not listed"
        judged.findings.append(Finding(operation.name, part, "", "more", words))


def _sign(judged: Judged, operation: str, part: str, pointer: str, verdict: Verdict, *, required: bool) -> None:
    if verdict.state == "absent" and not required:
        return
    judged.signatures.append(verdict)
    if verdict.state in ("invalid", "absent"):
        code = f"signature-{verdict.state}"
        judged.findings.append(Finding(operation, part, pointer, code, verdict.words))


def _due(headers: str | None, name: str) -> bool:
    field = CONTRACT.struct(headers).by_wire.get(name) if headers else None
    return field is not None and field.required


_DIGITS: Final = re.compile(r"[0-9](?:[ .-]?[0-9]){11,}")


def _plain(text: str) -> str:
    """Fit for any terminal and for any eye: names of members come from the message, and may be anything."""
    return shown(_DIGITS.sub("****", text), _LONGEST)

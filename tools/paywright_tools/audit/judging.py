"""Judging one exchange: schema, headers, signatures, time and echoes. All of it is a function of that exchange alone."""

from __future__ import annotations

from typing import Final, cast

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.facts import Operation
from paywright_runtime.validation import find_half_pairs
from paywright_runtime.violations import Report
from paywright_tools.audit.bodies import Reading, cut_short, read
from paywright_tools.audit.findings import Finding
from paywright_tools.audit.matching import Match
from paywright_tools.audit.plan import HeaderPlan, MessagePlan, OperationPlan, Path, plan_of, unknown_notification
from paywright_tools.audit.records import Exchange, Lost, Message, Parsed
from paywright_tools.audit.signatures import Keys, Verdict
from paywright_tools.audit.times import seconds
from paywright_tools.audit.wording import finding_of, plain

__all__ = ["Judged", "judge", "judge_content", "judge_signatures", "value_at", "within_data"]

_MOST: Final = 100
_SIGN: Final = "@header/sign"
_SNAP_SIGN: Final = "@header/X-SIGNATURE"
_SKEW: Final = CONTRACT.limits()["request-skew"].seconds or 0


_Due = tuple[int, str, Message, object, bool, bool, str | None]
"""A signature that is to be judged: of the request (0) or the answer (1), the part's name, the message, the header's value
(None: absent), whether there are several, whether it is the merchant's, and for the bank-style one the path it covers."""


class Judged:
    """What became of one exchange: the findings, every signature's verdict, and the messages that could not be judged.

    `asked` and `answered` are the bodies as parsed JSON (None where they cannot be read). `trust_asked` and
    `trust_answered` say of each whether it may be held against others: it is signed, or at least nothing shows that it is
    not what was sent. `plan` is None for a notification that the contract does not show.
    """

    __slots__ = (
        "answered", "asked", "due", "findings", "plan", "signatures", "trust_answered", "trust_asked", "unanswered",
        "unjudged",
    )  # fmt: skip

    def __init__(self, plan: OperationPlan | None, asked: object) -> None:
        self.findings: list[Finding] = []
        self.signatures: list[Verdict] = []
        self.due: list[_Due] = []
        self.unjudged = 0
        self.unanswered = False
        self.plan = plan
        self.asked = asked
        self.answered: object = None
        self.trust_asked = self.trust_answered = True

    def distrust(self, side: int) -> None:
        """The request (0) or the answer (1) proves nothing."""
        if side:
            self.trust_answered = False
        else:
            self.trust_asked = False


def judge(exchange: Exchange, match: Match, keys: Keys) -> Judged:
    """All that the contract and the keys say of an exchange."""
    judged = judge_content(exchange, match)
    judge_signatures(judged, keys)
    return judged


def judge_content(exchange: Exchange, match: Match) -> Judged:
    """All but the signatures, which are noted as due: many are judged in a row, which is much faster."""
    operation = match.operation
    request = exchange.request
    if operation is None:
        judged = Judged(None, match.reading[0])
        found, repeated = unknown_notification().known(request.headers)
        judged.due.append((0, "notification", request, found.get("sign"), "sign" in repeated, False, None))
        return judged
    plan = plan_of(operation.name)
    judged = Judged(plan, match.reading[0])
    inbound = operation.inbound
    asked = plan.asked
    _message(judged, 0, asked, operation, request, match.reading, not inbound)
    if asked.headers is not None and asked.headers.snap:
        judged.due.append((0, asked.part, request, None, False, True, match.path))
    if plan.clock is not None and exchange.at is not None:
        _clock(judged, plan, plan.clock, exchange.at, cast(float, exchange.until))
    answer = exchange.response
    if answer is None:
        judged.unanswered = True
    elif answer.status != 200:
        words = f"is {answer.status}; the service's answers come with 200, and of others nothing is shown"
        judged.findings.append(Finding(operation.name, plan.answered.part, "@status", "http-status", words))
        judged.trust_answered = False
    else:
        reading = read(answer)
        judged.answered = reading[0]
        _message(judged, 1, plan.answered, operation, answer, reading, inbound)
        if plan.echoes:
            _echo(judged, plan)
    return judged


def judge_signatures(judged: Judged, keys: Keys) -> None:
    """The signatures that are due."""
    for side, part, message, signature, several, by_merchant, path in judged.due:
        if path is None:
            verdict = keys.judge_one(message, signature, by_merchant=by_merchant, several=several)
        else:
            verdict = keys.judge_snap(message, path)
        judged.signatures.append(verdict)
        state = verdict.state
        if state == "invalid" or state == "absent":
            judged.distrust(side)
            name = judged.plan.name if judged.plan is not None else ""
            pointer = _SIGN if path is None else _SNAP_SIGN
            judged.findings.append(Finding(name, part, pointer, f"signature-{state}", verdict.words))
    judged.due.clear()


def _message(
    judged: Judged,
    side: int,
    plan: MessagePlan,
    operation: Operation,
    message: Message,
    reading: Reading,
    by_merchant: bool,
) -> None:
    bad = Report()
    body = message.body
    value, repeated, why = reading
    if type(value) is dict:
        if type(body) is Parsed:
            find_half_pairs(value, "", bad)
        plan.check(value, "", bad)
    elif isinstance(body, Lost) or (why and cut_short(message)):
        judged.unjudged += 1
    elif why:
        judged.distrust(side)  # what cannot be read says nothing
        bad.add("", "json", f"is not strict JSON: {strict_json.WHY[why]}")
    else:
        bad.add("", "type", "must be a JSON object")
    if repeated:
        for pointer in repeated:
            bad.add(pointer, "duplicate", "stands more than once")
    headers = plan.headers
    if headers is not None:
        found, several = headers.known(message.headers)
        if several:
            for wire in several:
                bad.add(f"@header/{wire}", "duplicate", "stands more than once")
        headers.check(found, bad)
        sign = found.get("sign")
        if sign is not None or headers.sign_due:
            judged.due.append((side, plan.part, message, sign, "sign" in several, by_merchant, None))
    if bad.found:
        _violations(judged, plan, operation, bad, value, headers)


def _violations(
    judged: Judged, plan: MessagePlan, operation: Operation, bad: Report, value: object, headers: HeaderPlan | None
) -> None:
    # Only what is listed is put into words: a message may break the contract a million times.
    unique: dict[tuple[str, str], tuple[str, str, str]] = {}
    for one in bad.found:
        unique.setdefault(one[:2], one)
    bad.found = list(unique.values())[:_MOST]
    for violation in bad.violations(CONTRACT, plan.struct):
        # Whether a signature is there is the signatures' matter, told once.
        if violation.pointer in (_SIGN, _SNAP_SIGN) and violation.code in ("required", "duplicate"):
            continue
        judged.findings.append(finding_of(operation.name, plan, headers, violation, value))
    if len(unique) > _MOST:
        words = f"and {len(unique) - _MOST} more violations, which are not listed"
        judged.findings.append(Finding(operation.name, plan.part, "", "more", words))


def _clock(judged: Judged, plan: OperationPlan, member: str, at: float, until: float) -> None:
    asked = judged.asked
    text = asked.get(member) if type(asked) is dict else None
    time = seconds(text)
    if time is not None and not at - _SKEW <= time <= until + _SKEW:
        field = CONTRACT.struct(plan.asked.struct).by_wire[member]
        away = round(at - time if time < at else time - until)
        words = f"is {away} seconds from the time of the capture; at most {_SKEW} are allowed"
        line = f"{field.file or plan.operation.file}:{field.line}"
        judged.findings.append(
            Finding(plan.name, plan.asked.part, f"/{member}", "request-skew", words, line, text, field.redaction)
        )


def _echo(judged: Judged, plan: OperationPlan) -> None:
    for name, asked, answered in plan.echoes:
        mine = within_data(judged.asked, asked).get(name)
        other = within_data(judged.answered, answered).get(name)
        if mine == other or not mine or not other:
            continue
        if type(mine) is str and type(other) is str and mine.isascii() and mine.lower() == other.lower():
            continue  # keys are compared without case [4.1]
        operation = plan.operation
        judged.trust_answered = False
        words = f"is not the {name} that was asked for: this is the answer to another request"
        line = f"{operation.file}:{operation.line}"
        pointer = f"/data/{name}" if answered else f"/{name}"
        judged.findings.append(Finding(plan.name, plan.answered.part, pointer, "echo", plain(words), line, other))


_NOTHING: Final[dict[str, object]] = {}


def within_data(value: object, data: bool) -> dict[str, object]:
    """The members of a message, or of its `data`; none where it is no object."""
    if data:
        value = value.get("data") if type(value) is dict else None
    return value if type(value) is dict else _NOTHING


def value_at(value: object, path: Path) -> object:
    """What stands at a path of member names, or None."""
    for name in path:
        if type(value) is not dict:
            return None
        value = value.get(name)
    return value

"""Judge one exchange, independently of all others: schema, headers, signatures, time and echoes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.input.body_decoding import PACKED, Reading, cut_short, read
from paywright_audit.input.records import Exchange, Lost, Message, Parsed
from paywright_audit.input.times import seconds
from paywright_audit.judging.finding_text import finding_of, line_of, plain
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.matching import Match
from paywright_audit.judging.operation_facts import (
    CURRENT_KEY,
    HeaderFacts,
    MessageFacts,
    OperationFacts,
    Path,
    facts_of,
    members_from,
    unknown_notification,
)
from paywright_audit.judging.signatures import VALID, Keys, Verdict
from paywright_runtime import strict_json
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.validation import find_half_pairs
from paywright_runtime.contract.violations import Report
from paywright_runtime.contract.wording import describe_violations

__all__ = ["Judged", "judge", "judge_content", "judge_signatures", "object_at", "value_at"]

_MOST: Final = 100
_SIGN: Final = "@header/sign"
_SNAP_SIGN: Final = "@header/X-SIGNATURE"
_SKEW: Final = CONTRACT.limits()["request-skew"].seconds or 0


_Due = tuple[int, str, Message, object, bool, bool, str | None]
"""A signature that is to be judged: of the request (0) or the answer (1), the part's name, the message, the header's value
(None: absent), whether there are several, whether it is the merchant's, and for the bank-style one the path it covers."""


class Judged:
    """The result for one exchange: findings, the verdict on every signature, and the messages that could not be judged.

    `asked` and `answered` are the bodies as parsed JSON (None if they cannot be read). `trust_asked` and
    `trust_answered` say whether the message may be used as evidence: it is signed, or at least nothing shows that it
    was altered. `proven` is 1 if the gateway's signature of its message was verified. `lost` says that there was a
    response which the capture does not have. `judged` is the number of bodies judged. `facts` is None for a
    notification that the specification does not show.
    """

    __slots__ = (
        "answered",
        "asked",
        "due",
        "facts",
        "findings",
        "judged",
        "lost",
        "proven",
        "request",
        "signatures",
        "skewed",
        "trust_answered",
        "trust_asked",
        "unanswered",
        "unjudged",
    )  # fmt: skip

    def __init__(self, facts: OperationFacts | None, asked: object, request: Message) -> None:
        self.findings: list[Finding] = []
        self.signatures: list[Verdict] = []
        self.due: list[_Due] = []
        self.unjudged = 0
        self.unanswered = False
        self.facts = facts
        self.asked = asked
        self.request = request
        self.answered: object = None
        self.trust_asked = self.trust_answered = True
        self.judged = 0
        self.lost = False
        self.proven = 0
        self.skewed: Finding | None = None

    def distrust(self, side: int) -> None:
        """Mark the request (0) or the response (1) as proving nothing."""
        if side:
            self.trust_answered = False
        else:
            self.trust_asked = False


def judge(exchange: Exchange, match: Match, keys: Keys) -> Judged:
    """Return all findings of an exchange by the contract and the keys."""
    judged = judge_content(exchange, match)
    judge_signatures(judged, keys)
    return judged


def judge_content(exchange: Exchange, match: Match) -> Judged:
    """Judge everything but the signatures, which are queued: verifying many in a row is much faster."""
    operation = match.operation
    request = exchange.request
    if operation is None:
        judged = Judged(None, match.reading[0], request)
        if match.reading[2] and not _lost(request, match.reading[2]):
            words = f"is not strict JSON: {strict_json.WHY[match.reading[2]]}"
            judged.findings.append(Finding("", "notification", "", "json", words))
            judged.trust_asked = False
        found, repeated = unknown_notification().known(request.headers)
        judged.due.append((0, "notification", request, found.get("sign"), "sign" in repeated, False, None))
        return judged
    facts = facts_of(operation.name)
    if exchange.method is not None and exchange.method != "POST":
        return _other_method(facts, request, exchange.method)
    judged = Judged(facts, match.reading[0], request)
    inbound = operation.inbound
    asked = facts.asked
    _message(judged, 0, asked, operation, request, match.reading, not inbound)
    if asked.headers is not None and asked.headers.snap:
        judged.due.append((0, asked.part, request, None, False, True, match.path))
    version = judged.asked.get("keyVersion") if type(judged.asked) is dict else None
    if version is None and facts.key_version is not None:
        version = value_at(judged.asked, facts.key_version)
    if version != CURRENT_KEY and type(version) is str:
        judged.findings.append(_other_key(facts, version))
    if facts.clock is not None and exchange.at is not None and exchange.until is not None:
        _clock(judged, facts, facts.clock, exchange.at, exchange.until)
    answer = exchange.response
    if answer is None:
        judged.unanswered = True
    elif answer.status != 200:
        if inbound and operation.decision is None:
            words, code = f"is {answer.status}: the notification was not acknowledged", "not-acknowledged"
        else:
            words = f"is {answer.status}; the gateway's answers have 200, and the specification shows no others"
            code = "http-status"
        judged.findings.append(Finding(operation.name, facts.answered.part, "@status", code, words))
        judged.trust_answered = False
    else:
        reading = read(answer)
        judged.answered = reading[0]
        _message(judged, 1, facts.answered, operation, answer, reading, inbound)
        if facts.echoes:
            _echo(judged, facts)
        if facts.each_echoes:
            _echo_each(judged, facts)
    return judged


def judge_signatures(judged: Judged, keys: Keys) -> None:
    """Judge the queued signatures."""
    bound = keys.bound
    for side, part, message, signature, several, by_merchant, path in judged.due:
        names = named_merchants(judged.asked, judged.request) if bound else ()
        if path is None:
            verdict = keys.judge_one(message, signature, by_merchant=by_merchant, several=several, names=names)
            if verdict is VALID:
                if not by_merchant:
                    judged.proven = 1
                judged.signatures.append(verdict)
                continue
        else:
            verdict = keys.judge_snap(message, path, names=names)
        judged.signatures.append(verdict)
        state = verdict.state
        if state == "valid" or verdict.why == "no_key":
            continue
        if state != "unverifiable":
            judged.distrust(side)
        name = judged.facts.name if judged.facts is not None else ""
        pointer = _SIGN if path is None else _SNAP_SIGN
        judged.findings.append(Finding(name, part, pointer, f"signature-{state}", verdict.words))
    judged.due.clear()
    if judged.skewed is not None:
        judged.findings.append(_skew(judged, judged.skewed))


def _message(
    judged: Judged,
    side: int,
    facts: MessageFacts,
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
        facts.check(value, "", bad)
        judged.judged += 1
    elif isinstance(body, Lost) or (why and _lost(message, why)):
        judged.unjudged += 1
        judged.lost = judged.lost or side == 1
    elif why:
        judged.judged += 1
        judged.distrust(side)  # an unreadable message proves nothing
        bad.add("", "json", f"is not strict JSON: {strict_json.WHY[why]}")
    else:
        judged.judged += 1
        bad.add("", "type", "must be a JSON object")
    if repeated:
        for pointer in repeated:
            bad.add(pointer, "duplicate", "is repeated")
    headers = facts.headers
    if headers is not None:
        usual = headers.usual(message.headers)
        sign: object
        several: Sequence[str] = ()
        if usual is not None:
            (sign,) = usual
        else:
            found, several = headers.known(message.headers)
            for wire in several:
                bad.add(f"@header/{wire}", "duplicate", "is repeated")
            headers.check(found, bad)
            sign = found.get("sign")
        if sign is not None or headers.sign_due:
            judged.due.append((side, facts.part, message, sign, "sign" in several, by_merchant, None))
        elif side == 1 and operation.envelope == "snap":
            judged.distrust(side)
            words = "has no sign header; the specification does not show whether it needs one, and the client refuses such an answer by default"
            judged.findings.append(Finding(operation.name, facts.part, _SIGN, "unsigned-answer", words))
    if bad.found:
        _violations(judged, facts, operation, bad, value, headers)


def _violations(
    judged: Judged, facts: MessageFacts, operation: Operation, bad: Report, value: object, headers: HeaderFacts | None
) -> None:
    # Describe only the violations that are listed: a message may have a million.
    unique: dict[tuple[str, str], tuple[str, str, str]] = {}
    for one in bad.found:
        unique.setdefault(one[:2], one)
    bad.found = list(unique.values())[:_MOST]
    for violation in describe_violations(CONTRACT, facts.struct, bad):
        # A missing signature is reported by judge_signatures.
        if violation.pointer in (_SIGN, _SNAP_SIGN) and violation.code in ("required", "duplicate"):
            continue
        judged.findings.append(finding_of(operation.name, facts, headers, violation, value))
    if len(unique) > _MOST:
        words = f"and {len(unique) - _MOST} more violations, which are not listed"
        judged.findings.append(Finding(operation.name, facts.part, "", "more", words))


def _clock(judged: Judged, facts: OperationFacts, member: str, at: float, until: float) -> None:
    asked = judged.asked
    text = asked.get(member) if type(asked) is dict else None
    time = seconds(text)
    if time is not None and not at - _SKEW <= time <= until + _SKEW:
        field = CONTRACT.struct(facts.asked.struct).by_wire[member]
        away = round(at - time if time < at else time - until)
        words = f"is {away} seconds from the time of the capture; at most {_SKEW} are allowed"
        line = CONTRACT.place(facts.asked.struct, member=member)
        judged.skewed = Finding(
            facts.name, facts.asked.part, f"/{member}", "request-skew", words, line, text, field.redaction
        )


def _skew(judged: Judged, finding: Finding) -> Finding:
    """Return the finding, or one about the capture's clock if the gateway accepted the request [2.1, 7.4].

    The gateway checks the time too.
    """
    facts = judged.facts
    answered = judged.answered if judged.trust_answered else None
    if facts is None or type(answered) is not dict or answered.get(facts.code) != facts.success:
        return finding
    words = f"{finding.message}; the gateway, which checks it, accepted it, so the capture's clock is wrong"
    return finding._replace(code="capture-clock", message=words)


def _other_method(facts: OperationFacts, request: Message, method: str) -> Judged:
    judged = Judged(facts, None, request)
    judged.trust_asked = judged.trust_answered = False
    line = CONTRACT.place(facts.name)
    words = f"is {plain(method)[:16]}; every operation uses POST"
    judged.findings.append(Finding(facts.name, facts.asked.part, "@method", "method", words, line))
    return judged


def _other_key(facts: OperationFacts, version: str) -> Finding:
    pointer = "/" + "/".join(facts.key_version or ())
    words = f"is not {CURRENT_KEY}, the only signature algorithm"
    line = CONTRACT.place(facts.name)
    return Finding(facts.name, facts.asked.part, pointer, "other-key-version", words, line, version)


def _lost(message: Message, why: str) -> bool:
    """Return whether the capture lost a body that cannot be read: it is cut off, or compressed in an unsupported way."""
    return why == PACKED or cut_short(message)


def named_merchants(asked: object, request: Message) -> tuple[str, ...]:
    """Return every name by which a request or a notification identifies its merchant."""
    found = [asked.get(name) for name in _NAMES] if type(asked) is dict else []
    return tuple(name for name in (*found, *request.get_all("x-partner-id")) if type(name) is str and name)


_NAMES: Final = members_from("merchant.app_id", "merchant.merchant_no", "merchant.merchant_id", "merchant.member_id")


def _echo(judged: Judged, facts: OperationFacts) -> None:
    for name, asked, answered, folds in facts.echoes:
        mine = object_at(judged.asked, asked).get(name)
        other = object_at(judged.answered, answered).get(name)
        if mine == other or not mine or not other:
            continue
        if folds and type(mine) is str and type(other) is str and mine.isascii() and mine.lower() == other.lower():
            continue  # these keys are compared without case [4.1]
        judged.trust_answered = False
        words = f"is not the {name} that was asked for: this is the answer to another request"
        line = CONTRACT.place(facts.name)
        pointer = "/".join(("", *answered, name))
        judged.findings.append(Finding(facts.name, facts.answered.part, pointer, "echo", plain(words), line, other))


def _echo_each(judged: Judged, facts: OperationFacts) -> None:
    """Find elements of a list that are about something else than was asked for, such as methods of another user."""
    for items, name, asked, answered in facts.each_echoes:
        mine = object_at(judged.asked, asked).get(name)
        listed = object_at(judged.answered, answered).get(items)
        if not mine or type(listed) is not list:
            continue
        repeated = ((place, each.get(name)) for place, each in enumerate(listed) if type(each) is dict)
        others = [(place, other) for place, other in repeated if other and other != mine]
        if not others:
            continue
        judged.trust_answered = False
        struct, part = facts.answered.struct, facts.answered.part
        line = CONTRACT.place(facts.name)
        words = f"is not the {name} that was asked for: the element belongs in the answer to another request"
        for place, other in others[:_MOST]:
            pointer = "/".join(("", *answered, items, str(place), name))
            redaction = line_of(struct, pointer, "echo")[1]
            judged.findings.append(Finding(facts.name, part, pointer, "echo", words, line, other, redaction))
        if len(others) > _MOST:
            words = f"and {len(others) - _MOST} more elements of another {name}, which are not listed"
            judged.findings.append(Finding(facts.name, part, "", "more", words))


_NOTHING: Final[dict[str, object]] = {}


def object_at(value: object, path: Path) -> dict[str, object]:
    """Return the members of the object at a path; none if there is no object."""
    for name in path:
        if type(value) is not dict:
            return _NOTHING
        value = value.get(name)
    return value if type(value) is dict else _NOTHING


def value_at(value: object, path: Path) -> object:
    """Return the value at a path of member names, or None."""
    for name in path:
        if type(value) is not dict:
            return None
        value = value.get(name)
    return value

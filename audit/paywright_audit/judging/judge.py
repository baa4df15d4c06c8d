"""Judge one exchange, independently of all others: schema, headers, signatures, time and echoes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.input.body_decoding import Reading, is_lost, is_masked, read
from paywright_audit.input.records import Decoded, Exact, Exchange, Message, Parsed
from paywright_audit.input.times import seconds
from paywright_audit.judging.clocks import NEAR, SKEW, date_of, is_accepted, skew_of, times_of
from paywright_audit.judging.finding_text import finding_of, is_hidden, line_of, plain
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.judged import JudgedExchange, object_at, value_at
from paywright_audit.judging.matching import Match
from paywright_audit.judging.operation_facts import (
    CURRENT_KEY,
    MessageFacts,
    OperationFacts,
    facts_of,
    members_from,
    unknown_notification,
    unknown_notification_time,
)
from paywright_audit.judging.signatures import VALID, Keys
from paywright_runtime import strict_json
from paywright_runtime.contract.not_asked_for import not_asked_for
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.validation import find_half_pairs
from paywright_runtime.contract.violations import Report
from paywright_runtime.contract.wording import describe_violations

__all__ = ["judge", "judge_content", "judge_signatures", "judge_times"]

_MOST: Final = 100
_SIGN: Final = "@header/sign"
_SNAP_SIGN: Final = "@header/X-SIGNATURE"


def judge(exchange: Exchange, match: Match, keys: Keys) -> JudgedExchange:
    """Judge an exchange by the contract and the keys."""
    judged = judge_content(exchange, match)
    judge_signatures(judged, keys)
    judge_times(judged, exchange)
    return judged


def judge_content(exchange: Exchange, match: Match) -> JudgedExchange:
    """Judge all but the signatures, which are queued, because verifying many in a row is much faster."""
    operation = match.operation
    request = exchange.request
    if operation is None:
        judged = JudgedExchange(None, match.reading[0], request)
        value, _, why = match.reading
        if is_lost(request, why):
            judged.unjudged = 1
        elif why or type(value) is not dict:
            words = f"is not strict JSON: {strict_json.WHY[why]}" if why else "must be a JSON object"
            judged.findings.append(Finding("", "notification", "", "json" if why else "type", words))
            judged.trust_asked = False
        found, repeated = unknown_notification().known(request.headers)
        judged.due.append((0, "notification", request, found.get("sign"), "sign" in repeated, False, None))
        return judged
    facts = facts_of(operation.name)
    if exchange.method is not None and exchange.method != "POST":
        return _other_method(facts, request, exchange.method)
    judged = JudgedExchange(facts, match.reading[0], request)
    inbound = operation.inbound
    asked = facts.asked
    _message(judged, 0, asked, operation, request, match.reading, not inbound)
    if asked.headers is not None and asked.headers.snap:
        judged.due.append((0, asked.part, request, None, False, True, match.path))
    version = judged.asked.get("keyVersion") if type(judged.asked) is dict else None
    if version is None and facts.key_version is not None:
        version = value_at(judged.asked, facts.key_version)
    if version != CURRENT_KEY and type(version) is str and not is_masked(version):
        judged.findings.append(_other_key(facts, version))
    answer = exchange.response
    judged.unclear = match.unclear
    if answer is None:
        judged.unanswered = True
    elif answer.status != 200:
        if inbound and operation.decision is None:
            words, code = f"is {answer.status}: the notification was not acknowledged", "not-acknowledged"
        else:
            words, code = f"is {answer.status}; the specification shows no other status than 200", "http-status"
        judged.findings.append(Finding(operation.name, facts.answered.part, "@status", code, words))
        judged.trust_answered = False
    elif match.unclear:
        # Nothing shows which of several operations it answers.
        judged.unjudged += 1
        judged.lost = True
        if facts.answered.headers is not None:
            found, repeated = facts.answered.headers.known(answer.headers)
            sign = found.get("sign")
            judged.due.append((1, facts.answered.part, answer, sign, "sign" in repeated, False, None))
    else:
        reading = read(answer)
        judged.answered = reading[0]
        _message(judged, 1, facts.answered, operation, answer, reading, inbound)
        if facts.echoes:
            _echo(judged, facts)
        if facts.operation.each_echoes:
            _echo_each(judged, facts)
    return judged


def judge_signatures(judged: JudgedExchange, keys: Keys) -> None:
    """Judge the queued signatures."""
    bound = keys.bound
    for side, part, message, signature, several, by_merchant, path in judged.due:
        names = named_merchants(judged.asked, judged.request) if bound else ()
        if path is None:
            verdict = keys.judge_one(message, signature, by_merchant=by_merchant, several=several, names=names)
            if verdict is VALID:
                if not by_merchant:
                    judged.proven = keys.last
                judged.signatures.append(verdict)
                if side in judged.cut:
                    _judge_whole(judged, side, part)
                continue
        else:
            verdict = keys.judge_snap(message, path, names=names)
        judged.signatures.append(verdict)
        state = verdict.state
        if state == "valid" or verdict.why == "no_key":
            continue
        fits_none = state == "invalid" or verdict.why == "bytes_lost"  # of a text: altered by the capture, or forged
        if state != "unverifiable" or fits_none:
            judged.distrust(side)
            judged.doubted = judged.doubted or (side == 1 and fits_none and type(judged.answered) is dict)
        name = judged.facts.name if judged.facts is not None else ""
        pointer = _SIGN if path is None else _SNAP_SIGN
        judged.findings.append(Finding(name, part, pointer, f"signature-{state}", verdict.words))
    judged.due.clear()


def _message(
    judged: JudgedExchange,
    side: int,
    facts: MessageFacts,
    operation: Operation,
    message: Message,
    reading: Reading,
    by_merchant: bool,
) -> None:
    report = Report()
    body = message.body
    value, repeated, why = reading
    if type(value) is dict:
        if type(body) is Parsed:
            find_half_pairs(value, "", report)
        facts.check(value, "", report)
        judged.judged += 1
    elif is_lost(message, why):
        judged.unjudged += 1
        if isinstance(body, (Exact, Decoded)):
            judged.cut[side] = why
        judged.lost = judged.lost or side == 1
    elif why:
        judged.judged += 1
        judged.distrust(side)  # an unreadable message proves nothing
        report.add("", "json", f"is not strict JSON: {strict_json.WHY[why]}")
    else:
        judged.judged += 1
        report.add("", "type", "must be a JSON object")
    if repeated:
        for pointer in repeated:
            report.add(pointer, "duplicate", "is repeated")
    headers = facts.headers
    found: dict[str, object] = {}
    if headers is not None:
        usual = headers.usual(message.headers)
        sign: object
        several: Sequence[str] = ()
        if usual is not None:
            (sign,) = usual
        else:
            found, several = headers.known(message.headers)
            for wire in several:
                report.add(f"@header/{wire}", "duplicate", "is repeated")
            if message.headers:
                headers.check(found, report)
            sign = found.get("sign")
        if sign is not None or headers.sign_due:
            judged.due.append((side, facts.part, message, sign, "sign" in several, by_merchant, None))
        elif side == 1 and operation.envelope == "snap" and message.headers:
            judged.distrust(side)
            words = "has no sign header; the specification does not show whether it needs one, and the client refuses such an answer by default"
            judged.findings.append(Finding(operation.name, facts.part, _SIGN, "unsigned-answer", words))
    if report.found:
        _violations(judged, facts, operation, report, value, found)


def _judge_whole(judged: JudgedExchange, side: int, part: str) -> None:
    """Judge a body that seemed to be cut off, but has a valid signature: the sender sent it so."""
    judged.unjudged -= 1
    judged.judged += 1
    judged.distrust(side)
    judged.lost = judged.lost and side == 0
    facts = judged.facts
    words = f"is not strict JSON: {strict_json.WHY.get(judged.cut[side], 'it cannot be unpacked')}"
    name, line = "", ""
    if facts is not None:
        name, line = facts.name, line_of((facts.asked, facts.answered)[side].struct, "", "json")[0]
    judged.findings.append(Finding(name, part, "", "json", words, line))


def _violations(
    judged: JudgedExchange,
    facts: MessageFacts,
    operation: Operation,
    report: Report,
    value: object,
    found: Mapping[str, object],
) -> None:
    # Describe only the listed violations: a message may have a million.
    unique: dict[tuple[str, str], tuple[str, str, str]] = {}
    for one in report.found:
        unique.setdefault(one[:2], one)
    report.found = list(unique.values())[:_MOST]
    for violation in describe_violations(CONTRACT, facts.struct, report):
        # A missing signature is reported by judge_signatures.
        if violation.pointer in (_SIGN, _SNAP_SIGN) and violation.code in ("required", "duplicate"):
            continue
        if not is_hidden(facts.struct, violation, value, found):
            judged.findings.append(finding_of(operation.name, facts, violation, value))
    if len(unique) > _MOST:
        words = f"and {len(unique) - _MOST} more violations, which are not listed"
        judged.findings.append(Finding(operation.name, facts.part, "", "more", words))


def judge_times(judged: JudgedExchange, exchange: Exchange) -> None:
    """Find the times of an exchange, and judge the time of a call. Its signatures must be judged before."""
    facts, asked, answer = judged.facts, judged.asked, exchange.response
    at, until = exchange.at, exchange.until
    member = unknown_notification_time() if facts is None else facts.signed
    text: object = None
    if judged.trust_asked:
        if member is not None:
            text = asked.get(member) if type(asked) is dict else None
        elif facts is not None and facts.asked.headers is not None and facts.asked.headers.snap:
            text = "".join(judged.request.get_all("x-timestamp"))
    date = None
    if answer is not None and facts is not None and not facts.operation.inbound:
        date = date_of(answer)
    times = judged.times = times_of(at, until, seconds(text), date, trusted=judged.trust_answered)
    if times is None or at is None or until is None or facts is None or facts.clock is None:
        return
    least, most = at - NEAR, until + NEAR
    if least <= times.early and times.late <= most and (times.signed is None or least <= times.signed <= most):
        return  # the usual case: all clocks agree
    answered = judged.answered if judged.trust_answered else None
    code = answered.get(facts.code) if type(answered) is dict else None
    proven = judged.proven > 0
    if is_accepted(code, proven=proven):
        judged.apart = max(at - times.early, times.late - until)
        if date is not None and times.signed is not None:
            judged.ahead = min(at - date, times.signed - date, SKEW)
    skew = skew_of(facts, code, times, until, date, proven=proven)
    if skew is None or times.signed is None:
        return
    field = CONTRACT.struct(facts.asked.struct).by_wire[facts.clock]
    away = round(at - times.signed if times.signed < at else times.signed - until)
    words = f"is {away} seconds from the time of the capture; {skew.words}"
    if skew.code == "time-unclear":
        words = f"{skew.words}; it is {away} seconds from the time of the capture"
    line = CONTRACT.place(facts.asked.struct, member=facts.clock)
    part, pointer = facts.asked.part, f"/{facts.clock}"
    judged.findings.append(Finding(facts.name, part, pointer, skew.code, words, line, text, field.redaction))


def _other_method(facts: OperationFacts, request: Message, method: str) -> JudgedExchange:
    judged = JudgedExchange(facts, None, request)
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


def named_merchants(asked: object, request: Message) -> tuple[str, ...]:
    """Return every name by which a request or a notification identifies its merchant."""
    found = [asked.get(name) for name in _NAMES] if type(asked) is dict else []
    return tuple(name for name in (*found, *request.get_all("x-partner-id")) if type(name) is str and name)


_NAMES: Final = members_from("merchant.app_id", "merchant.merchant_no", "merchant.merchant_id", "merchant.member_id")


def _echo(judged: JudgedExchange, facts: OperationFacts) -> None:
    for name, asked, answered, ignores_case in facts.echoes:
        mine = object_at(judged.asked, asked).get(name)
        other = object_at(judged.answered, answered).get(name)
        if mine == other or not mine or not other or is_masked(mine) or is_masked(other):
            continue
        if (
            ignores_case
            and type(mine) is str
            and type(other) is str
            and mine.isascii()
            and mine.lower() == other.lower()
        ):
            continue  # these keys are compared without case [4.1]
        judged.trust_answered = False
        words = f"is not the {name} that was asked for: this is the answer to another request"
        line = CONTRACT.place(facts.name)
        pointer = "/".join(("", *answered, name))
        judged.findings.append(Finding(facts.name, facts.answered.part, pointer, "echo", plain(words), line, other))


def _echo_each(judged: JudgedExchange, facts: OperationFacts) -> None:
    """Find elements of a list that belong to another request, such as payment methods of another user."""
    asked, answered = facts.operation.payload_paths
    payloads = object_at(judged.asked, asked), object_at(judged.asked, ()), object_at(judged.answered, answered)
    others = list(not_asked_for(facts.operation, *payloads, _is_unknown))
    if not others:
        return
    judged.trust_answered = False
    struct, part = facts.answered.struct, facts.answered.part
    line = CONTRACT.place(facts.name)
    for items, place, name, other in others[:_MOST]:
        pointer = "/".join(("", *answered, items, str(place), name))
        redaction = line_of(struct, pointer, "echo")[1]
        words = f"is not the {name} that was asked for: the element belongs in the answer to another request"
        judged.findings.append(Finding(facts.name, part, pointer, "echo", words, line, other, redaction))
    if len(others) > _MOST:
        words = f"and {len(others) - _MOST} more elements that were not asked for, which are not listed"
        judged.findings.append(Finding(facts.name, part, "", "more", words))


def _is_unknown(value: object) -> bool:
    return not value or is_masked(value)

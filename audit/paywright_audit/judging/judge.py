"""Judge one exchange, independently of all others: schema, headers, signatures, time and echoes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.input.body_decoding import PACKED, Reading, bytes_of, is_lost, is_masked, read
from paywright_audit.input.records import Exact, Exchange, Message, Parsed
from paywright_audit.input.times import seconds
from paywright_audit.judging.clocks import NEAR, SKEW, date_of, in_one_zone, is_accepted, skew_of, times_of
from paywright_audit.judging.evidence import SIGN, SNAP_SIGN, by_the_answer, settle
from paywright_audit.judging.finding_text import finding_of, is_hidden, is_no_header, line_of, plain
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.judged_exchange import Due, Excused, JudgedExchange, Stray, Unless, object_at
from paywright_audit.judging.matching import Match
from paywright_audit.judging.memo import Memo
from paywright_audit.judging.operation_facts import (
    CURRENT_KEY,
    MessageFacts,
    OperationFacts,
    facts_of,
    members_from,
    shown_notification,
)
from paywright_audit.judging.signatures import VALID, Keys, MessageVerdict, SignatureVerdict
from paywright_audit.judging.unknown_names import operation_by_form, unknown_names
from paywright_runtime import strict_json
from paywright_runtime.answer import Violation
from paywright_runtime.contract.same_content import not_asked_for
from paywright_runtime.contract.validation import describe_violations, find_half_pairs
from paywright_runtime.contract.value_checks import Report, within

_MOST: Final = 100
KnownAnswers = Memo[tuple[str, bytes], list[Reading]]
"""By operation and bytes, the reading of an answer about which there is nothing to say: those to polls are often equal."""


def judge(exchange: Exchange, match: Match, keys: Keys) -> JudgedExchange:
    """Judge an exchange by the contract and the keys."""
    judged = judge_content(exchange, match, Memo(lambda key: []))
    judge_signatures(judged, keys)
    judge_times(judged, exchange)
    return judged


def judge_content(exchange: Exchange, match: Match, known: KnownAnswers) -> JudgedExchange:
    """Judge all but the signatures, which are queued."""
    operation = match.operation
    request = exchange.request
    if operation is None:
        judged = JudgedExchange(None, match.reading, request)
        _content(judged, 0, request, match.reading)
        headers = shown_notification().asked.headers
        assert headers is not None
        judged.due.append((0, *headers.signature(request.headers), None))
        return judged
    facts = facts_of(operation.name)
    judged = JudgedExchange(facts, match.reading, request)
    if exchange.method not in (None, "POST"):
        judged.asked = judged.read[0] = None
        judged.trust_asked = judged.trust_answered = False
        words, line = f"is {plain(str(exchange.method))[:16]}; every operation uses POST", CONTRACT.place(facts.name)
        judged.findings.append(Finding(facts.name, facts.asked.part, "@method", "method", words, line))
        return judged
    inbound = operation.inbound
    asked = facts.asked
    _content(judged, 0, request, match.reading)
    _headers(judged, 0, request)
    if asked.headers is not None and asked.headers.snap:
        judged.due.append((0, None, False, match.path))
    answer = exchange.response
    if answer is not None:
        judged.sides = (request, answer)
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
        judged.bodies[1] = None if bytes_of(answer) is not None else False
        judged.lost = True
        if facts.answered.headers is not None:
            judged.due.append((1, *facts.answered.headers.signature(answer.headers), None))
    else:
        kept = known[facts.name, answer.body.raw] if type(answer.body) is Exact else []
        if kept:
            judged.take(1, kept[0])
        else:
            reading = read(answer)
            if _content(judged, 1, answer, reading) and reading.usual:
                kept.append(reading)
        _headers(judged, 1, answer)
    return judged


def judge_signatures(judged: JudgedExchange, keys: Keys) -> None:
    """Judge the queued signatures, and decide which findings count by what each message proves."""
    told: list[tuple[Due, SignatureVerdict]] = []
    usual = True
    for due in judged.due:
        side, signature, several, path = due
        message = judged.sides[side]
        names = named_merchants(judged.asked, judged.request) if keys.bound else ()
        if path is not None:
            verdict = keys.judge_snap(message, path, names=names)
        else:
            by_merchant = judged.senders[side] == "merchant"
            verdict = keys.judge_one(message, signature, by_merchant=by_merchant, several=several, names=names)
            if verdict.state == "valid":
                if not by_merchant:
                    judged.proven = keys.last
                reading = judged.read[side]
                if verdict.why:
                    _judge_anew(judged, side, Message(message.headers, Exact(keys.repaired), message.status))
                elif reading is not None and (
                    reading.wrapped or (judged.bodies[side] is False and bytes_of(message) is not None)
                ):
                    _judge_anew(judged, side, message)
        usual = usual and verdict is VALID
        told.append((due, verdict))
    judged.due.clear()
    if usual and not judged.findings and not judged.excused:
        for due, _ in told:
            judged.signatures.append(VALID)
            judged.evidence[due[0]] = MessageVerdict.PROVEN
    else:
        settle(judged, by_the_answer(judged, told), keys)
    facts, evidence = judged.facts, judged.evidence
    if facts is None or MessageVerdict.WRONG in evidence:
        return
    version = judged.asked.get("keyVersion") if type(judged.asked) is dict else None
    if version is None and facts.key_version is not None:
        version = within(judged.asked, facts.key_version)
    if version != CURRENT_KEY and type(version) is str and not is_masked(version):
        pointer, line = "/" + "/".join(facts.key_version or ()), CONTRACT.place(facts.name)
        words = f"is not {CURRENT_KEY}, the only signature algorithm"
        found = Finding(facts.name, facts.asked.part, pointer, "other-key-version", words, line, version)
        judged.findings.append(found)
    stands = (
        None not in evidence
        or not keys.given
        or all(evidence[side] is not None or isinstance(judged.sides[side].body, Exact) for side in (0, 1))
    )  # a text that nothing signs may be the tool's
    if stands and type(judged.answered) is dict:
        if facts.echoes:
            _echo(judged, facts)
        if facts.operation.each_echoes:
            _echo_each(judged, facts)
        if judged.findings and judged.stray is None and not facts.operation.inbound:
            _other_form(judged, facts)


def _content(judged: JudgedExchange, side: int, message: Message, reading: Reading, *, whole: bool = False) -> bool:
    """Judge the body of a message; return whether there is nothing to say about it.

    A `whole` one is what its sender signed, whatever it looks like.
    """
    facts, value, why = judged.facts, reading.value, reading.why
    judged.take(side, reading)
    report = Report()
    if type(value) is dict:
        if facts is None:
            return True
        part = facts.answered if side else facts.asked
        if type(message.body) is Parsed:
            find_half_pairs(value, "", report)
        part.check(value, "", report)
        unknown = unknown_names(facts, part, value)
        if not report.found and not unknown and not reading.repeated:
            return True
        judged.unknown += unknown
    elif not whole and is_lost(message, why):
        judged.bodies[side] = False
        judged.lost = judged.lost or side == 1
    elif why:
        judged.distrust(side)  # an unreadable message proves nothing
        report.add("", "json", f"is not strict JSON: {strict_json.WHY.get(why, 'it cannot be unpacked')}")
    else:
        if facts is None:
            judged.distrust(side)
        report.add("", "type", "must be a JSON object")
    for pointer in reading.repeated:
        report.add(pointer, "duplicate", "is repeated")
    if report.found and facts is None:
        _, code, words = report.found[0][:3]
        judged.findings.append(Finding("", "notification", "", code, words))
    elif report.found:
        _violations(judged, side, report, value)
    return False


def _judge_anew(judged: JudgedExchange, side: int, message: Message) -> None:
    """Judge what a key signed, in place of what was read: a body that was repaired, or only seemed to be wrapped or cut off."""
    anew = read(message, strictly=True)
    if anew.why == PACKED:
        return
    part = judged.parts[side]
    judged.findings = [one for one in judged.findings if one.part != part or one.pointer.startswith("@")]
    judged.excused = [one for one in judged.excused if one.side != side or one.finding.pointer.startswith("@")]
    judged.unknown = [one for one in judged.unknown if one.part != part]
    if side:
        judged.lost, judged.trust_answered = False, True
    else:
        judged.trust_asked = True
    _content(judged, side, message, anew, whole=True)


def _headers(judged: JudgedExchange, side: int, message: Message) -> None:
    """Judge the headers of a message, and queue its signature."""
    facts = judged.facts
    assert facts is not None
    part = facts.answered if side else facts.asked
    headers = part.headers
    if headers is None:
        return
    usual = headers.usual_signature(message.headers)
    if usual is not None:
        judged.due.append((side, usual, False, None))
        return
    found, repeated = headers.known(message.headers)
    report = Report()
    for wire in repeated:
        report.add(f"@header/{wire}", "duplicate", "is repeated")
    if message.headers:
        headers.check(found, "@header", report)
    exact = isinstance(message.body, Exact)
    for violation in _described(part, report):
        value, pointer = found.get(violation.pointer[8:]), violation.pointer
        finding = finding_of(facts.name, part, violation, None)
        if violation.code == "required":
            if message.is_whole():
                _found(judged, side, finding, None if exact or side else "accepted")
        elif violation.code == "duplicate" or not is_no_header(pointer[8:], value):
            _found(judged, side, finding, None if exact or not pointer.startswith("@header/X-") else "unsigned")
    if "sign" in found or headers.sign_due:
        judged.due.append((side, *headers.signature(message.headers), None))
    elif side == 1 and facts.operation.envelope == "snap" and message.headers:
        judged.distrust(side)
        if message.is_whole():
            words = "has no sign header; the specification does not show whether it needs one, and the client refuses such an answer by default"
            judged.findings.append(Finding(facts.name, part.part, SIGN, "unsigned-answer", words))


def _found(judged: JudgedExchange, side: int, finding: Finding, unless: Unless | None) -> None:
    if unless is None:
        judged.findings.append(finding)
    else:
        judged.excused.append(Excused(side, unless, finding))


def _described(part: MessageFacts, report: Report) -> Iterator[Violation]:
    """Yield the violations, without those of signatures, which `judge_signatures` reports."""
    for violation in describe_violations(CONTRACT, part.struct, report) if report.found else ():
        if violation.pointer not in (SIGN, SNAP_SIGN) or violation.code not in ("required", "duplicate"):
            yield violation


def _violations(judged: JudgedExchange, side: int, report: Report, value: object) -> None:
    # Describe only the listed violations: a message may have a million.
    facts = judged.facts
    assert facts is not None
    part = facts.answered if side else facts.asked
    unique: dict[tuple[str, str], tuple[str, str, str]] = {}
    for one in report.found:
        unique.setdefault(one[:2], one)
    report.found = list(unique.values())[:_MOST]
    for violation in _described(part, report):
        finding = finding_of(facts.name, part, violation, value)
        _found(judged, side, finding, "hidden" if is_hidden(part.struct, violation, value) else None)
    if len(unique) > _MOST:
        words = f"and {len(unique) - _MOST} more violations, which are not listed"
        judged.findings.append(Finding(facts.name, part.part, "", "more", words))


def judge_times(judged: JudgedExchange, exchange: Exchange) -> None:
    """Find the times of an exchange, and judge the time of a call. Its signatures must be judged before."""
    facts, asked, answer = judged.facts, judged.asked, exchange.response
    at, until = exchange.at, exchange.until
    member = (shown_notification() if facts is None else facts).signed
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
    code = facts.code_of(answered)
    proven = judged.proven > 0
    if is_accepted(code, proven=proven):
        judged.apart = max(at - times.early, times.late - until)
        if date is not None and times.signed is not None:
            judged.ahead = min(at - date, times.signed - date, SKEW)
        judged.times, judged.zone = in_one_zone(times, until, date)
    skew = skew_of(facts, code, times, until, date, proven=proven)
    if skew is None or times.signed is None:
        return
    field = CONTRACT.struct(facts.asked.struct).by_wire[facts.clock]
    away = round(at - times.signed if times.signed < at else times.signed - until)
    code, why = skew
    words = f"is {away} seconds from the time of the capture; {why}"
    if code == "time-unclear":
        words = f"{why}; it is {away} seconds from the time of the capture"
    line = CONTRACT.place(facts.asked.struct, member=facts.clock)
    part, pointer = facts.asked.part, f"/{facts.clock}"
    judged.findings.append(Finding(facts.name, part, pointer, code, words, line, text, field.redaction))


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
        if type(other) is str and not facts.operation.inbound:
            judged.stray = Stray(facts.name, other)
        words = f"is not the {name} that was asked for: this is the answer to another request"
        _answers_another(judged, facts, "/".join(("", *answered, name)), plain(words), other)


def _other_form(judged: JudgedExchange, facts: OperationFacts) -> None:
    """Find an answer with the form of another operation's, of which it breaks nothing."""
    part = facts.answered.part
    broken = any(one.part == part and not one.pointer.startswith("@") for one in judged.findings)
    other = operation_by_form(facts, judged.answered) if broken and type(judged.answered) is dict else None
    if other is not None:
        keys = (object_at(judged.answered, path).get(name) for name, _, path, _ in other.echoes)
        key = next((key for key in keys if type(key) is str), "")
        judged.stray = Stray(other.name, key)
        asked = key and key in (object_at(judged.asked, path).get(name) for name, path, _, _ in facts.echoes)
        which = ", under the key that was asked for" if asked else ": this is the answer to another request"
        words = f"has the form of an answer to {other.name}{which}"
        _answers_another(judged, facts, "", words, None)


def _answers_another(judged: JudgedExchange, facts: OperationFacts, pointer: str, words: str, other: object) -> None:
    """Say that an answer belongs to another request. What else it seems to break follows from that."""
    part = facts.answered.part
    judged.trust_answered = False
    judged.findings = [
        one for one in judged.findings if one.part != part or one.pointer.startswith("@") or one.code == "echo"
    ]
    judged.findings.append(Finding(facts.name, part, pointer, "echo", words, CONTRACT.place(facts.name), other))


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

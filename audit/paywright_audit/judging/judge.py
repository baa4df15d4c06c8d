"""Judging one exchange: schema, headers, signatures, time and echoes. All of it is a function of that exchange alone."""

from __future__ import annotations

from typing import Final, cast

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.facts import Operation
from paywright_runtime.validation import find_half_pairs
from paywright_runtime.violations import Report
from paywright_tools.audit.bodies import PACKED, Reading, cut_short, read
from paywright_tools.audit.findings import Finding
from paywright_tools.audit.matching import Match
from paywright_tools.audit.plan import (
    CURRENT_KEY,
    HeaderPlan,
    MessagePlan,
    OperationPlan,
    Path,
    plan_of,
    unknown_notification,
)
from paywright_tools.audit.records import Exchange, Lost, Message, Parsed
from paywright_tools.audit.signatures import VALID, Keys, Verdict
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
    not what was sent. `proven` is 1 if the gateway's signature over its message was verified, `lost` says that there was an answer
    which the capture does not have, `judged` how many bodies were. `plan` is None for a notification that the contract does not
    show.
    """

    __slots__ = (
        "answered", "asked", "due", "findings", "judged", "lost", "plan", "proven", "request", "signatures", "skewed",
        "trust_answered", "trust_asked", "unanswered", "unjudged",
    )  # fmt: skip

    def __init__(self, plan: OperationPlan | None, asked: object, request: Message) -> None:
        self.findings: list[Finding] = []
        self.signatures: list[Verdict] = []
        self.due: list[_Due] = []
        self.unjudged = 0
        self.unanswered = False
        self.plan = plan
        self.asked = asked
        self.request = request
        self.answered: object = None
        self.trust_asked = self.trust_answered = True
        self.judged = 0
        self.lost = False
        self.proven = 0
        self.skewed: Finding | None = None

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
        judged = Judged(None, match.reading[0], request)
        if match.reading[2] and not _lost(request, match.reading[2]):
            words = f"is not strict JSON: {strict_json.WHY[match.reading[2]]}"
            judged.findings.append(Finding("", "notification", "", "json", words))
            judged.trust_asked = False
        found, repeated = unknown_notification().known(request.headers)
        judged.due.append((0, "notification", request, found.get("sign"), "sign" in repeated, False, None))
        return judged
    plan = plan_of(operation.name)
    if exchange.method is not None and exchange.method != "POST":
        return _other_method(plan, request, exchange.method)
    judged = Judged(plan, match.reading[0], request)
    inbound = operation.inbound
    asked = plan.asked
    _message(judged, 0, asked, operation, request, match.reading, not inbound)
    if asked.headers is not None and asked.headers.snap:
        judged.due.append((0, asked.part, request, None, False, True, match.path))
    version = judged.asked.get("keyVersion") if type(judged.asked) is dict else None
    if version is None and plan.key_version is not None:
        version = value_at(judged.asked, plan.key_version)
    if version != CURRENT_KEY and type(version) is str:
        judged.findings.append(_other_key(plan, version))
    if plan.clock is not None and exchange.at is not None:
        _clock(judged, plan, plan.clock, exchange.at, cast(float, exchange.until))
    answer = exchange.response
    if answer is None:
        judged.unanswered = True
    elif answer.status != 200:
        if inbound and operation.decides is None:
            words, code = f"is {answer.status}: the notification was not acknowledged", "not-acknowledged"
        else:
            words = f"is {answer.status}; the gateway's answers come with 200, and of others nothing is shown"
            code = "http-status"
        judged.findings.append(Finding(operation.name, plan.answered.part, "@status", code, words))
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
        name = judged.plan.name if judged.plan is not None else ""
        pointer = _SIGN if path is None else _SNAP_SIGN
        judged.findings.append(Finding(name, part, pointer, f"signature-{state}", verdict.words))
    judged.due.clear()
    if judged.skewed is not None:
        judged.findings.append(_skew(judged, judged.skewed))


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
        judged.judged += 1
    elif isinstance(body, Lost) or (why and _lost(message, why)):
        judged.unjudged += 1
        judged.lost = judged.lost or side == 1
    elif why:
        judged.judged += 1
        judged.distrust(side)  # what cannot be read says nothing
        bad.add("", "json", f"is not strict JSON: {strict_json.WHY[why]}")
    else:
        judged.judged += 1
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
        elif side == 1 and operation.envelope == "snap":
            judged.distrust(side)
            words = (
                "has no sign header; whether one is due is not shown, and the client refuses such an answer by default"
            )
            judged.findings.append(Finding(operation.name, plan.part, _SIGN, "unsigned-answer", words))
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
        judged.skewed = Finding(
            plan.name, plan.asked.part, f"/{member}", "request-skew", words, line, text, field.redaction
        )


def _skew(judged: Judged, finding: Finding) -> Finding:
    """The finding, or that the capture's clock is wrong: the gateway checks the time too, and took the request [2.1, 7.4]."""
    plan = judged.plan
    answered = judged.answered if judged.trust_answered else None
    if plan is None or type(answered) is not dict or answered.get(plan.code) != plan.success:
        return finding
    words = (
        f"{finding.message}; the gateway, which checks it, accepted it, so that it is the capture's clock that is wrong"
    )
    return finding._replace(code="capture-clock", message=words)


def _other_method(plan: OperationPlan, request: Message, method: str) -> Judged:
    judged = Judged(plan, None, request)
    judged.trust_asked = judged.trust_answered = False
    line = f"{plan.operation.file}:{plan.operation.line}"
    words = f"is {plain(method)[:16]}; every operation is a POST"
    judged.findings.append(Finding(plan.name, plan.asked.part, "@method", "method", words, line))
    return judged


def _other_key(plan: OperationPlan, version: str) -> Finding:
    pointer = "/" + "/".join(plan.key_version or ())
    words = f"is not {CURRENT_KEY}, the one signature algorithm that there is"
    line = f"{plan.operation.file}:{plan.operation.line}"
    return Finding(plan.name, plan.asked.part, pointer, "other-key-version", words, line, version)


def _lost(message: Message, why: str) -> bool:
    """Whether a body that cannot be read was lost by the capture: cut off, or compressed in a way that is not unpacked here."""
    return why == PACKED or cut_short(message)


def named_merchants(asked: object, request: Message) -> tuple[str, ...]:
    """Every name by which a request or a notification says which merchant it is of."""
    found = [asked.get(name) for name in _NAMES] if type(asked) is dict else []
    return tuple(name for name in (*found, *request.get_all("x-partner-id")) if type(name) is str and name)


_NAMES: Final = ("appId", "merchantAppId", "merchantNo", "merchantId", "memberId")


def _echo(judged: Judged, plan: OperationPlan) -> None:
    for name, asked, answered, folds in plan.echoes:
        mine = within_data(judged.asked, asked).get(name)
        other = within_data(judged.answered, answered).get(name)
        if mine == other or not mine or not other:
            continue
        if folds and type(mine) is str and type(other) is str and mine.isascii() and mine.lower() == other.lower():
            continue  # these keys are compared without case [4.1]
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

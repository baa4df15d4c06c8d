"""Read the log of exchanges for the pages: a page of them, one of them, and the verdicts on its signatures."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from traceback import format_tb
from typing import Final, Literal
from urllib.parse import urlsplit

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.contract.addresses import Addresses, kind_of, operation_for, question_of
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.validation import judge
from paywright_runtime.redaction import visible
from paywright_runtime.signing.keys import fingerprint
from paywright_runtime.signing.rsa import RsaVerifier, SignatureProblem
from paywright_sandbox.delivery.attempts import breach_in_words, judged
from paywright_sandbox.delivery.http_client import Answered
from paywright_sandbox.engine.engine import Engine
from paywright_sandbox.engine.fields import whole
from paywright_sandbox.engine.request_checks import merchant_of_request, why_not_signed
from paywright_sandbox.engine.request_members import nearest_member, unknown_in
from paywright_sandbox.engine.state.captures import Capture
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.pages.message_view import without_cards

PAGE: Final = 50
_log: Final = logging.getLogger("paywright.sandbox")
FILTERS: Final = ("all", "calls", "refused", "notifications")
_CALLS: Final = "kind = 'call'"
_UNTIL: Final = 2**62

_VERDICTS: Final = {
    "signature-failed": "bad signature",
    "stale-request-time": "too old",
    "invalid-request": "not valid",
}
"""The verdict on a refused request, by the policy of its code."""

Good = Literal["good", "bad", "neither"]


@dataclass(frozen=True)
class LoggedExchange:
    """One exchange. `verdict` is its result in a few words, `why` the reason; `code` is the answer's own."""

    row: Capture
    operation: str
    verdict: str
    good: Good
    code: str
    why: str

    @property
    def msg(self) -> str:
        """The message of the answer."""
        answer = _parsed(self.response)
        return next((str(answer[name]) for name in ("msg", "message", "responseMessage") if name in answer), "")

    @property
    def amount(self) -> str:
        """The amount of the exchange with its currency; empty if the contract names none."""
        name, request = self.operation, _parsed(self.row.request)
        operation = CONTRACT.operation(name) if name in CONTRACT.operations() else None
        kind = kind_of(CONTRACT, request) if self.notification else None
        what = operation if kind is None else CONTRACT.kinds()[kind]
        if what is None and self.notification:
            what = question_of(CONTRACT, request)
        if what is None or what.amount is None:
            return ""
        answered = isinstance(what, Operation) and what.amount.role == what.roles[1]
        return without_cards(visible(what.amount.text(_parsed(self.response) if answered else request)))

    @property
    def unknown(self) -> list[str]:
        """The unknown members of a request, each with a suggestion."""
        if self.notification or self.operation not in CONTRACT.operations():
            return []
        operation = CONTRACT.operation(self.operation)
        found = unknown_in(operation, _parsed(self.row.request))
        near = [nearest_member(operation, pointer) for pointer in found]
        meant = [f" (did you mean {name}?)" if name else "" for name in near]
        return [without_cards(pointer) + words for pointer, words in zip(found, meant, strict=True)]

    @property
    def notification(self) -> bool:
        """True for a notification, False for a call."""
        return self.row.kind == "notify"

    @property
    def at(self) -> str:
        """The beginning of the exchange, formatted for pages."""
        return self.row.at.strftime("%Y-%m-%d %H:%M:%S")

    @property
    def path(self) -> str:
        """The path of the exchange's page."""
        return f"/_sandbox/console/log/{self.row.id}"

    @property
    def response(self) -> bytes:
        """The body of the response."""
        return self.row.response or b""


@dataclass(frozen=True)
class Signed:
    """The verdict on one signature, by the keys that are registered now."""

    part: str
    holds: bool
    words: str


def seen_page(engine: Engine, which: str, key: str, before: int | None) -> tuple[list[LoggedExchange], int | None, int]:
    """Return fifty exchanges, the newest first, the number to continue before (or None), and the total."""
    engine.captures.write()
    where, values = _which(which)
    if key:
        where, values = f"{where} AND key = ? COLLATE NOCASE", (*values, key)
    with engine.store.transaction() as state:
        until = _UNTIL if before is None else before
        rows = state.select(Capture, f"WHERE {where} AND id < ? ORDER BY id DESC LIMIT ?", *values, until, PAGE + 1)
        found = state.one(f"SELECT count(*) AS number FROM captures WHERE {where}", *values)
    shown = rows[:PAGE]
    older = shown[-1].id if len(rows) > PAGE else None
    return [_guarded(engine, row) for row in shown], older, whole(found, "number") if found else 0


def _which(which: str) -> tuple[str, tuple[str, ...]]:
    if which == "notifications":
        return "kind = 'notify'", ()
    if which == "refused":
        yes = [f'"{member}":"{code}"' for member, code in _successes()]
        return f"{_CALLS} AND (response IS NULL OR NOT ({' OR '.join(['instr(response, ?)'] * len(yes))}))", tuple(yes)
    return (_CALLS, ()) if which == "calls" else ("1", ())


@cache
def _successes() -> Sequence[tuple[str, str]]:
    """Return the members and codes of success of all operations."""
    return sorted({says for name in CONTRACT.operations() if (says := CONTRACT.operation(name).succeeds) is not None})


def one_seen(engine: Engine, number: int) -> LoggedExchange | None:
    """Return one exchange; None if it is not in the log."""
    engine.captures.write()
    with engine.store.transaction() as state:
        row = state.find(Capture, "WHERE id = ?", number)
    return None if row is None else _guarded(engine, row)


# The result


def _guarded(engine: Engine, row: Capture) -> LoggedExchange:
    """Read an exchange. One that cannot be read is marked so: the others must be shown."""
    try:
        return _seen(engine, row)
    except Exception as error:
        where = "".join(format_tb(error.__traceback__))
        _log.error("record %s cannot be read: %s\n%s", row.id, type(error).__name__, where)
        return LoggedExchange(
            row, row.operation, "unreadable", "bad", "", "it cannot be read; see the log of the sandbox"
        )


def _seen(engine: Engine, row: Capture) -> LoggedExchange:
    operation = _operation(engine, row)
    name = operation.name if operation is not None else row.operation
    if row.status is None:
        return LoggedExchange(row, name, "no answer", "bad", "", _fault(row) or "no answer was received")
    answer = _parsed(row.response or b"")
    members = dict.fromkeys(member for member, _ in _successes())
    code = next((str(answer[member])[:64] for member in members if member in answer), "")
    if row.kind == "notify":
        return _notified(engine, row, operation, name, code)
    fault = _fault(row)
    success = operation is not None and row.status == 200 and operation.succeeds is not None
    headers = dict(row.headers[1])
    if success and operation is not None and operation.succeeds and code == operation.succeeds[1]:
        unknown = headers.get("x-sandbox-unknown-members", "")
        why = fault or (without_cards(f"not in the contract: {unknown}") if unknown else "")
        return LoggedExchange(row, name, "accepted", "neither" if why else "good", code, why)
    policies = headers.get("x-sandbox-policy", "")
    verdict = next((_VERDICTS[policy] for policy in policies.split(", ") if policy in _VERDICTS), "refused")
    return LoggedExchange(row, name, verdict, "bad", code, fault or (f"policy {policies}" if policies else ""))


def _fault(row: Capture) -> str:
    return f"fault: {row.fault}" if row.fault else ""


def _notified(engine: Engine, row: Capture, operation: Operation | None, name: str, code: str) -> LoggedExchange:
    body = _parsed(row.request)
    kind = kind_of(CONTRACT, body)
    if kind is not None:
        answered = Answered(row.status or 0, tuple(row.headers[1]), row.response or b"")
        attempt = judged(kind, answered, engine.settings.policies)
        good = attempt.outcome == "ACKNOWLEDGED"
        why = "" if good else attempt.why
        return LoggedExchange(
            row, name, attempt.outcome.replace("_", " ").lower(), "good" if good else "bad", code, why
        )
    if row.status != 200:
        return LoggedExchange(row, name, "http status", "bad", code, f"HTTP status {row.status}")
    raw = row.response or b""
    found = judge(CONTRACT, operation.name, operation.roles[1], raw) if operation is not None else []
    if found:
        return LoggedExchange(row, name, "bad answer", "bad", code, breach_in_words(found[0]))
    return LoggedExchange(row, name, "answered", "good", code, "")


def _operation(engine: Engine, row: Capture) -> Operation | None:
    """Return the operation of an exchange, even if it was refused before its operation was known."""
    named = row.operation
    if named:
        return CONTRACT.operation(named) if named in CONTRACT.operations() else None
    there = _served(tuple(sorted(engine.settings.paths.items()))).get(urlsplit(row.url).path, [])
    return (operation_for(there, _parsed(row.request)) or there[0]) if there else None


@lru_cache(maxsize=4)
def _served(paths: tuple[tuple[str, str], ...]) -> Mapping[str, Sequence[Operation]]:
    """Return the operations by address."""
    return Addresses(CONTRACT, dict(paths)).calls


# The signatures


def signatures_of(engine: Engine, seen: LoggedExchange) -> list[Signed]:
    """Verify the signatures of an exchange with the registered keys, and explain failures."""
    gateway = RsaVerifier([engine.settings.signer.public])
    if seen.notification:
        return [_gateways(gateway, "Notification", seen.row.request, _signs(seen.row.headers[0]))]
    found = [_merchants(engine, seen)]
    if seen.row.status is not None:
        found.append(_gateways(gateway, "Answer", seen.response, _signs(seen.row.headers[1])))
    return [signed for signed in found if signed is not None]


def _merchants(engine: Engine, seen: LoggedExchange) -> Signed | None:
    operation, body = _operation(engine, seen.row), _parsed(seen.row.request)
    if operation is None:
        return None
    registered = engine.merchants.registered
    try:
        merchant = merchant_of_request(registered, operation, seen.row.headers[0], body)
    except Refusal as refused:
        return Signed("Request", False, f"It cannot be verified. {refused.msg}")
    signs = _signs(seen.row.headers[0])
    try:
        if len(signs) == 1:
            merchant.verifier.verify(seen.row.request, signs[0])
            return Signed("Request", True, f"Signed by {merchant.app_id}, key {fingerprint(merchant.public)}.")
    except SignatureProblem:
        pass
    if not signs and operation.envelope == "snap":
        return None  # bank-style calls are signed by X-SIGNATURE: the answer has the verdict
    return Signed("Request", False, why_not_signed(engine.settings, registered, merchant, seen.row.request, signs))


def _gateways(verifier: RsaVerifier, part: str, body: bytes, signs: Sequence[str]) -> Signed:
    if len(signs) != 1:
        return Signed(part, False, "There are several sign headers." if signs else "There is no sign header.")
    try:
        verifier.verify(body, signs[0])
    except SignatureProblem:
        return Signed(
            part, False, "It is wrong for the gateway's key and these bytes: a fault, or the keys were changed."
        )
    return Signed(part, True, "Signed by the gateway.")


# Reading a record


def _signs(headers: Sequence[tuple[str, str]]) -> list[str]:
    return [value for name, value in headers if name.lower() == "sign"]


def _parsed(raw: bytes) -> dict[str, object]:
    try:
        value = strict_json.parse_reporting(raw)[0]
    except strict_json.JsonProblem:
        return {}
    return dict(value) if isinstance(value, dict) else {}

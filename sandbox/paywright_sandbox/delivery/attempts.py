"""One attempt to deliver a notification: its requests, whether its answer acknowledges it, and the faults on the way.

`outbox` decides when the next one is made, and which is the last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import rsa

from paywright import validate
from paywright_runtime import strict_json
from paywright_runtime.answer import Violation
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.delivery.http_client import (
    Answered,
    OutgoingRequest,
    Unanswered,
    post,
)
from paywright_sandbox.delivery.outbox import KINDS, Notification
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.state.captures import Capture
from paywright_sandbox.faults.definitions import FaultRule
from paywright_sandbox.faults.rules import rules_of
from paywright_sandbox.faults.vocabulary import HOLDS_BACK

if TYPE_CHECKING:
    from datetime import datetime

    from paywright import OperationName
    from paywright_sandbox.engine.engine import Engine
    from paywright_sandbox.engine.policies import Policies
    from paywright_sandbox.engine.settings import SandboxSettings


def breach_in_words(first: Violation) -> str:
    """Describe the first violation of a merchant's answer, without its values."""
    what = first.message.removeprefix("is ") if first.code == "json" else first.code
    return f"the answer breaks the contract at {first.pointer or 'its root'}: {what}"


def apply_faults(
    engine: Engine, context: RequestContext, row: Notification, outgoing: OutgoingRequest, asked: bool
) -> Sequence[OutgoingRequest]:
    """Return the requests of one attempt: the true one, a changed one, the same twice, or none for now.

    A notification is held back once at most. One that is `asked` for on demand is never held back, and uses up no rule
    that holds back.
    """
    kind, about = row.kind, row.about
    fault = rules_of(engine).apply_to_notification(
        context.state, kind, KINDS[kind].operation, about, context.now, without=HOLDS_BACK if asked or row.held else ()
    )
    if fault is None:
        return (outgoing,)
    if fault.rule.kind in HOLDS_BACK:
        _hold_back(context, row, fault.rule)
        return ()
    if fault.rule.kind == "duplicate":
        return (outgoing, outgoing)
    if fault.rule.kind == "wrong-key":
        signature = foreign_signer().sign(outgoing.body)
        headers = tuple((name, signature if name == "sign" else value) for name, value in outgoing.headers)
        return (outgoing._replace(headers=headers),)
    body = bytearray(outgoing.body)
    body[len(body) // 2] ^= 1
    return (outgoing._replace(body=bytes(body)),)


def _hold_back(context: RequestContext, row: Notification, rule: FaultRule) -> None:
    planned = row.next_at
    assert planned is not None  # it is due
    # The planned time is past if the sandbox was stopped meanwhile.
    later = max(planned, context.now) + timedelta(seconds=rule.seconds)
    if rule.kind == "reordered":
        following = context.state.find(Notification, "WHERE next_at IS NOT NULL AND id > ? ORDER BY id LIMIT 1", row.id)
        if following is not None and following.next_at is not None:
            later = max(following.next_at, planned, context.now) + timedelta(microseconds=1)
    context.state.change(row, next_at=later, held=True)


def record_exchange(
    engine: Engine,
    operation: str,
    merchant: str,
    about: str | None,
    outgoing: OutgoingRequest,
    answer: Answered | Unanswered,
) -> None:
    """Record a request to a merchant and its answer in the log."""
    about_it = (("host", urlsplit(outgoing.url).netloc), *outgoing.headers, ("content-length", str(len(outgoing.body))))
    answered = answer if isinstance(answer, Answered) else None
    at = engine.wall.now()
    engine.captures.add(
        Capture.of(
            "notify",
            at,
            outgoing.url,
            about_it,
            outgoing.body,
            answered,
            operation=operation,
            merchant=merchant,
            key=about,
        )
    )


_E: Final = 65537
_P: Final = int(
    "eae09a36fe6f14a31f48520962108ef9e1536931c9517b35b6d331d48f2f23ade33bffb483e7c8f70a43f64cf517563b"
    "b2ad7671df007f56c3f82b48c65d505b54eca231f64f032edac64dc09a27b1e529819f69eb9d5888dfd674035703a7a8"
    "778932fa65ce0dcd60799ab8a637943912d118ba42e360db70ad99f933bda30b",
    16,
)
_Q: Final = int(
    "e5dc7f5123dce18c13eb2ef92a6f69375f9ceac3e2d316845b0491dcf3f2041f8b613d8bf6217076679b594abf6c1042"
    "14d79dc6d514181627a55ec9a4a72d72f5c821a80d18836157ddf6efad19be3b1e80cf075687ce2a510843d4addd99d1"
    "03dfb509430b954370b55ba559bc936db437de398d12377c3297488017b1979b",
    16,
)


@cache
def foreign_signer() -> RsaSigner:
    """Return the signer of the foreign key, a valid RSA key of 2048 bits."""
    d = pow(_E, -1, (_P - 1) * (_Q - 1))
    public = rsa.RSAPublicNumbers(_E, _P * _Q)
    numbers = rsa.RSAPrivateNumbers(_P, _Q, d, d % (_P - 1), d % (_Q - 1), rsa.rsa_crt_iqmp(_P, _Q), public)
    return RsaSigner(numbers.private_key())


Answer: TypeAlias = Answered | Unanswered


_FIRST_SHOWN: Final[OperationName] = next(kind.operation for kind in KINDS.values() if kind.operation is not None)


class DeliveryResult(NamedTuple):
    """The result of one delivery."""

    outcome: str
    http_status: int | None
    why: str


class DeliveryTask(NamedTuple):
    """One attempt: the notification as it was found, the time of that, and the requests to send.

    `asked` is True on demand; `generation` is that of its state.
    """

    row: Notification
    begun: datetime
    outgoing_requests: tuple[OutgoingRequest, ...]
    asked: bool
    generation: int

    def __repr__(self) -> str:
        return f"<DeliveryTask of {len(self.outgoing_requests)} requests>"


def outgoing_request(engine: Engine, row: Notification) -> OutgoingRequest:
    """Return the request for a notification: the same bytes and the same signature every time."""
    headers = [("Content-Type", "application/json"), ("sign", engine.settings.signer.sign(row.body))]
    if row.policy is not None:
        headers.append(("X-Sandbox-Policy", row.policy))
    return OutgoingRequest(row.url, tuple(headers), row.body)


def send(task: DeliveryTask, settings: SandboxSettings) -> list[Answer]:
    """Post the requests of a task, one after the other. I/O only."""
    return [post(outgoing, settings) for outgoing in task.outgoing_requests]


def _code(body: bytes) -> str:
    """Return the code of a refusal in words; "" if the answer has none that is a word."""
    try:
        said = strict_json.parse(body)
    except strict_json.JsonProblem:
        return ""
    code = said.get("code") if isinstance(said, dict) else None
    return f", code {code}" if isinstance(code, str) and re.fullmatch("[A-Z_]{1,40}", code) else ""


def judged(kind: str, answer: Answer, policies: Policies) -> DeliveryResult:
    """Judge whether the merchant has acknowledged a notification of a kind [4.19]."""
    if isinstance(answer, Unanswered):
        return DeliveryResult(answer.outcome, None, answer.why)
    status = answer.status
    if status != 200:
        moved = 300 <= status < 400
        said = "a redirect, which is not followed" if moved else f"HTTP status {status}{_code(answer.body)}"
        return DeliveryResult("HTTP_STATUS", status, said)
    wanted = policies.text("notification-acknowledged-by")
    if wanted == "http-200":
        return DeliveryResult("ACKNOWLEDGED", status, "HTTP 200")
    # Answers to unshown notifications are judged like answers to the first shown one [6.1].
    operation = KINDS[kind].operation or _FIRST_SHOWN
    violations = validate(operation, "answer", answer.body)
    if violations:
        return DeliveryResult("BAD_ANSWER", status, breach_in_words(violations[0]))
    body = strict_json.parse(answer.body)
    code = body.get("code") if isinstance(body, dict) else None
    if wanted == "success" and code != "SUCCESS":
        return DeliveryResult("NOT_SUCCESS", status, "the answer's code is not SUCCESS")
    return DeliveryResult("ACKNOWLEDGED", status, "acknowledged")

"""Signed answers in the form of the operation's envelope, valid by the contract; failures too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Final, NamedTuple

from paywright_runtime import strict_json
from paywright_runtime.contract.operation import Operation
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.engine.context import Decisions
from paywright_sandbox.engine.policies import Policies
from paywright_sandbox.engine.state.refusal import Refusal

_LONGEST: Final = {"snap": 150}
_BIZ: Final = {"signature-failed": "4010", "unknown-merchant": "4030", "invalid-request": "4001", "absent": "4000"}
"""The bizCode of a refusal by its policy; 5000 for all others."""
_SNAP: Final = {
    "signature-failed": "401xx00",
    "snap-signature": "401xx00",
    "stale-request-time": "401xx00",
    "unknown-merchant": "401xx00",
    "invalid-request": "400xx01",
    "snap-cancel-of-paid": "403xx15",
    "absent": "404xx01",
    "repeat": "409xx00",
}
"""The responseCode of a refusal by its policy, xx for the service; 500xx00 for all others."""


_SNAP_OWN: Final = ("400xx02", "404xx13")
"""Codes that only bank-style calls have: a missing member, another amount."""


class WireFault(NamedTuple):
    """An order to the server to break the connection: reset, hang, cut or drip."""

    kind: str
    seconds: int


@dataclass(slots=True, eq=False, repr=False)
class HttpReply:
    """An HTTP answer. `operation` and `code` are for the log.

    `fault` tells the server to break the connection.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    _: KW_ONLY
    operation: str = ""
    code: str = ""
    fault: WireFault | None = None

    def __repr__(self) -> str:
        return f"<HttpReply {self.status} {self.operation} {self.code}, {len(self.body)} bytes>"


def signed(
    signer: RsaSigner,
    answer: dict[str, object],
    *,
    status: int = 200,
    operation: str = "",
    headers: tuple[tuple[str, str], ...] = (),
) -> HttpReply:
    """Write an answer once and sign these bytes [5.4]."""
    body = strict_json.write(answer)
    code = answer.get("code") or answer.get("bizCode") or answer.get("responseCode") or ""
    return HttpReply(
        status,
        (("content-type", "application/json"), ("sign", signer.sign(body)), *headers),
        body,
        operation=operation,
        code=str(code),
    )


def success(operation: Operation, data: Mapping[str, object]) -> dict[str, object]:
    """Return the response of an operation that succeeded."""
    member, code = operation.succeeds or ("code", "APPLY_SUCCESS")
    if operation.envelope == "snap":
        return {member: code, "responseMessage": "Successful", **data}
    return {member: code, "message" if operation.envelope == "token_inquiry" else "msg": "Success.", "data": data}


def failure(
    operation: Operation | None,
    refused: Refusal,
    policies: Policies,
    body: Mapping[str, object],
    decisions: Decisions,
) -> dict[str, object]:
    """Return a refusal in the form of the operation's responses; without an operation in the gateway's common form.

    The policy of its code is added to `decisions`, unless the code is the specification's own.
    """
    envelope = "gateway" if operation is None else operation.envelope
    msg = capped(refused.msg, _LONGEST.get(envelope, 256))
    policy = refused.policy or (None if refused.code else "internal-error")
    if policy is not None:
        decisions.add(policy)
    if operation is not None and envelope == "snap":
        code = refused.code if refused.code in _SNAP_OWN else _SNAP.get(policy or "", "500xx00")
        return _snap(operation, code, msg, body)
    if envelope == "token_inquiry":
        return {"bizCode": _BIZ.get(policy or "", "5000"), "message": msg, "data": {}}
    return {"code": refused.code or policies.text(policy or "internal-error"), "msg": msg}


def _snap(operation: Operation, code: str, msg: str, body: Mapping[str, object]) -> dict[str, object]:
    """Add the members that the bank-style form requires: empty, or status 03, which promises nothing."""
    service = (operation.succeeds or ("", "2000000"))[1][3:5]
    number = body.get("originalPartnerReferenceNo")
    answer: dict[str, object] = {
        "responseCode": code.replace("xx", service),
        "responseMessage": msg,
        "originalPartnerReferenceNo": number if isinstance(number, str) and len(number) <= 64 else "",
    }
    if operation.name == "snap.status":
        return {**answer, "originalReferenceNo": "", "latestTransactionStatus": "03"}
    return {**answer, "additionalInfo": {"latestTransactionStatus": "03"}}


def capped(text: str, limit: int = 256) -> str:
    """Shorten a text to at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 3] + "..."

"""Apply a fault to a finished response: change its bytes or headers, or tell the server to break the connection."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.validation import judge
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.engine.context import Decisions
from paywright_sandbox.engine.responses import HttpReply, WireFault, failure, signed
from paywright_sandbox.engine.settings.policies import Policies
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.faults.rules import AppliedFault

__all__ = ["apply_fault"]

_PAGE = """<html>
<head><title>{status} {words}</title></head>
<body>
<center><h1>{status} {words}</h1></center>
<hr><center>sandbox</center>
</body>
</html>
"""
_WORDS = {500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Time-out"}


def apply_fault(
    reply: HttpReply, fault: AppliedFault, signer: RsaSigner, policies: Policies, operation: str
) -> HttpReply:
    """Return the response with the fault applied. `HttpReply.fault` is for the server."""
    rule = fault.rule
    headers, body, status, code = reply.headers, reply.body, reply.status, reply.code
    wire: WireFault | None = None
    if rule.kind in ("reset", "hang", "cut", "drip"):
        wire = WireFault(rule.kind, rule.seconds)
    elif rule.kind == "html":
        status, code = rule.status, f"HTTP_{rule.status}"
        headers = (("content-type", "text/html"),)
        body = _PAGE.format(status=status, words=_WORDS.get(status, "Server Error")).encode()
    elif rule.kind == "bad-signature":
        headers = tuple((name, _changed(value) if name == "sign" else value) for name, value in headers)
    elif rule.kind == "no-signature":
        headers = tuple(pair for pair in headers if pair[0] != "sign")
    elif rule.kind == "code":
        failed = signed(signer, _failing(CONTRACT.operation(operation), rule.code, policies))
        headers, body, status, code = failed.headers, failed.body, failed.status, rule.code
    elif fault.earlier is not None:
        headers, body, status, code = fault.earlier.headers, fault.earlier.body, 200, "EARLIER_ANSWER"
    return HttpReply(status, headers, body, operation=reply.operation, code=code, fault=wire)


def _failing(operation: Operation, code: str, policies: Policies) -> dict[str, object]:
    """Return a failure with this code, in the member that the operation uses.

    A form whose codes look different answers with a code of its own.
    """
    refused = Refusal("A fault rule of the kind code makes the sandbox answer this.", code=code)
    answer = failure(operation, refused, policies, {}, Decisions())
    member = (operation.succeeds or ("code", ""))[0]
    changed = {**answer, member: code}
    fits = judge(CONTRACT, operation.name, "response", strict_json.write(changed)) == []
    return changed if fits else answer


def _changed(signature: str) -> str:
    """Return a canonical signature that differs from the true one in one bit."""
    raw = bytearray(a2b_base64(signature))
    raw[-1] ^= 1
    return b2a_base64(bytes(raw), newline=False).decode("ascii")

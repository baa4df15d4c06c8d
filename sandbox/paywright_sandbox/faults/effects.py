"""Apply a fault to an answer, and record what the client saw."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from typing import TYPE_CHECKING, Final

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.validation import judge
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.engine.context import Decisions
from paywright_sandbox.engine.policies import Policies
from paywright_sandbox.engine.responses import HttpReply, WireFault, failure, signed
from paywright_sandbox.engine.state.captures import Capture
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.faults.definitions import key_of
from paywright_sandbox.faults.rules import AppliedFault, rules_of

if TYPE_CHECKING:
    from paywright_sandbox.engine.engine import Engine
    from paywright_sandbox.engine.request_checks import Headers

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


_LONGEST_KEY: Final = 64


class ExchangeRecorder:
    """Hooks of one request: choose and apply a fault, and record the exchange."""

    __slots__ = ("_engine", "_headers", "_path", "_raw", "fault", "key", "merchant", "operation")

    def __init__(self, engine: Engine, path: str, headers: Headers, raw: bytes) -> None:
        self._engine = engine
        self._path = path
        self._headers = headers
        self._raw = raw
        self.operation: str = ""
        self.merchant: str | None = None
        self.key: str | None = None
        self.fault: AppliedFault | None = None

    def identify(self, operation: str, data: object) -> None:
        """Keep the number in a request, valid or not, so that refused requests can be found in the log."""
        key = key_of(operation, data) if isinstance(data, dict) else None
        self.key = key if key is None or len(key) <= _LONGEST_KEY else None

    def admit(self, operation: str, merchant: str) -> None:
        """Choose the fault for a request of this app id that has passed all checks."""
        self.operation = operation
        self.merchant = merchant
        self.fault = rules_of(self._engine).apply(operation, merchant, self.key, self._engine.clock)

    @property
    def undoes(self) -> bool:
        """True if a fault applies before the commit."""
        return self.fault is not None and self.fault.before

    def finish(self, reply: HttpReply) -> HttpReply:
        """Record the exchange and return the response, changed if a fault applies."""
        engine = self._engine
        if self.fault is not None:
            reply = apply_fault(reply, self.fault, engine.settings.signer, engine.settings.policies, self.operation)
        engine.captures.add(self._capture(reply))
        return reply

    def _capture(self, reply: HttpReply) -> Capture:
        engine = self._engine
        wire = reply.fault.kind if reply.fault is not None else ""
        head = (*reply.headers, ("content-length", str(len(reply.body))))
        sent = reply.body[: len(reply.body) // 2] if wire == "cut" else reply.body
        return Capture.of(
            "call",
            engine.wall.now(),
            engine.address + self._path,
            self._headers,
            self._raw,
            None if wire in ("reset", "hang") else (reply.status, head, sent),
            operation=self.operation,
            merchant=self.merchant,
            key=self.key,
            fault=self.fault.name if self.fault is not None else None,
        )

"""Convert the exception of an exchange to a failure: a reason that programs compare, and a detail without parts of a message."""

import errno
import socket
import ssl
import time
from typing import Final

from paywright_runtime.tracebacks import interrupts
from paywright_runtime.transport.api import Phase, Reason, TransportFailure, body_may_have_left
from paywright_runtime.transport.http11 import ProtocolError, ResponseParser

FAILURES: Final[tuple[type[Exception], ...]] = (OSError, ProtocolError, MemoryError)
"""Exceptions of a failed exchange: of the system and TLS, of the peer's answer, and of an answer for which there is no memory.

Any other was raised into it, such as a task's time limit, or is a bug: neither says that the connection failed [decision 0006].
"""


def failure_after(
    error: BaseException, phase: Phase, answer: ResponseParser | None, deadline: float
) -> TransportFailure | None:
    """Return the failure of an exchange that ended in `phase`, with the parser of its answer if there is one.

    None if the error is none of `FAILURES`, or interrupts the program. The failure does not refer to the error, which
    may hold the request.
    """
    if not isinstance(error, FAILURES) or interrupts(error):
        return None
    status = None if answer is None else answer.status
    reason, detail = _cause(error, body_may_have_left(phase), deadline)
    return TransportFailure(phase, reason, detail, status)


def _cause(error: BaseException, body_started: bool, deadline: float) -> tuple[Reason, str]:
    if isinstance(error, ProtocolError) and error.reason != "connection_lost":
        return error.reason, error.detail
    if isinstance(error, TimeoutError) or time.monotonic() >= deadline:
        return "timeout", ""
    if isinstance(error, ProtocolError):
        return error.reason, error.detail
    if isinstance(error, ssl.SSLCertVerificationError):
        return "tls_failed", getattr(error, "verify_message", "") or "certificate"
    if isinstance(error, ssl.SSLError):
        return "tls_failed", getattr(error, "reason", "") or type(error).__name__
    if isinstance(error, MemoryError):
        return "too_large", "out of memory"
    return "connection_lost" if body_started else "connection_failed", _name(error)


def _name(error: BaseException) -> str:
    if isinstance(error, socket.gaierror):
        return "the host name was not found"
    if isinstance(error, OSError) and error.errno is not None:
        return errno.errorcode.get(error.errno, type(error).__name__)
    return type(error).__name__

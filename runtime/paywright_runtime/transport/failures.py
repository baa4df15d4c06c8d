"""Convert the exception of an exchange to a failure: a reason that programs compare, and a detail without parts of a message."""

import errno
import socket
import ssl
import time

from paywright_runtime.transport.api import Phase, Reason, TransportFailure
from paywright_runtime.transport.http11 import ProtocolError, ResponseParser


def failure_after(error: Exception, phase: Phase, answer: ResponseParser | None, deadline: float) -> TransportFailure:
    """Return the failure of an exchange that ended in `phase`, with the parser of its answer if there is one.

    The failure does not refer to the exception, which may hold the request.
    """
    status = None if answer is None else answer.status
    reason, detail = _cause(error, phase in (Phase.WAITING, Phase.READING), deadline)
    return TransportFailure(phase, reason, detail, status)


def _cause(error: Exception, body_started: bool, deadline: float) -> tuple[Reason, str]:
    if isinstance(error, ProtocolError) and error.reason != "connection_lost":
        return error.reason, error.detail
    if isinstance(error, TimeoutError) or time.monotonic() >= deadline:
        return "timeout", ""
    if isinstance(error, ProtocolError):
        return error.reason, error.detail
    if isinstance(error, ssl.SSLCertVerificationError):
        return "tls_failed", error.verify_message or "certificate"
    if isinstance(error, ssl.SSLError):
        return "tls_failed", error.reason or type(error).__name__
    if isinstance(error, MemoryError):
        return "too_large", "out of memory"
    return "connection_lost" if body_started else "connection_failed", _name(error)


def _name(error: Exception) -> str:
    if isinstance(error, socket.gaierror):
        return "the host name was not found"
    if isinstance(error, OSError) and error.errno is not None:
        return errno.errorcode.get(error.errno, type(error).__name__)
    return type(error).__name__

"""The tunnel through a proxy to the gateway (CONNECT, RFC 9110 9.3.6), without I/O: its request and its answer."""

from paywright_runtime.transport.endpoint import Endpoint, Proxy
from paywright_runtime.transport.http11 import ProtocolError, ResponseParser, Steps

__all__ = ["connect_request", "read_connect_answer"]


def connect_request(base: Endpoint, proxy: Proxy) -> bytes:
    """Return the CONNECT request to the proxy."""
    target = f"[{base.host}]:{base.port}" if ":" in base.host else f"{base.host}:{base.port}"
    authorization = f"Proxy-Authorization: {proxy.authorization}\r\n" if proxy.authorization else ""
    return f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{authorization}\r\n".encode("ascii")


def read_connect_answer() -> Steps[None]:
    """Read the proxy's answer. Raises ProtocolError unless it is a well-formed 2xx with nothing after it.

    Bytes after the head would be taken for the gateway's first bytes.
    """
    answer = ResponseParser(0)
    try:
        data, end = yield from answer.head()
    except ProtocolError as bad:
        why = f"the proxy's answer: {bad.detail}"
    else:
        if answer.status is not None and 200 <= answer.status < 300 and len(data) == end:
            return
        why = f"the proxy answered {answer.status}"
    raise ProtocolError("connection_failed", why)

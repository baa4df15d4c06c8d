"""Deliver to a receiver on this machine, as the service does."""

from __future__ import annotations

from http.client import HTTPConnection
from urllib.parse import urlsplit

from paywright_cli.check_receiver.messages import MessageFactory, written

__all__ = ["Said", "post", "tell"]

Said = tuple[int, dict[str, str], bytes]


def post(url: str, raw: bytes, sign: str, **headers: str) -> Said:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=600)
    try:
        connection.request(
            "POST", parts.path or "/", raw, {"Content-Type": "application/json", "sign": sign, **headers}
        )
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def tell(url: str, messages: MessageFactory, body: object) -> Said:
    raw = written(body)
    return post(url, raw, messages.signer.sign(raw))

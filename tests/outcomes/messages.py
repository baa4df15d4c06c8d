"""What passes between a client and the gateway, as whoever stands between them sees it."""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

from paywright.contract import CONTRACT
from paywright_runtime.contract.operation import Operation

__all__ = ["Reply", "Request", "binds", "code_of", "operation_at"]

_REFUND: Final = re.compile(rb'"outRefundNo":"([^"]*)"')
_KEY: Final = re.compile(rb'"outTradeNo":"([^"]*)"')
_BY_PATH: Final = {
    operation.path: operation
    for operation in map(CONTRACT.operation, CONTRACT.operations())
    if operation.path is not None and not operation.inbound
}


class Request(NamedTuple):
    """One request as its bytes say."""

    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def key(self) -> str:
        """The merchant's own number in it."""
        found = _REFUND.search(self.body) or _KEY.search(self.body)
        return found[1].decode() if found else ""


class Reply(NamedTuple):
    """One answer, whoever made it."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def without(self, *names: str) -> Reply:
        return self._replace(headers=tuple(pair for pair in self.headers if pair[0].lower() not in names))

    def also(self, *headers: tuple[str, str]) -> Reply:
        return self._replace(headers=(*self.headers, *headers))


def operation_at(path: str) -> Operation:
    """The operation whose address this is."""
    return _BY_PATH[path]


def code_of(body: bytes) -> str:
    """The code of the gateway's answer; nobody verifies anything here."""
    try:
        parsed = json.loads(body)
    except ValueError:
        return ""
    return str(parsed.get("code", "")) if isinstance(parsed, dict) else ""


def binds(path: str, reply: Reply) -> bool:
    """Whether a verified answer, given to another request of this path, can be told from a true one or does no harm.

    A verified refusal of a write is neither: it names no key and no time, and no protocol on top can tell whose it is.
    Nothing plays it.
    """
    operation = operation_at(path)
    return not operation.write or code_of(reply.body) not in operation.refusal_codes

"""Find the operation of an exchange: by its path, and by the members that tell operations on one path apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from paywright.contract import CONTRACT
from paywright_audit.input.body_decoding import Reading, read
from paywright_audit.input.records import Exchange, Message
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.violations import within

__all__ = ["Match", "Matcher"]

_MOST_URLS: Final = 4096


class Match:
    """The operation of an exchange, and its parsed request.

    `operation` is None for a notification that the specification does not show [6.3]: only its signature can be judged.
    `path` is the path that the operation's own signature covers, if it has one.
    """

    __slots__ = ("operation", "path", "reading")

    def __init__(self, operation: Operation | None, path: str, reading: Reading) -> None:
        self.operation = operation
        self.path = path
        self.reading = reading


class Matcher:
    """Finds operations. `paths` are paths by operation, for those that the specification does not show."""

    def __init__(self, paths: Mapping[str, str] | None = None) -> None:
        given = dict(paths or {})
        self._calls: dict[str, list[Operation]] = {}
        self._unplaced: list[Operation] = []
        self._inbound: list[Operation] = []
        self._hooks: dict[str, Operation] = {}
        for name in CONTRACT.operations():
            operation = CONTRACT.operation(name)
            path = given.get(name) or operation.path
            if operation.inbound:
                self._inbound.append(operation)
                if path is not None:
                    self._hooks[path] = operation
            elif path is None:
                self._unplaced.append(operation)
            else:
                self._calls.setdefault(path, []).append(operation)
        # Operations that differ in `bizType` share one path [4.7, 4.10].
        for here in self._calls.values():
            if here[0].name in given and here[0].discriminators:
                here.extend(self._unplaced)
        self._paths = sorted(self._calls, key=len, reverse=True)
        self._bill = next(operation for operation in self._inbound if not operation.discriminators)
        self._members = {field.wire for field in CONTRACT.struct(self._bill.request).fields if field.required}
        self._seen: dict[str, str | None] = {}

    def match(self, exchange: Exchange) -> Match | None:
        """Return the operation; None if the exchange is not of the contract."""
        if exchange.method in _NOTHING_SENT:
            return None
        url = exchange.url
        if exchange.kind != "notify":
            known = self._seen[url] if url in self._seen else self._known(url)
            if known is not None:
                reading = read(exchange.request)
                here = self._calls[known]
                return Match(here[0] if len(here) == 1 else _told_apart(here, reading[0]), known, reading)
        reading = read(exchange.request)
        body = reading[0]
        if exchange.kind != "notify":
            for operation in self._unplaced:
                if _tells(operation, body):
                    return Match(operation, _path_of(url), reading)
            if exchange.kind == "call":
                return None
        return self._notification(exchange.request, reading, _path_of(url), certain=exchange.kind == "notify")

    def _known(self, url: str) -> str | None:
        path = _path_of(url)
        found = next((known for known in self._paths if path.endswith(known)), None)
        if len(self._seen) < _MOST_URLS:
            self._seen[url] = found
        return found

    def _notification(self, request: Message, reading: Reading, path: str, *, certain: bool) -> Match | None:
        """Match a request to the merchant. If the capture does not say that it is one, its form or path must."""
        body = reading[0]
        here = next((self._hooks[known] for known in self._hooks if path.endswith(known)), None)
        if not isinstance(body, dict):
            return Match(None, path, reading) if certain or here is not None else None
        if not (certain or here is not None or request.get_all("sign") or ("notifyType" in body and _enveloped(body))):
            return None  # other APIs may have a notifyType, or an amount and a reference number too
        for operation in self._inbound:
            if (
                operation.discriminators
                and _tells(operation, body)
                and (certain or here is operation or _enveloped(body))
            ):
                return Match(operation, path, reading)
        if "notifyType" in body or "data" in body:
            if here is not None and here.discriminators and "notifyType" not in body:
                return Match(here, path, reading)
            return Match(None, path, reading) if certain or here is not None or _enveloped(body) else None
        if certain or here is self._bill or body.keys() >= self._members:
            return Match(self._bill, path, reading)
        return None


_NOTHING_SENT: Final = ("OPTIONS", "HEAD")
"""What a browser asks before it calls, and what asks for no body: no operation is called by them."""


def _enveloped(body: dict[str, object]) -> bool:
    """Return whether a body has the form of every notification [6]."""
    return isinstance(body.get("data"), dict) and ("appId" in body or "keyVersion" in body)


def _told_apart(operations: Sequence[Operation], body: object) -> Operation:
    """Return the operation that the body names; if none, the first, whose validator then reports what is wrong."""
    for operation in operations:
        if _tells(operation, body):
            return operation
    return operations[0]


@cache
def _places(name: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    tells = CONTRACT.operation(name).discriminators
    return tuple((tuple(pointer.split("/")[1:]), value) for pointer, value in tells.items())


def _tells(operation: Operation, body: object) -> bool:
    return all(within(body, *place) == value for place, value in _places(operation.name))


def _path_of(url: str) -> str:
    """Return the path of an absolute or relative URL, without resolving it."""
    rest = url.partition("#")[0].partition("?")[0]
    scheme, mark, after = rest.partition("://")
    if mark and scheme.isalnum():
        return "/" + after.partition("/")[2]
    return rest

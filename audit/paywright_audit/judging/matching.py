"""Find the operation of an exchange by its path, and by the members that distinguish operations on one path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import unquote

from paywright.contract import CONTRACT
from paywright_audit.input.body_decoding import Reading, is_lost, read
from paywright_audit.input.records import Exchange, Message
from paywright_audit.judging.memo import Memo
from paywright_runtime.contract.addresses import Addresses, is_for
from paywright_runtime.contract.operation import Operation

KIND: Final = "kind (call or notify)"
"""The word for exchanges that are of the other kind than their record says, as path and body show."""


class Match(NamedTuple):
    """The operation of an exchange, and its parsed request.

    `operation` is None for a notification that the specification does not show [6.3]: only its signature can be judged.
    `path` is the path that the operation's own signature covers, with its query, if it has one. `unclear` is True if several operations
    have this path and the capture lost the members that distinguish them.
    """

    operation: Operation | None
    path: str
    reading: Reading
    unclear: bool = False


class Matcher:
    """Finds operations. `paths` are paths by operation, for operations whose path the specification does not show."""

    def __init__(self, paths: Mapping[str, str] | None = None) -> None:
        addresses = Addresses(CONTRACT, paths, shared=True)
        self._calls = addresses.calls
        self._unplaced = addresses.unplaced
        self._hooks = addresses.hooks
        self._notifications = [one for one in addresses.inbound if one.discriminators]
        self._kind_members = addresses.kind_members
        self._paths = sorted(self._calls, key=len, reverse=True)
        # Questions have no kind, and are recognised by their required members.
        self._questions = [
            (one, {field.wire for field in CONTRACT.struct(one.request).fields if field.required})
            for one in addresses.inbound
            if not one.discriminators
        ]
        self._payloads = {one.payloads[0] for one in self._notifications}
        self._marks = _marks(self._notifications)
        self._known = Memo(self._find)

    def match(self, exchange: Exchange) -> Match | None:
        """Return the operation; None if the exchange does not belong to the contract."""
        if exchange.method in _NOTHING_SENT:
            return None
        url = exchange.url
        known, signed = self._known[url]
        reading = read(exchange.request)
        body = reading.value
        if known is not None and exchange.kind == "notify" and self._is_call(body):
            exchange.odd = [*exchange.odd, KIND]
        elif exchange.kind == "notify":
            known = None
        if known is not None:
            here = self._calls[known]
            if len(here) == 1:
                return Match(here[0], signed, reading)
            unclear = body is None and is_lost(exchange.request, reading.why)
            return Match(_operation_for(here, body), known, reading, unclear=unclear)
        if exchange.kind != "notify":
            for operation in self._unplaced:
                if is_for(operation, body):
                    return Match(operation, _path_of(url), reading)
            if exchange.kind == "call":
                if self._notification(exchange.request, reading, _path_of(url), certain=False) is not None:
                    exchange.odd = [*exchange.odd, KIND]
                return None
        return self._notification(exchange.request, reading, _path_of(url), certain=exchange.kind == "notify")

    def _is_call(self, body: object) -> bool:
        """Return whether a body on the path of a call is none of a notification."""
        return isinstance(body, dict) and not any(member in body for member in self._kind_members)

    def _find(self, url: str) -> tuple[str | None, str]:
        """Return the path of calls at a URL, if there are any, and with its query."""
        path = unquote(_path_of(url)).rstrip("/")
        known = next((known for known in self._paths if path.endswith(known)), None)
        return known, (known or "") + _query_of(url)

    def _notification(self, request: Message, reading: Reading, path: str, *, certain: bool) -> Match | None:
        """Match a request to the merchant. If the capture does not name its kind, its form or path must show it."""
        body = reading.value
        here = next((self._hooks[known] for known in self._hooks if path.endswith(known)), None)
        if not isinstance(body, dict):
            return Match(None, path, reading) if certain or here is not None else None
        kind = any(member in body for member in self._kind_members)
        if not (certain or here is not None or request.get_all("sign") or (kind and self._enveloped(body))):
            return None  # other APIs may have such a member, or an amount and a reference number
        for operation in self._notifications:
            if is_for(operation, body) and (certain or here is operation or self._enveloped(body)):
                return Match(operation, path, reading)
        if here is not None and here.discriminators and not kind:
            return Match(here, path, reading)
        if kind or any(payload in body for payload in self._payloads):
            return Match(None, path, reading) if certain or here is not None or self._enveloped(body) else None
        for question, members in self._questions:
            if here is question or body.keys() >= members:
                return Match(question, path, reading)
        return Match(self._questions[0][0], path, reading) if certain and self._questions else None

    def _enveloped(self, body: dict[str, object]) -> bool:
        """Return whether a body has the form of every notification [6]."""
        return any(isinstance(body.get(payload), dict) for payload in self._payloads) and any(
            mark in body for mark in self._marks
        )


def _marks(notifications: Sequence[Operation]) -> frozenset[str]:
    """Return the members that every notification has, for constants and the merchant's numbers."""
    required = [
        {
            field.wire
            for field in CONTRACT.struct(one.request).fields
            if field.required
            and f"/{field.wire}" not in one.discriminators
            and (field.sends is not None or (field.source or "").startswith("merchant."))
        }
        for one in notifications
    ]
    return frozenset(set.intersection(*required)) if required else frozenset()


_NOTHING_SENT: Final = ("OPTIONS", "HEAD")
"""Methods that call no operation: preflights of browsers, and requests without a body."""


def _operation_for(operations: Sequence[Operation], body: object) -> Operation:
    """Return the operation that the body names, else the first, whose validator then reports the violation."""
    for operation in operations:
        if is_for(operation, body):
            return operation
    return operations[0]


def _query_of(url: str) -> str:
    """Return the query of a URL with its question mark; "" if it has none."""
    _, mark, query = url.partition("#")[0].partition("?")
    return mark + query


def _path_of(url: str) -> str:
    """Return the path of an absolute or relative URL, not resolved."""
    rest = url.partition("#")[0].partition("?")[0]
    scheme, mark, after = rest.partition("://")
    if mark and scheme.isalnum():
        return "/" + after.partition("/")[2]
    return rest

"""Which operation an exchange is of: by its address, and by what tells the operations on one address apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.facts import Operation
from paywright_runtime.violations import within
from paywright_tools.audit.records import Body, Exact, Exchange, Parsed, Perhaps

__all__ = ["Match", "Matcher", "parsed"]

_BILL: frozenset[str] = frozenset(("referenceNo", "amount", "currency"))


class Match:
    """What an exchange is. `operation` None: a notification that the contract does not show [6.3], whose signature
    alone can be judged."""

    __slots__ = ("operation", "path")

    def __init__(self, operation: Operation | None, path: str) -> None:
        self.operation = operation
        self.path = path


class Matcher:
    """`paths` are addresses by operation, for those that the specification does not show."""

    def __init__(self, paths: Mapping[str, str] | None = None) -> None:
        given = dict(paths or {})
        self._calls: dict[str, list[Operation]] = {}
        self._unplaced: list[Operation] = []
        self._inbound: list[Operation] = []
        for name in CONTRACT.operations():
            operation = CONTRACT.operation(name)
            path = given.get(name) or operation.path
            if operation.inbound:
                self._inbound.append(operation)
            elif path is None:
                self._unplaced.append(operation)
            else:
                self._calls.setdefault(path, []).append(operation)
        self._paths = sorted(self._calls, key=len, reverse=True)

    def match(self, exchange: Exchange) -> Match | None:
        """The operation; None where nothing of the contract fits."""
        path = _path_of(exchange.url)
        if exchange.kind != "notify":
            for known in self._paths:
                if path.endswith(known):
                    return Match(_told_apart(self._calls[known], parsed(exchange.request.body)), known)
            body = parsed(exchange.request.body)
            for operation in self._unplaced:
                if _tells(operation, body):
                    return Match(operation, path)
            if exchange.kind == "call":
                return None
        return self._notification(parsed(exchange.request.body), path, certain=exchange.kind == "notify")

    def _notification(self, body: object, path: str, *, certain: bool) -> Match | None:
        if not isinstance(body, dict):
            return Match(None, path) if certain else None
        for operation in self._inbound:
            if operation.tells and _tells(operation, body):
                return Match(operation, path)
        if "notifyType" in body:
            return Match(None, path)
        if certain or body.keys() >= _BILL:
            for operation in self._inbound:
                if not operation.tells:
                    return Match(operation, path)
        return None


def parsed(body: Body) -> object:
    """What a body says, as far as it can be read; None where it cannot."""
    if isinstance(body, (Exact, Perhaps)):
        try:
            return strict_json.parse_reporting(body.raw)[0]
        except strict_json.JsonProblem:
            return None
    return body.value if isinstance(body, Parsed) else None


def _told_apart(operations: Sequence[Operation], body: object) -> Operation:
    """The operation that the body names; where it names none, the first, whose validator then says what is wrong."""
    return next((operation for operation in operations if _tells(operation, body)), operations[0])


def _tells(operation: Operation, body: object) -> bool:
    return all(within(body, *pointer.split("/")[1:]) == value for pointer, value in operation.tells.items())


def _path_of(url: str) -> str:
    """The path of an absolute or relative URL. Nothing of it is trusted, or resolved."""
    rest = url.partition("#")[0].partition("?")[0]
    scheme, mark, after = rest.partition("://")
    if mark and scheme.isalnum():
        return "/" + after.partition("/")[2]
    return rest

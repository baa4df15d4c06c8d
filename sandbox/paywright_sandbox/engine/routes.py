"""Routes of the control API, for matching requests and for the OpenAPI document.

A handler raises `Refusal` with an HTTP status as its code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar
from urllib.parse import unquote

from paywright_runtime import strict_json
from paywright_sandbox.engine.money import written
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.tables import MerchantRow

if TYPE_CHECKING:
    from paywright_sandbox.engine.engine import Engine
    from paywright_sandbox.engine.responses import HttpReply

__all__ = ["PREFIX", "WHOSE", "Call", "Route", "RouteField", "RouteMatch", "find", "one_of", "read_fields"]

T = TypeVar("T", bound=MerchantRow)

PREFIX: Final = "/_sandbox/"

Kind = Literal["string", "integer", "boolean", "decimal", "time", "object", "array"]


@dataclass(slots=True, eq=False)
class RouteField:
    """A member of a route's body. `decimal` is an amount as text or number, `time` text with an offset.

    Text has at most `longest` characters; a field that messages repeat has their limit (`longest_of`).
    """

    name: str
    kind: Kind
    summary: str
    _: KW_ONLY
    required: bool = False
    choices: tuple[str, ...] = ()
    longest: int = 256

    def __repr__(self) -> str:
        return f"<RouteField {self.name}: {self.kind}{' required' if self.required else ''}>"


WHOSE: Final = RouteField("merchant", "string", "app id of the merchant, needed if several have this number")


class Call:
    """One request to a route: the variables of its path, and its body with fields of the route only.

    `raw` are the bytes of the body, for a route that is `binary`.
    """

    __slots__ = ("body", "path", "raw")

    def __init__(self, path: Mapping[str, str], body: Mapping[str, object], raw: bytes = b"") -> None:
        self.path: Mapping[str, str] = path
        self.body: Mapping[str, object] = body
        self.raw: bytes = raw


Answer: TypeAlias = "Mapping[str, object] | HttpReply"


class Route:
    """A route of the control API: a method and a path such as `orders/{outTradeNo}/pay`.

    `handler` returns a JSON object (HTTP 200) or a `HttpReply`. A `waiting` route may wait for a merchant's server, and must
    not run in the event loop. A `public` one does not require the header `X-Sandbox`. A `binary` one takes a snapshot,
    which is large and not JSON. `gives` is the content type of the answer.
    """

    __slots__ = ("binary", "fields", "gives", "handler", "method", "path", "public", "steps", "summary", "waiting")

    def __init__(
        self,
        method: str,
        path: str,
        summary: str,
        handler: Callable[[Engine, Call], Answer],
        fields: Sequence[RouteField] = (),
        *,
        waiting: bool = False,
        public: bool = False,
        binary: bool = False,
        gives: str = "application/json",
    ) -> None:
        self.binary: bool = binary
        self.gives: str = gives
        self.method: str = method
        self.path: str = path
        self.steps: tuple[str, ...] = tuple(path.split("/"))
        self.summary: str = summary
        self.handler: Callable[[Engine, Call], Answer] = handler
        self.fields: tuple[RouteField, ...] = tuple(fields)
        self.waiting: bool = waiting
        self.public: bool = public

    @property
    def variables(self) -> list[str]:
        """The names in the path."""
        return [step[1:-1] for step in self.steps if step.startswith("{")]

    def __repr__(self) -> str:
        return f"<Route {self.method} {PREFIX}{self.path}>"


class RouteMatch:
    """The route of a request, or the methods that its path has instead."""

    __slots__ = ("methods", "route", "variables")

    def __init__(self, route: Route | None, variables: Mapping[str, str], methods: Sequence[str]) -> None:
        self.route: Route | None = route
        self.variables: Mapping[str, str] = variables
        self.methods: tuple[str, ...] = tuple(methods)


def find(routes: Sequence[Route], method: str, path: str) -> RouteMatch:
    """Return the route of a request. `path` begins with `PREFIX`; a literal step wins over a variable."""
    given = [unquote(step) for step in path.removeprefix(PREFIX).split("/")]
    fitting = [(route, found) for route in routes if (found := _match(route, given)) is not None]
    fitting.sort(key=lambda pair: len(pair[1]))
    for route, variables in fitting:
        if route.method == method:
            return RouteMatch(route, variables, ())
    return RouteMatch(None, {}, sorted({route.method for route, _ in fitting}))


def one_of(rows: Sequence[T], merchant: str | None, what: str, number: str) -> T:
    """Return the row of `merchant`, of rows of several merchants with the same number.

    `what` and `number` name row and number in messages. Raises `Refusal` with an HTTP status.
    """
    if not rows:
        raise Refusal(f"There is no {what} with this {number}.", code="404")
    holders = [row.merchant for row in rows]
    if merchant is None:
        if len(rows) == 1:
            return rows[0]
        one = f"{'an' if what[0] in 'aeiou' else 'a'} {what}"
        raise Refusal(
            f"Several merchants have {one} with this {number}: {', '.join(holders)}. Name the merchant in the field merchant.",
            code="409",
        )
    if merchant not in holders:
        raise Refusal(f"The merchant has no {what} with this {number}; {', '.join(holders)} has one.", code="404")
    return rows[holders.index(merchant)]


def _match(route: Route, given: Sequence[str]) -> dict[str, str] | None:
    if len(route.steps) != len(given):
        return None
    variables = {}
    for step, value in zip(route.steps, given, strict=True):
        if step.startswith("{"):
            if not value:
                return None
            variables[step[1:-1]] = value
        elif step != value:
            return None
    return variables


def read_fields(route: Route, raw: bytes) -> dict[str, object]:
    """Return the body of a request after checking it against the route's fields. Raises `Refusal` with 400."""
    if route.binary or not raw.strip():
        body: dict[str, object] = {}
    else:
        try:
            value = strict_json.parse(raw)
        except strict_json.JsonProblem as problem:
            raise Refusal(f"The body is not strict JSON: {problem}.", code="400") from None
        if not isinstance(value, dict):
            raise Refusal("The body must be a JSON object.", code="400")
        body = dict(value)
    known = {field.name: field for field in route.fields}
    for name in body:
        if name not in known:
            there = f"it has {', '.join(known)}" if known else "it has none"
            raise Refusal(f"{name[:64]!r} is not a field of {route.method} {PREFIX}{route.path}: {there}.", code="400")
    for field in route.fields:
        if body.get(field.name) is None:
            body.pop(field.name, None)
            if field.required:
                raise Refusal(f"{field.name} is required: {field.summary}.", code="400")
            continue
        fault = _fault(field, body[field.name])
        if fault:
            raise Refusal(f"{field.name} must be {fault}: {field.summary}.", code="400")
    return body


def _fault(field: RouteField, value: object) -> str | None:
    from paywright_runtime.contract import formats

    if field.kind == "integer":
        return None if isinstance(value, int) and not isinstance(value, bool) else "a whole number"
    if field.kind == "boolean":
        return None if isinstance(value, bool) else "true or false"
    if field.kind == "array":
        return None if isinstance(value, list) else "a list"
    if field.kind == "object":
        return None if isinstance(value, dict) else "an object"
    if field.kind == "decimal":
        return None if _is_decimal(value) else 'an amount such as "10.50"'
    if not isinstance(value, str):
        return "text"
    if len(value) > field.longest:
        return f"text of at most {field.longest} characters"
    if field.choices and value not in field.choices:
        return f"one of {', '.join(field.choices)}"
    if field.kind == "time" and formats.read_time(value) is None:
        return "a time such as 2025-06-01T12:00:00Z"
    return None


def _is_decimal(value: object) -> bool:
    from decimal import Decimal

    if isinstance(value, str):
        whole, dot, rest = value.partition(".")
        digits = whole + rest
        return digits.isascii() and digits.isdigit() and bool(whole) and bool(rest or not dot) and len(digits) <= 30
    if not isinstance(value, (int, Decimal)) or isinstance(value, bool) or value < 0:
        return False
    return sum(sign != "." for sign in written(value)) <= 30

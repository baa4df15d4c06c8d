"""Routes of the control API, for matching requests and for the OpenAPI document.

A handler raises `Refusal` with an HTTP status as its code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar
from urllib.parse import quote, unquote

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_sandbox.engine.context import RequestContext
from paywright_sandbox.engine.currency_decimals import check_entered, written
from paywright_sandbox.engine.fields import given
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.tables import MerchantRow

if TYPE_CHECKING:
    from paywright_sandbox.engine.engine import Engine
    from paywright_sandbox.engine.merchant import RegisteredMerchant
    from paywright_sandbox.engine.responses import HttpReply

R = TypeVar("R", bound=MerchantRow)

PREFIX: Final = "/_sandbox/"

Kind = Literal["string", "line", "currency", "country", "integer", "boolean", "decimal", "time", "array"]


@dataclass(slots=True, eq=False)
class RouteField:
    """A member of a route's body. `decimal` is an amount as text or number, `time` text with an offset, `currency` and `country` capitals.

    Text has at most `longest` characters; a field that messages repeat has their limit (`longest_of`).
    """

    name: str
    kind: Kind
    summary: str
    _: KW_ONLY
    required: bool = False
    choices: tuple[str, ...] = ()
    longest: int = 256


WHOSE: Final = RouteField("merchant", "string", "app id of the merchant, needed if several have this number")


@dataclass(slots=True, eq=False, repr=False)  # a body is in no repr
class Call:
    """One request to a route: the variables of its path, and its body with fields of the route only.

    `raw` are the bytes of the body, for a route that is `binary`.
    """

    path: Mapping[str, str]
    body: Mapping[str, object]
    raw: bytes = b""


Answer: TypeAlias = "Mapping[str, object] | HttpReply"


@dataclass(slots=True, eq=False)
class Route:
    """A route of the control API: a method and a path such as `orders/{outTradeNo}/pay`.

    `handler` returns a JSON object (HTTP 200) or a `HttpReply`. A `waiting` route may wait for a merchant's server or
    take long, and must not run in the event loop. A `public` one does not require the header `X-Sandbox`. A `binary` one takes a snapshot,
    which is large and not JSON. `gives` is the content type of the answer.
    """

    method: str
    path: str
    summary: str
    handler: Callable[[Engine, Call], Answer]
    fields: Sequence[RouteField] = ()
    _: KW_ONLY
    waiting: bool = False
    public: bool = False
    binary: bool = False
    gives: str = "application/json"

    @property
    def steps(self) -> list[str]:
        """The steps of the path."""
        return self.path.split("/")

    @property
    def variables(self) -> list[str]:
        """The names in the path."""
        return [step[1:-1] for step in self.steps if step.startswith("{")]


class RouteMatch(NamedTuple):
    """The route of a request, or the methods that its path has instead."""

    route: Route | None
    variables: Mapping[str, str]
    methods: Sequence[str]


def find(routes: Sequence[Route], method: str, path: str) -> RouteMatch:
    """Return the route of a request. `path` begins with `PREFIX`; a literal step wins over a variable."""
    given = [unquote(step) for step in path.removeprefix(PREFIX).split("/")]
    fitting = [(route, found) for route in routes if (found := _match(route, given)) is not None]
    fitting.sort(key=lambda pair: len(pair[1]))
    for route, variables in fitting:
        if route.method == method:
            return RouteMatch(route, variables, ())
    return RouteMatch(None, {}, sorted({route.method for route, _ in fitting}))


def _match(route: Route, given: Sequence[str]) -> dict[str, str] | None:
    steps = route.steps
    if len(steps) != len(given) or not all(
        step == value or (step[0] == "{" and value) for step, value in zip(steps, given, strict=True)
    ):
        return None
    return {step[1:-1]: value for step, value in zip(steps, given, strict=True) if step[0] == "{"}


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
            why = "" if field.choices else f": {field.summary}"  # a summary may list the choices again
            raise Refusal(f"{field.name} must be {fault}{why}.", code="400")
    return body


def _fault(field: RouteField, value: object) -> str | None:
    from paywright_runtime.contract import formats

    if field.kind == "integer":
        return None if isinstance(value, int) and not isinstance(value, bool) else "a whole number"
    if field.kind == "boolean":
        return None if isinstance(value, bool) else "true or false"
    if field.kind == "array":
        return None if isinstance(value, list) else "a list"
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
    if field.kind in _CAPITALS and _CAPITALS[field.kind](value) is None:
        return {"currency": "three capitals, such as USD", "country": "two capitals, such as SG"}[field.kind]
    if field.kind == "line" and not (value.isprintable() and (value or not field.required)):
        return "text on one line"
    return None


def _is_decimal(value: object) -> bool:
    if isinstance(value, str):
        whole, dot, rest = value.partition(".")
        digits = whole + rest
        return digits.isascii() and digits.isdigit() and bool(whole) and bool(rest or not dot) and len(digits) <= 30
    if not isinstance(value, (int, Decimal)) or isinstance(value, bool) or value < 0:
        return False
    return sum(sign != "." for sign in written(value)) <= 30


_CAPITALS: Final = {"currency": re.compile("[A-Z]{3}").fullmatch, "country": re.compile("[A-Z]{2}").fullmatch}
_MAX: Final = re.compile(r"\bmax ([0-9]+)\b")


@cache
def longest_of(wire: str) -> int:
    """Return the smallest length limit of a member of this wire name, over all messages.

    A value that fits can be repeated in every message that has the member. Raises `LookupError` if no message limits it.
    """
    found = [
        int(limit[1])
        for struct in CONTRACT.structs()
        for field in CONTRACT.struct(struct).fields
        if field.wire == wire and (limit := _MAX.search(field.limits)) is not None
    ]
    if not found:
        raise LookupError(f"no message of the contract limits {wire}")
    return min(found)


LISTED: Final = 200
"""The maximum number of rows in a list of the control API."""

MERCHANT_OR_FIRST: Final = RouteField("merchant", "string", "app id of the merchant; the first one when left out")


def in_context(
    handle: Callable[[RequestContext, Call], Mapping[str, object]],
) -> Callable[[Engine, Call], Mapping[str, object]]:
    """Return a route's handler that runs `handle` in one transaction, after the timers that have fallen due."""

    def handler(engine: Engine, call: Call) -> Mapping[str, object]:
        with engine.transaction() as context:
            return handle(context, call)

    return handler


def number_in(call: Call, variable: str) -> int:
    """Return a number of the path. Raises `Refusal` (404)."""
    digits = call.path[variable]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        raise Refusal(f"{variable} is a number.", code="404")
    return int(digits)


def merchant_field(context: RequestContext, call: Call) -> RegisteredMerchant:
    """Return the merchant of the field `merchant`, or the first one. Raises `Refusal` with 404."""
    app_id = given(call.body, "merchant")
    found = context.merchants[0] if app_id is None else context.merchant(app_id)
    if found is None:
        there = ", ".join(merchant.app_id for merchant in context.merchants)
        raise Refusal(f"No merchant has this app id; known: {there}.", code="404")
    return found


def amount_field(context: RequestContext, call: Call, currency: str, name: str = "amount") -> Decimal:
    """Return a required amount above 0 with no more decimals than `currency` has. Raises `Refusal` with 400."""
    amount = Decimal(str(call.body[name]))
    if amount <= 0:
        raise Refusal(f"{name} must be above 0.", code="400")
    check_entered(context, amount, currency, name)
    return amount


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows(Generic[R]):
    """The rows of one `kind` in the control API: listed and found under `path`, and shown.

    `what` is a row, and `plural` several, in words. `number` is the variable of a row's path, `column` where its value stands,
    as `stored` writes it. Where merchants share numbers, `fields` has the field merchant. `ended` returns the last status of a
    row that has ended, else "".
    """

    kind: type[R]
    path: str
    what: str
    plural: str
    number: str
    column: str
    show: Callable[[RequestContext, R], Mapping[str, object]]
    ended: Callable[[R], str] = lambda row: ""
    fields: Sequence[RouteField] = ()
    stored: Callable[[str], str] = str

    def find(self, context: RequestContext, number: str, merchant: str | None = None) -> R:
        """Return the row of a number, of this app id if several merchants have one. Raises `Refusal` with an HTTP status."""
        table = self.kind.TABLE
        where = f"WHERE {table}.{self.column} = ? ORDER BY {table}.id"
        rows = context.state.select(self.kind, where, self.stored(number))
        holders = [row.merchant for row in rows]
        if not rows:
            raise Refusal(f"There is no {self.what} with this {self.number}.", code="404")
        if merchant is None and len(rows) > 1:
            raise Refusal(
                f"Several merchants have {self.plural} with this {self.number}: {', '.join(holders)}. Name the merchant: in the field "
                f"merchant, or to read one by GET {PREFIX}merchants/{holders[0]}/{self.path}/{quote(number, safe='')}.",
                code="409",
            )
        if merchant is not None and merchant not in holders:
            raise Refusal(
                f"The merchant has no {self.what} with this {self.number}; it belongs to {', '.join(holders)}.",
                code="404",
            )
        return rows[0 if merchant is None else holders.index(merchant)]

    def shown(self, context: RequestContext, row: R) -> dict[str, object]:
        """Return a row as an answer of the control API."""
        return {"merchant": row.merchant, **self.show(context, row)}

    def reads(self) -> tuple[Route, ...]:
        """Return the routes of the list and of one row; where merchants share numbers, also of one row of a merchant."""
        first, *others = self.path.split("-")
        member = first + "".join(map(str.title, others))
        latest = f"ORDER BY {self.kind.TABLE}.id DESC LIMIT ?"

        def listed(context: RequestContext, _: Call) -> dict[str, object]:
            return {member: [self.shown(context, row) for row in context.state.select(self.kind, latest, LISTED)]}

        one = in_context(lambda context, call: self.shown(context, self._of(context, call)))
        path, what = f"{self.path}/{{{self.number}}}", f"One {self.what}"
        return (
            Route("GET", self.path, f"The latest {LISTED} {self.plural}, the newest first", in_context(listed)),
            Route("GET", path, what, one),
            *([Route("GET", f"merchants/{{appId}}/{path}", f"{what} of a merchant", one)] if self.fields else []),
        )

    def act(
        self, step: str, summary: str, action: Callable[[RequestContext, R, Call], R], *fields: RouteField, late: bool = False
    ) -> Route:  # fmt: skip
        """Return the route of an action under a row's path, which answers with the row that `action` returns.

        It refuses a row that has ended, unless `late`.
        """

        def acted(context: RequestContext, call: Call) -> dict[str, object]:
            row = self._of(context, call)
            if (status := self.ended(row)) and not late:
                raise Refusal(f"The {self.what} is {status} already: nothing happened.", code="409")
            return self.shown(context, action(context, row, call))

        path = f"{self.path}/{{{self.number}}}{step}"
        return Route("POST", path, summary, in_context(acted), (*self.fields, *fields))

    def _of(self, context: RequestContext, call: Call) -> R:
        return self.find(context, call.path[self.number], call.path.get("appId") or given(call.body, "merchant"))

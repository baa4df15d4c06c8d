"""Check single values, as generated validators do, and collect why one breaks the contract.

Generated validators test each member in one line and call a `Report` only when the test failed. The report then looks up the
limits of the member, and finds those that are broken. `contract.validation` composes their messages.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from types import NoneType
from typing import TYPE_CHECKING, Final, Protocol

from paywright_runtime.strict_json.errors import HALF, CutText

if TYPE_CHECKING:
    from paywright_runtime.contract.model import Field, Set, Struct


EMPTY: Final[tuple[object, ...]] = (None, "", [])
"""The values that count as not given: absent or null, empty text, empty array."""
_FAR: Final = 1000
_FACETS: Final = frozenset({"exactly", "min", "max", "range", "is", "in", "default", "blank"})
_KINDS: Final = {"number": "a finite number", "boolean": "true or false", "any": "an object", "struct": "an object"}


class Facts(Protocol):
    """The contract, as far as a report asks for what failed."""

    def struct(self, name: str, /) -> Struct:
        """Return the object type with this name."""
        ...

    def set(self, name: str, /) -> Set:
        """Return the value list with this name."""
        ...

    def shown(self, field: Field, /) -> str:
        """Return what a format wants, in words."""
        ...


def is_number(x: object) -> bool:
    """Return True for a JSON number: an int that is no bool, a finite float, a finite Decimal."""
    kind = type(x)
    if kind is float:
        return isfinite(x)  # type: ignore[arg-type]  # type(x) is float, which the checker cannot follow through `kind`
    return kind is int or (isinstance(x, Decimal) and x.is_finite())


def longer(x: object, most: int) -> bool:
    """Return True for a text of more characters than allowed."""
    return type(x) is str and len(x) > most


def same_text(x: object, other: object) -> bool:
    """Return True for two equal texts that are not empty."""
    return type(x) is str and x != "" and x == other


def not_joined(x: object, first: object, second: object) -> bool:
    """Return True for a text other than `first + second`, if none of the three is absent or empty."""
    if type(x) is not str or type(first) is not str or type(second) is not str:
        return False
    return "" not in (x, first, second) and x != first + second


def within(x: object, path: tuple[str, ...]) -> object:
    """Return the value at a path of member names inside an object, or None."""
    for name in path:
        if type(x) is not dict:
            return None
        x = x.get(name)
    return x


class Report:
    """Collects violations as `(pointer, code, detail)`. The methods are called only when a member failed its test."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: list[tuple[str, str, str]] = []

    def add(self, pointer: str, code: str, detail: str = "") -> None:
        """Add one violation."""
        self.found.append((pointer, code, detail))

    def failed(
        self,
        contract: Facts,
        struct: str,
        at: str,
        name: str,
        x: object,
        matches: Callable[[str], object] | None = None,
        i: int | None = None,
    ) -> None:
        """Report why a member, or its element `i`, failed its test, by what the contract says. `matches` is its format."""
        field = contract.struct(struct).by_wire[name]
        pointer = f"{at}/{name}" if i is None else f"{at}/{name}/{i}"
        if i is not None or not field.array:
            self._judge(contract, field, pointer, x, matches)
        elif type(x) is not list:
            self._no_kind(pointer, x, field.required, "an array")
        else:
            self._count(pointer, len(x), _facets(field), "elements")

    def each(
        self, at: str, name: str, x: list[object], check: Callable[[dict[str, object], str, Report], None]
    ) -> None:
        """Check every element of an array of objects, valid ones too."""
        at = f"{at}/{name}"
        for i, item in enumerate(x):
            if type(item) is dict:
                check(item, f"{at}/{i}", self)
            else:
                self._no_kind(f"{at}/{i}", item, True, "an object")

    def each_text(
        self,
        contract: Facts,
        struct: str,
        at: str,
        name: str,
        x: list[object],
        *,
        values: Container[str] | None = None,
        format: Callable[[str], object] | None = None,
    ) -> None:
        """Check every element of an array of strings, valid ones too."""
        for i, item in enumerate(x):
            if type(item) is not str or (values is not None and item not in values) or (format and not format(item)):
                self.failed(contract, struct, at, name, item, format, i)

    def rule(self, at: str, name: str, rule_id: str) -> None:
        """Report a broken rule, at the member to correct."""
        self.add(f"{at}/{name}", rule_id)

    def _judge(
        self, contract: Facts, field: Field, at: str, x: object, matches: Callable[[str], object] | None
    ) -> None:
        """Report why a value is not what its field takes. An element of an array has no limits of length, and is required."""
        kind = _KINDS.get(field.kind)
        if kind is not None or type(x) is not str:
            self._no_kind(at, x, field.required or field.array, kind or "a string")
            return
        facets = _facets(field)
        most = None if field.array else self._count(at, len(x), facets, "characters")
        if field.blank and x == "":
            return
        chosen = contract.set(field.of) if field.kind == "set" and field.of is not None else None
        listed = () if chosen is None or chosen.open else chosen.values
        values = facets.get("in") or facets.get("is") or listed
        if values and x not in values:
            self.add(at, "value", f"must be one of {', '.join(values)}")
        if "range" in facets:
            low, _, high = facets["range"][0].partition("..")
            if not in_range(x, (int(low), int(high))):
                self.add(at, "range", f"must be digits with a value from {low} to {high}")
        # A text that is far too long is reported already, and its format may take long to check.
        if matches is not None and (most is None or len(x) <= most + _FAR) and not matches(x):
            self.add(at, "format", f"must be {contract.shown(field)}")

    def _count(self, at: str, length: int, facets: Mapping[str, Sequence[str]], what: str) -> int | None:
        """Report a length outside its limits. Return the largest one."""
        least, most, exact = (next(map(int, facets.get(name, ())), None) for name in ("min", "max", "exactly"))
        if what == "elements" and exact is not None:
            least = most = exact
        elif exact is not None and length != exact:
            self.add(at, "exact", f"has {length} {what}, exactly {exact} are required")
        if least is not None and length < least:
            self.add(at, "min", f"has {length} {what}, at least {least} are required")
        if most is not None and length > most:
            self.add(at, "max", f"has {length} {what}, at most {most} are allowed")
        return most if exact is None else exact

    def _no_kind(self, at: str, x: object, required: bool, due: str) -> None:
        if isinstance(x, CutText) and due == "a string":
            self.add(at, "json", HALF)
        elif x is None and required:
            self.add(at, "required", "is required")
        elif x is not None or required:
            self.add(at, "type", f"must be {due}, not {_json_type(x)}")


def _facets(field: Field) -> dict[str, list[str]]:
    """Return the words behind each facet of a field's limits, as the contract writes them."""
    found: dict[str, list[str]] = {}
    words: list[str] = []
    for word in field.limits.split()[1:]:
        if word in _FACETS:
            words = found[word] = []
        else:
            words.append(word)
    return found


def in_range(x: str, bounds: tuple[int, int]) -> bool:
    """Return True for ASCII digits whose value lies within the bounds."""
    digits = x.lstrip("0") or x[-1:]
    return x.isascii() and x.isdigit() and len(digits) <= len(str(bounds[1])) and bounds[0] <= int(digits) <= bounds[1]


_TYPES: Final[Mapping[type | tuple[type, ...], str]] = {
    NoneType: "null", bool: "true or false", (int, float, Decimal): "a number", str: "a string", list: "an array", dict: "an object",
}  # fmt: skip


def _json_type(x: object) -> str:
    if isinstance(x, float) and not isfinite(x):
        return "NaN or Infinity"
    return next((words for kind, words in _TYPES.items() if isinstance(x, kind)), f"a Python {type(x).__name__}")

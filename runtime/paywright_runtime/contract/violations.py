"""Collect violations of the contract while a message is validated.

Generated validators test each member in one line and call a `Report` only when the test failed. The report then finds
the broken limits. `contract.wording` composes their messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from math import isfinite
from typing import Final

__all__ = ["EMPTY", "Report", "in_range", "is_number", "longer", "not_joined", "same_text", "within"]

EMPTY: Final[tuple[object, ...]] = (None, "", [])
"""The values that count as not given: absent or null, empty text, empty array."""
_FAR: Final = 1000


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


def within(x: object, *path: str) -> object:
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

    def text(
        self,
        at: str,
        name: str | int,
        x: object,
        *,
        required: bool = False,
        min: int = 0,
        max: int | None = None,
        exact: int | None = None,
        values: Iterable[str] | None = None,
        format: Callable[[str], object] | None = None,
        shown: str = "",
        range: tuple[int, int] | None = None,
        blank: bool = False,
    ) -> None:
        """Report a member that should be a string within limits."""
        if type(x) is not str:
            self._no_text(at, name, x, required, "a string")
            return
        pointer = f"{at}/{name}"
        if exact is not None and len(x) != exact:
            self.add(pointer, "exact", f"has {len(x)} characters, exactly {exact} are required")
        if len(x) < min:
            self.add(pointer, "min", f"has {len(x)} characters, at least {min} are required")
        if max is not None and len(x) > max:
            self.add(pointer, "max", f"has {len(x)} characters, at most {max} are allowed")
        if blank and x == "":
            return
        if values is not None and x not in values:
            self.add(pointer, "value", f"must be one of {', '.join(values)}")
        if range is not None and not in_range(x, range):
            self.add(pointer, "range", f"must be digits with a value from {range[0]} to {range[1]}")
        most = max if exact is None else exact
        # A text that is far too long is reported already, and its format may take long to check.
        if format is not None and (most is None or len(x) <= most + _FAR) and not format(x):
            self.add(pointer, "format", f"must be {shown}")

    def number(self, at: str, name: str | int, x: object, *, required: bool = False) -> None:
        """Report a member that should be a number."""
        self._no_text(at, name, x, required, "a finite number")

    def boolean(self, at: str, name: str | int, x: object, *, required: bool = False) -> None:
        """Report a member that should be true or false."""
        self._no_text(at, name, x, required, "true or false")

    def struct(self, at: str, name: str | int, x: object, *, required: bool = False) -> None:
        """Report a member that should be an object."""
        self._no_text(at, name, x, required, "an object")

    def array(
        self, at: str, name: str, x: object, *, required: bool = False, min: int = 0, max: int | None = None
    ) -> None:
        """Report a member that should be an array within limits."""
        if type(x) is not list:
            self._no_text(at, name, x, required, "an array")
        elif max is not None and len(x) > max:
            self.add(f"{at}/{name}", "max", f"has {len(x)} elements, at most {max} are allowed")
        elif len(x) < min:
            self.add(f"{at}/{name}", "min", f"has {len(x)} elements, at least {min} are required")

    def each(
        self, at: str, name: str, x: list[object], check: Callable[[dict[str, object], str, Report], None]
    ) -> None:
        """Check every element of an array of objects, valid ones too."""
        at = f"{at}/{name}"
        for i, item in enumerate(x):
            if type(item) is dict:
                check(item, f"{at}/{i}", self)
            else:
                self.struct(at, i, item, required=True)

    def each_text(
        self,
        at: str,
        name: str,
        x: list[object],
        *,
        values: Iterable[str] | None = None,
        format: Callable[[str], object] | None = None,
        shown: str = "",
    ) -> None:
        """Report elements of an array of strings."""
        for i, item in enumerate(x):
            if type(item) is not str or (values is not None and item not in values) or (format and not format(item)):
                self.text(f"{at}/{name}", i, item, required=True, values=values, format=format, shown=shown)

    def rule(self, at: str, name: str, rule_id: str) -> None:
        """Report a broken rule, at the member to correct."""
        self.add(f"{at}/{name}", rule_id)

    def _no_text(self, at: str, name: str | int, x: object, required: bool, due: str) -> None:
        if x is None and required:
            self.add(f"{at}/{name}", "required", "is required")
        elif x is not None or required:
            self.add(f"{at}/{name}", "type", f"must be {due}, not {_json_type(x)}")


def in_range(x: str, bounds: tuple[int, int]) -> bool:
    """Return True for ASCII digits whose value lies within the bounds."""
    digits = x.lstrip("0") or x[-1:]
    return x.isascii() and x.isdigit() and len(digits) <= len(str(bounds[1])) and bounds[0] <= int(digits) <= bounds[1]


def _json_type(x: object) -> str:
    if x is None:
        return "null"
    if isinstance(x, bool):
        return "true or false"
    if isinstance(x, float) and not isfinite(x):
        return "NaN or Infinity"
    if isinstance(x, (int, float, Decimal)):
        return "a number"
    if isinstance(x, str):
        return "a string"
    if isinstance(x, list):
        return "an array"
    if isinstance(x, dict):
        return "an object"
    return f"a Python {type(x).__name__}"

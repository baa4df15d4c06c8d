"""Read fields of JSON and rows, and write times."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Final

from paywright_runtime.contract import formats
from paywright_sandbox.engine.state.refusal import Refusal

# ASCII letters only: lower() would turn the Kelvin sign into a k.
_FOLDED: Final = str.maketrans({chr(upper): chr(upper + 32) for upper in range(ord("A"), ord("Z") + 1)})


def fold(key: str) -> str:
    """Return an order id in the form for comparison: AAA and AAa are the same [4.1]."""
    return key.translate(_FOLDED)


def text(data: Mapping[str, object], name: str) -> str:
    """Return a required text."""
    value = data[name]
    assert isinstance(value, str)
    return value


def whole(row: Mapping[str, object], name: str) -> int:
    """Return a stored number that is not null."""
    value = row[name]
    assert isinstance(value, int)
    return value


def given(data: Mapping[str, object], name: str) -> str | None:
    """Return an optional text; null and the empty text count as absent."""
    value = data.get(name)
    return value if isinstance(value, str) and value else None


def amount_of(data: Mapping[str, object], name: str) -> Decimal:
    """Return a required amount with all its digits. Raises `Refusal` unless it is above 0."""
    value = data[name]
    amount = value if isinstance(value, Decimal) else Decimal(str(value))
    if amount <= 0:
        raise Refusal(f"/data/{name} must be above 0.", policy="invalid-request")
    return amount


def zoned(time: datetime | None) -> str | None:
    """Return a time as yyyy-MM-dd'T'HH:mm:ss Z, or None."""
    return None if time is None else formats.write_zoned_time(time)

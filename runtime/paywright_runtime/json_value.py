"""Type of parsed JSON: numbers are `int` or `Decimal`, never `float`, so that amounts keep their digits."""

from decimal import Decimal
from typing import TypeAlias

__all__ = ["JSON"]

JSON: TypeAlias = "bool | int | Decimal | str | list[JSON] | dict[str, JSON] | None"

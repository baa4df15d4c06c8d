"""Check the types of arguments at run time: settings read from files may not have the annotated types."""

from math import isfinite
from typing import TypeGuard


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether it is a finite int or float. `True` is not."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    try:
        return isfinite(value)
    except OverflowError:  # an int beyond all floats
        return False


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether it is an int. `True` is not."""
    return isinstance(value, int) and not isinstance(value, bool)

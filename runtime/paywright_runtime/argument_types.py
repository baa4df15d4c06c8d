"""What an argument really is: annotations promise types, and programs that read their settings from files keep no such promise."""

from math import isfinite

__all__ = ["is_number", "is_whole"]


def is_number(value: object) -> bool:
    """Whether it is a finite int or float; `True` is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def is_whole(value: object) -> bool:
    """Whether it is an int; `True` is none."""
    return isinstance(value, int) and not isinstance(value, bool)

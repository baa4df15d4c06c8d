"""Read typed netstrings, the format of mitmproxy's flow files: `LENGTH:PAYLOADTYPE`, nested."""

from __future__ import annotations

from typing import Final

__all__ = ["parse"]


_MAX_DEPTH: Final = 32
_MAX_LENGTH_DIGITS: Final = 12
_COMMA, _TEXT, _INT, _FLOAT, _BOOL, _NULL, _LIST, _DICT = b",;#^!~]}"


def parse(data: bytes, kind: int) -> object:
    """Return the value of a payload whose type is the byte `kind`. Raises `ValueError` if it is malformed.

    Keys of a dictionary are text, whether they were written as text or as bytes.
    """
    return _value(memoryview(data), kind, _MAX_DEPTH)


def _value(data: memoryview, kind: int, depth: int) -> object:
    if kind == _COMMA:
        return bytes(data)
    if kind == _TEXT:
        return str(data, "utf-8")
    if kind in (_LIST, _DICT):
        if not depth:
            raise ValueError("too deep")
        items = _items(data, depth - 1)
        return items if kind == _LIST else _dictionary(items)
    if kind == _INT:
        return int(bytes(data)) if len(data) <= 32 else _fail()
    if kind == _FLOAT:
        return float(bytes(data)) if len(data) <= 64 else _fail()
    if kind == _BOOL:
        return {b"true": True, b"false": False}[bytes(data)] if bytes(data) in (b"true", b"false") else _fail()
    if kind == _NULL and not len(data):
        return None
    return _fail()


def _items(data: memoryview, depth: int) -> list[object]:
    items = []
    at, end = 0, len(data)
    while at < end:
        head = bytes(data[at : at + _MAX_LENGTH_DIGITS + 1])
        digits, colon, _ = head.partition(b":")
        if not colon or not digits.isdigit():
            _fail()
        start = at + len(digits) + 1
        at = start + int(digits)
        if at >= end:
            _fail()
        items.append(_value(data[start:at], data[at], depth))
        at += 1
    return items


def _dictionary(items: list[object]) -> dict[str, object]:
    if len(items) % 2:
        _fail()
    made: dict[str, object] = {}
    for key, value in zip(items[::2], items[1::2], strict=True):
        name = key.decode() if isinstance(key, bytes) else key
        if not isinstance(name, str):
            _fail()
        made[str(name)] = value
    return made


def _fail() -> object:
    raise ValueError("not a typed netstring")

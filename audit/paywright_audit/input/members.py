"""Read what captures say of a message: headers, status, body. All readers decide here what was recorded and what was not."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Final

from paywright_audit.input.records import Body, Decoded, Exact, Lost, Message, Pairs, Parsed
from paywright_audit.input.times import seconds
from paywright_audit.input.wrappings import from_base64

NOT_RECORDED: Final[Pairs] = ()
_UNITS: Final = (1, 1_000, 1_000_000, 1_000_000_000)
_LAST: Final = 253_402_300_800  # the end of the year 9999
_NAMES: Final = (("name", "value"), ("key", "value"))


def pairs_of(value: object, odd: list[str]) -> Pairs:
    """Return headers: pairs in a list, objects with name (or key) and value, one object of names, or JSON text of these.

    A name may have several values. Null, nothing, and an empty list say that they were not recorded. So does what cannot be read, which adds a word to `odd`.
    """
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = value or None
    if value is None or value == [] or value == {}:
        return NOT_RECORDED
    if isinstance(value, dict) and any(name in value and of in value for name, of in _NAMES):
        value = [value]
    if isinstance(value, dict):  # which has a null for each name of other messages; for `sign` it may have been hidden
        value = [(name, of) for name, of in value.items() if of is not None or "sign" in name.lower()]
    pairs: list[tuple[str, str]] = []
    for item in value if isinstance(value, list) else [value]:
        both: object = item
        if isinstance(item, dict):
            both = [item.get("name", item.get("key")), item.get("value")]
        if not isinstance(both, (list, tuple)) or len(both) != 2:
            odd.append("headers")
            return NOT_RECORDED
        name, values = both
        for of in values if isinstance(values, list) else [values]:
            if type(of) is int:  # the length, as Polly.JS writes it
                of = str(of)
            if not isinstance(name, str) or not isinstance(of, str):
                odd.append("headers")
                return NOT_RECORDED
            pairs.append((_sound(name), _sound(of)))
    return pairs


def _sound(text: str) -> str:
    """Return the text without lone surrogates, which cannot be encoded."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def status_of(value: object, odd: list[str]) -> int | None:
    """Return the status of an answer, None if there was none: 0, -1 and the like. What is no number adds a word to `odd`."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value[:9])
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        odd.append("status")
        return None
    return int(value) if value == int(value) and 100 <= value <= 599 else None


def time_of(value: object, odd: list[str]) -> float | None:
    """Return a time: a text, or a number since 1970 in the unit that its size shows. What is neither adds a word to `odd`."""
    if value is None or (isinstance(value, float) and abs(value) < _LAST):
        return value
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        number = Decimal(value)
        for unit in _UNITS:
            if abs(number) < unit << 35:
                return float(number / unit)
    found = seconds(value.replace(" UTC", "Z") if isinstance(value, str) else value)  # as BigQuery and Ruby write it
    if found is None:
        odd.append("time")
    return found


def answer_of(value: object, headers: Pairs, body: Body, odd: list[str]) -> Message | None:
    """Return the answer with a status as the capture has it, None if none came. Without a status, what has no signature may be a proxy's."""
    lost = Message((), Lost("answer_lost"), 200)
    if value is None:
        signed = any("sign" in name.lower() for name, _ in headers)
        return Message(headers, body, 200) if signed or not (headers or isinstance(body, Lost)) else lost
    status = status_of(value, odd)
    if status is None:
        return lost if odd or headers else None
    return lost if status < 200 else Message(headers, body, status)  # 100 Continue: the answer itself came later


def record_body(value: object, *, redacted: bool) -> Body | str:
    """Return the body of a record, or why it cannot be read. Members that are null are not there.

    Bytes whose recorder says that it hid values are no longer exact.
    """
    if value is None:
        return Lost()
    if not isinstance(value, dict):
        return "is no object"
    found = {name: one for name, one in value.items() if one is not None}
    if found.pop("truncated", False) is True:
        return Lost("truncated")
    if not found:
        return Lost()
    (form, content), *more = found.items()
    if form == "parsed" and not more:
        return Parsed(content, redacted=redacted)
    if more or not isinstance(content, str) or form not in ("base64", "text"):
        return "is not one of base64, text and parsed"
    if form == "text":
        return Decoded(content.encode(), "masked" if redacted else "bytes_lost")
    raw = from_base64(content.encode("utf-8", "replace"))
    if raw is None:
        return "has base64 that cannot be read"
    return Decoded(raw, "masked") if redacted else Exact(raw)

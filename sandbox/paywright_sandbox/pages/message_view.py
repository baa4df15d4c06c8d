"""Lay out the bodies and headers of messages for people, with what is confidential hidden."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.card_numbers import first_and_last, mask_card_numbers

_LONGEST: Final = 256 * 1024
_WORDS: Final[Mapping[str, str]] = {"secret": "a credential", "pan": "card data", "pii": "a person's data"}
# Members that are not in the contract, but that people send.
_ALSO: Final[Mapping[str, str]] = {
    "authorization": "secret",
    "cvc": "secret",
    "cvv": "secret",
    "cvv2": "secret",
    "password": "secret",
    "pin": "secret",
    "securitycode": "secret",
}
_MASKED: Final = re.compile(r"[0-9]{6}\*{2,9}[0-9]{4}", re.ASCII)
_MEMBER: Final = re.compile(r'("([^"\\]{1,64})"\s*:\s*)("(?:[^"\\]|\\.)*"?|[^\s,{}\[\]"]+)')
_NUMBER: Final = re.compile(r'"\\u0000([-+.0-9eE]+)"')


def laid_out(raw: bytes, *, people: bool = False) -> str:
    """Lay out a body: JSON with a member on each line. `people` shows personal data."""
    if len(raw) > _LONGEST:
        cut = raw[: _LONGEST // 8].decode("utf-8", "replace")
        return f"{_unread(cut, people)}\n... {len(raw)} bytes in all"
    try:
        strict_json.parse(raw)  # a repeated member is an error: then the text is shown whole
        # Keep the digits of numbers: floats would lose some of a long amount.
        read = json.loads(raw, parse_float=lambda digits: f"\0{digits}", parse_int=lambda digits: f"\0{digits}")
        text = json.dumps(_redacted(read, "", None, people), indent=2, ensure_ascii=False)
    except (strict_json.JsonProblem, ValueError, RecursionError):
        return _unread(raw.decode("utf-8", "replace"), people)
    return without_cards(_NUMBER.sub(r"\1", text))


def headers_out(headers: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Return headers with signatures and tokens hidden."""
    return [(name, header_shown(name, value)) for name, value in headers]


def header_shown(name: str, value: str) -> str:
    """Return a header's value, hidden if it is confidential."""
    hidden = _class_of(name) in ("secret", "pan")
    return _hidden("secret", value) if hidden and value else without_cards(value)


def without_cards(text: str) -> str:
    """Mask card numbers in a text, found by length and check digit."""
    return mask_card_numbers(text, first_and_last, checked=True)


def _redacted(value: object, name: str, outer: str | None, people: bool) -> object:
    """Hide confidential values. `outer` is the class of the surrounding member; members known as plain are shown there."""
    own = _class_of(name)
    if isinstance(value, dict):
        return {member: _redacted(part, member, own or outer, people) for member, part in value.items()}
    if isinstance(value, list):
        return [_redacted(part, name, outer, people) for part in value]
    kind = own or (outer if name not in _plain() else None)
    if kind is None or value in (None, "") or (kind == "pii" and people):
        return value
    text = str(value).removeprefix("\0")
    return value if kind == "pan" and _MASKED.fullmatch(text) else _hidden(kind, text)


def _hidden(kind: str, value: str) -> str:
    return f"({_WORDS[kind]}, {len(value)} characters)"


def _unread(text: str, people: bool) -> str:
    """Redact a body that is not JSON, by parts that look like members."""

    def member(found: re.Match[str]) -> str:
        kind = _class_of(found[2])
        if kind is None or (kind == "pii" and people):
            return found[0]
        return f'{found[1]}"{_hidden(kind, found[3].strip(chr(34)))}"'

    return without_cards(_MEMBER.sub(member, text))


def _class_of(name: str) -> str | None:
    return _classes().get(name.lower())


@cache
def _classes() -> Mapping[str, str]:
    """Return the strictest class of every confidential member, by its name in lower case."""
    found = dict(_ALSO)
    order = ("secret", "pan", "pii")
    for struct in CONTRACT.structs():
        for field in CONTRACT.struct(struct).fields:
            if field.redaction is not None:
                name = field.wire.lower()
                found[name] = min(found.get(name, field.redaction), field.redaction, key=order.index)
    return found


@cache
def _plain() -> frozenset[str]:
    """Return the members of the contract that are not confidential."""
    names = {field.wire for struct in CONTRACT.structs() for field in CONTRACT.struct(struct).fields}
    return frozenset(name for name in names if name.lower() not in _classes())

"""Guess a body as it was before a proxy, a log, an editor or a shell rewrote it on its way.

The number of bytes tried is limited, so that an answer comes within seconds for any body.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from paywright_cli.common.json_text import json_text
from paywright_runtime import strict_json
from paywright_runtime.contract.index import Contract
from paywright_runtime.contract.model import Struct

__all__ = ["undamaged"]

_MOST: Final = 8 * 1024 * 1024
_STYLES: Final = {  # comma, colon, and a level's indent
    "written without spaces": (",", ":", ""),
    "written with spaces after commas and colons": (", ", ": ", ""),
    "indented by 2": (",", ": ", "  "),
    "indented by 4": (",", ": ", "    "),
    "indented by tabs": (",", ": ", "\t"),
}
_TOKEN: Final = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*")(?P<colon>\s*:)?|(?<![0-9.eE+\-])(?P<whole>-?[0-9]+)(?:\.(?P<rest>[0-9]+))?(?![0-9.eE])'
)
_AMOUNT: Final = re.compile("amount|price|fee|tax|value", re.IGNORECASE)
_ESCAPE: Final = re.compile(r"\\u[0-9a-f]{4}")


def undamaged(body: bytes, contract: Contract) -> Iterator[tuple[str, bytes]]:
    """Yield bytes that may have been signed in place of `body`, the likeliest first, with words that follow "over the body"."""
    left = _MOST - len(body)
    for words, text in _texts(body, contract) if left > 0 else ():
        raw = text.encode("utf-8", "replace")
        left -= len(raw)
        if left < 0:
            return
        yield ", ".join(filter(None, words)), raw


def _texts(body: bytes, contract: Contract) -> Iterator[tuple[list[str], str]]:
    words, text = _unwrapped(body)
    for more, changed in _respelled(text):
        yield [*words, *more], changed
    for ending, tail in (("with a newline at its end", "\n"), ("with CR LF at its end", "\r\n")):
        yield [*words, ending], text + tail
    try:
        value = strict_json.parse(text.encode("utf-8", "replace"))
    except strict_json.JsonProblem:
        return
    for order, ordered in _orders(value, contract):
        for style, (comma, colon, indent) in _STYLES.items():
            for ascii_only in (False, True):
                written = json_text(ordered, comma=comma, colon=colon, indent=indent, ascii_only=ascii_only)
                letters = "with other letters as \\u" if ascii_only else ""
                for more, changed in _respelled(written):
                    yield [*words, order, style, letters, *more], changed


def _unwrapped(body: bytes) -> tuple[list[str], str]:
    """Return the text without the additions of editors and shells, and words for what was removed."""
    words = []
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        words.append("in UTF-8, and not in UTF-16")
        body = body.decode("utf-16", "replace").encode("utf-8", "replace")
    elif body.startswith(b"\xef\xbb\xbf"):
        words.append("without the byte order mark before it")
        body = body[3:]
    bare = body.strip(b" \t\r\n")
    if bare != body:
        words.append("without the white space around it")
    try:
        return words, bare.decode()
    except UnicodeDecodeError:
        return [*words, "in UTF-8, and not in Latin-1"], bare.decode("cp1252", "replace")


def _respelled(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield a JSON text with its strings and numbers written in other ways, and everything else as it is."""
    for how, spell in _SPELLINGS.items():
        spelled = spell(text)
        if how and spelled == text:
            continue
        for numbers, change in _NUMBERS.items():
            yield [how, numbers], change(spelled)


def _escaped(text: str, letters: str) -> str:
    r"""Write letters that occur only in strings as \u and four digits."""
    for letter in letters:
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _decoded_again(text: str) -> str:
    try:
        return text.encode("cp1252").decode()
    except UnicodeError:
        return text


_SPELLINGS: Final[Mapping[str, Callable[[str], str]]] = {
    "": str,
    "with slashes escaped": lambda text: text.replace("\\/", "/").replace("/", "\\/"),
    "without escaped slashes": lambda text: text.replace("\\/", "/"),
    "with < > & as \\u": partial(_escaped, letters="<>&"),
    "with < > & = ' as \\u": partial(_escaped, letters="<>&='"),
    "with \\u in capitals": lambda text: _ESCAPE.sub(lambda found: f"\\u{found[0][2:].upper()}", text),
    "with its letters decoded once more (é for Ã©)": _decoded_again,
}


def _renumbered(text: str, decimals: int | None, *, amounts: bool, whole: bool) -> str:
    """Give numbers at least `decimals` decimals; None stands for as few as the value needs.

    `amounts` says that only those of amounts are changed, `whole` that also those without a point are.
    """
    name = ""

    def change(found: re.Match[str]) -> str:
        nonlocal name
        if found["text"] is not None:
            name = found["text"] if found["colon"] is not None else name
            return found[0]
        rest = found["rest"] or ""
        if (amounts and _AMOUNT.search(name) is None) or (not rest and not whole):
            return found[0]
        rest = rest.rstrip("0") if decimals is None else rest.ljust(decimals, "0")
        return f"{found['whole']}.{rest}" if rest else found["whole"]

    return _TOKEN.sub(change, text)


_NUMBERS: Final[Mapping[str, Callable[[str], str]]] = {
    "": str,
    **{
        f"with {words} ({example}) in {where}": partial(_renumbered, decimals=decimals, amounts=amounts, whole=whole)
        for decimals, words, example in ((2, "two decimals", "10.50"), (3, "three decimals", "10.500"), (1, "a decimal", "10.0"))
        for amounts, whole, where in ((True, True, "amounts"), (False, False, "numbers with a point"), (True, False, "amounts with a point"))
    },
    "with shorter numbers (10.5 for 10.50)": partial(_renumbered, decimals=None, amounts=False, whole=False),
}  # fmt: skip


def _orders(value: object, contract: Contract) -> Iterator[tuple[str, object]]:
    """Yield a message with its members in other orders: sorted, and as the specification lists them."""
    yield "", value
    names = contract.operations()
    structs = [
        contract.struct(name) for each in map(contract.operation, names) for name in (each.request, each.response)
    ]
    fitting = [each for each in structs if isinstance(value, dict) and value.keys() <= each.by_wire.keys()]
    seen = [json.dumps(value, default=str)]
    for words, ordered in (
        *(("with its members in the specification's order", _listed(contract, each, value)) for each in fitting),
        ("with its members sorted", _sorted(value)),
    ):
        if (text := json.dumps(ordered, default=str)) not in seen:
            seen.append(text)
            yield words, ordered


def _listed(contract: Contract, struct: Struct, value: object) -> object:
    if isinstance(value, list):
        return [_listed(contract, struct, item) for item in value]
    if not isinstance(value, dict):
        return value
    fields = [field for field in struct.fields if field.wire in value]
    listed = {field.wire: value[field.wire] for field in fields}
    for field in fields:
        if field.kind == "struct" and field.of:
            listed[field.wire] = _listed(contract, contract.struct(field.of), listed[field.wire])
    return {**listed, **{name: item for name, item in value.items() if name not in listed}}


def _sorted(value: object) -> object:
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return {name: _sorted(value[name]) for name in sorted(value)} if isinstance(value, dict) else value

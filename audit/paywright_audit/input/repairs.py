"""Undo what tools do to a message on its way into a capture: to its bytes, to its text, and to its `sign` header.

A repair is a guess. The digest in an RSA signature proves one, so the audit and `paywright keys verify` try all that they have time
for. The order is fixed, the likeliest first: the same message has the same repair in every run.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import sha256
from itertools import islice
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from paywright.contract import CONTRACT
from paywright_audit.input.wrappings import json_text, unwrapped
from paywright_runtime import strict_json
from paywright_runtime.contract.model import Struct
from paywright_runtime.signing.diagnosis import signature_variants
from paywright_runtime.signing.rsa import canonical

QUICK: Final = 60
"""The most guesses at each body for a capture of many messages."""
_MOST: Final = 8 * 1024 * 1024
_PADDING: Final = PKCS1v15()
_SHA256: Final = bytes.fromhex("3031300d060960864801650304020105000420")  # the DER before the digest (RFC 8017, 9.2)
_DIGEST_INFO: Final = len(_SHA256) + 32


class Repaired(NamedTuple):
    """A body that a key signed, and words for what was done to it or to the signature since. `key` is the place of the key."""

    body: bytes
    words: str
    key: int


def repaired(
    body: bytes, signatures: Sequence[str], keys: Sequence[RSAPublicKey], most: int | None = QUICK
) -> Repaired | None:
    """Return what one of the keys signed in place of a body, as far as repairs find it; None if they do not.

    `most` limits the guesses at the body; None tries all.
    """
    signed = [found for text in signatures for found in _digests(text, keys)]
    if not signed:
        return None
    for words, guess in islice(undamaged(body), most):
        digest = sha256(guess).digest()
        for key, said, how in signed:
            if said == digest:
                return Repaired(guess, " and ".join(filter(None, (words and f"over the body {words}", how))), key)
    return None


def _digests(text: str, keys: Sequence[RSAPublicKey]) -> Iterator[tuple[int, bytes, str]]:
    """Yield the digests in a signature that a key made: the place of the key, the digest, and what is odd about the signature."""
    seen: list[bytes] = []
    for how, before in (("", text), *signature_variants(text)):
        raw = canonical(before)
        if raw is None or raw in seen:
            continue
        seen.append(raw)
        for place, key in enumerate(keys):
            try:
                info = key.recover_data_from_signature(raw, _PADDING, None)
            except (InvalidSignature, ValueError):
                continue
            if len(info) == _DIGEST_INFO and info.startswith(_SHA256):
                yield place, info[len(_SHA256) :], how and f"the sign header changed: {how}"


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


def undamaged(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield bytes that may have been signed in place of `body`, the likeliest first, with words that follow "over the body".

    The number of bytes is limited, so that an answer comes within seconds for any body.
    """
    left = _MOST - len(body)
    if left <= 0:
        return
    for words, raw in _guesses(body):
        left -= len(raw)
        if left < 0:
            return
        yield words, raw


def _guesses(body: bytes) -> Iterator[tuple[str, bytes]]:
    texts: list[tuple[str, str]] = []
    for words, raw in (("", body), *unwrapped(body)):
        bare = raw.strip(b" \t\r\n")
        stripped = words if bare == raw else _joined(words, "without the white space around it")
        yield words, raw
        for more, around in (("", bare), *((more, bare + end) for more, end in _ENDINGS), (_MARK, BOM_UTF8 + raw)):
            if around != raw:
                yield _joined(stripped, more), around
        if bare[:1] in _JSON and len(texts) < 4:
            try:
                texts.append((stripped, bare.decode()))
            except UnicodeDecodeError:
                continue
    for numbers in ("", *filter(None, _NUMBERS)):
        for words, text in texts:
            for more, changed in _written_otherwise(text, _NUMBERS[numbers]):
                yield _joined(words, more, numbers), changed.encode("utf-8", "replace")


def _written_otherwise(text: str, number: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Yield a JSON text as it is but for its strings and numbers, and then in other styles and orders."""
    for how, spell in _SPELLINGS.items():
        spelled = spell(text)
        if not how or spelled != text:
            yield how, number(spelled)
    try:
        value = strict_json.parse(text.encode("utf-8", "replace"))
    except strict_json.JsonProblem:
        return
    for order, ordered in _orders(value):
        for style, (comma, colon, indent) in _STYLES.items():
            for ascii_only in (False, True):
                written = json_text(ordered, comma=comma, colon=colon, indent=indent, ascii_only=ascii_only)
                letters = "with other letters as \\u" if ascii_only else ""
                for how, spell in _SPELLINGS.items():
                    spelled = spell(written)
                    if not how or spelled != written:
                        yield _joined(order, style, letters, how), number(spelled)


def _joined(*words: str) -> str:
    return ", ".join(filter(None, words))


_MARK: Final = "with a byte order mark before it"
_ENDINGS: Final = (("with a newline at its end", b"\n"), ("with CR LF at its end", b"\r\n"))
_JSON: Final = frozenset((b"{", b"["))


def _escaped(text: str, letters: str) -> str:
    r"""Write letters that occur only in strings as \u and four digits."""
    for letter in letters:
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


_SPELLINGS: Final[Mapping[str, Callable[[str], str]]] = {
    "": str,
    "with slashes escaped": lambda text: text.replace("\\/", "/").replace("/", "\\/"),
    "without escaped slashes": lambda text: text.replace("\\/", "/"),
    "with < > & as \\u": partial(_escaped, letters="<>&"),
    "with < > & = ' as \\u": partial(_escaped, letters="<>&='"),
    "with \\u in capitals": lambda text: _ESCAPE.sub(lambda found: f"\\u{found[0][2:].upper()}", text),
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


def _orders(value: object) -> Iterator[tuple[str, object]]:
    """Yield a message with its members in other orders: sorted, and as the specification lists them."""
    yield "", value
    fitting = [each for each in _messages() if isinstance(value, dict) and value.keys() <= each.by_wire.keys()]
    seen = [json.dumps(value, default=str)]
    for words, ordered in (
        *(("with its members in the specification's order", _listed(each, value)) for each in fitting),
        ("with its members sorted", _sorted(value)),
    ):
        if (text := json.dumps(ordered, default=str)) not in seen:
            seen.append(text)
            yield words, ordered


@cache
def _messages() -> tuple[Struct, ...]:
    names = [name for each in map(CONTRACT.operation, CONTRACT.operations()) for name in (each.request, each.response)]
    return tuple(map(CONTRACT.struct, dict.fromkeys(names)))


def _listed(struct: Struct, value: object) -> object:
    if isinstance(value, list):
        return [_listed(struct, item) for item in value]
    if not isinstance(value, dict):
        return value
    fields = [field for field in struct.fields if field.wire in value]
    listed = {field.wire: value[field.wire] for field in fields}
    for field in fields:
        if field.kind == "struct" and field.of:
            listed[field.wire] = _listed(CONTRACT.struct(field.of), listed[field.wire])
    return {**listed, **{name: item for name, item in value.items() if name not in listed}}


def _sorted(value: object) -> object:
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return {name: _sorted(value[name]) for name in sorted(value)} if isinstance(value, dict) else value

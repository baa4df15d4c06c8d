"""Explain why a signature does not verify, by the slips of programs that sign.

The public key recovers the signed digest from an RSA signature. This tells with certainty whether another key signed, or
this key signed other bytes, and often which bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Final, NamedTuple
from urllib.parse import unquote

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from paywright_runtime import strict_json
from paywright_runtime.signing.keys import fingerprint
from paywright_runtime.signing.rsa import RsaVerifier, canonical

_LONGEST: Final = 64 * 1024  # writing a longer body in every style would delay other requests
_MOST_DIAGNOSED: Final = 4 * 1024
_MARK: Final = re.compile(r'"\\u0000[0-9]+\\u0000"')
_RUNS: Final = re.compile("[A-Za-z0-9+/]+={0,2}")

_SIGNATURES: Final[Mapping[str, Callable[[str], str]]] = {
    "it is URL-encoded": unquote,
    "a + in it became a space": lambda text: text.replace(" ", "+"),
    "it stands behind the name of its header": lambda text: text.partition(":")[2].strip(),
    "it holds escapes of JSON": lambda text: str(json.loads(f'"{text}"')),
    "it is in quotes": lambda text: text.strip("\"'"),
    "it is Base64 twice": lambda text: a2b_base64(text, strict_mode=True).decode("ascii"),
    "it is hexadecimal": lambda text: b64encode(bytes.fromhex(re.sub("[-:]", "", text.rpartition("= ")[2]))).decode(),
    "it holds white space": lambda text: "".join(text.split()),
    "it holds several values separated by commas": lambda text: text.partition(",")[0],
    "its padding is missing or wrong": lambda text: text.rstrip("=") + "==",  # of 256 bytes, and of 64 of HMAC-SHA512
    "it uses the URL-safe alphabet": lambda text: text.replace("-", "+").replace("_", "/").rstrip("=") + "==",
    "other text stands around it": lambda text: max(_RUNS.findall(text), key=len, default=text),
}

_ESCAPES: Final = {
    "without escaped slashes": "",
    "with slashes escaped": "/",  # as PHP does
    "with < > & as \\u003c": "<>&",  # as Go does
    "with < > & = ' as \\u003c": "<>&='",
}
_STYLES: Final[Sequence[tuple[str, tuple[str, str], int | str | None]]] = (
    ("written without spaces", (",", ":"), None),
    ("written with a space after commas and colons", (", ", ": "), None),
    ("written indented by 2", (",", ": "), 2),
    ("written indented by 4", (",", ": "), 4),
    ("written indented by tabs", (",", ": "), "\t"),
)
_NUMBERS: Final[Mapping[str, Callable[[str], str]]] = {
    "shorter numbers (10.5 for 10.50)": lambda digits: digits.rstrip("0").rstrip(".") if "." in digits else digits,
    "two decimals (10.50 for 10.5)": lambda digits: _two_decimals(digits) if "." in digits else digits,
    "two decimals in each number (10.00 for 10)": lambda digits: _two_decimals(digits),
}


def _two_decimals(digits: str) -> str:
    whole, _, rest = digits.partition(".")
    return f"{whole}.{rest:0<2}"


def signature_variants(signature: str) -> Iterator[tuple[str, str]]:
    """Yield what a signature may have been before one or two slips, after words that follow "the signature is right, but"."""
    if len(signature) > 4096:
        return
    first = list(_before_a_slip(signature))
    yield from first
    for words, before in first:
        yield from ((f"{words}, {more}", again) for more, again in _before_a_slip(before))


def _before_a_slip(signature: str) -> Iterator[tuple[str, str]]:
    for words, undo in _SIGNATURES.items():
        try:
            before = undo(signature)
        except ValueError:
            continue
        if before != signature:
            yield words, before


def body_variants(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield each variant after its description, as in "the signature is over the body ..."."""
    bare = body.strip(b" \t\r\n")
    for name, tail in (("a newline at its end", b"\n"), ("CR LF at its end", b"\r\n")):
        yield f"with {name}", bare + tail
    yield "with a zero byte at its end", body + b"\0"  # as texts of C have it
    yield "without the white space around it", bare
    yield "with a byte order mark before it", b"\xef\xbb\xbf" + body
    yield "without the byte order mark before it", body.removeprefix(b"\xef\xbb\xbf")
    yield from _other_letters(body)
    for name in ("ascii", "latin-1", "gbk", "utf-16-le", "utf-16-be"):  # Java, .NET, a proxy of another character set
        yield f"in {name.upper()}, not in UTF-8", body.decode("utf-8", "replace").encode(name, "replace")
        yield f"in UTF-8, not in {name.upper()}", body.decode(name, "replace").encode()
    yield "with LF in place of CR LF", body.replace(b"\r\n", b"\n")
    yield "with CR LF in place of LF", body.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    yield "in Base64", b64encode(body)
    yield "as a JSON string", json.dumps(body.decode("utf-8", "replace"), ensure_ascii=False).encode("utf-8", "replace")
    for words, text in _rewritten(bare):
        yield words, text
        yield f"{words}, with a newline at its end", text + b"\n"  # as encoders of Go and files of editors have


def _other_letters(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield what a text in UTF-8 is after UTF-8 was taken for Latin-1 and written in UTF-8, and what it was before."""
    try:
        text = body.decode()
        yield "with its letters encoded once more (Ã© for é)", body.decode("latin-1").encode()
        once = text.encode("latin-1")
        once.decode()
    except UnicodeError:
        return
    yield "with its letters decoded once more (é for Ã©)", once


def _rewritten(body: bytes) -> Iterator[tuple[str, bytes]]:
    yield from _spelled("", body.decode("utf-8", "replace"))
    if len(body) > _LONGEST:
        return
    try:
        strict_json.parse(body)
    except strict_json.JsonProblem:
        return
    numbers: dict[str, str] = {}

    def mark(digits: str) -> str:  # the standard library cannot write numbers digit for digit
        made = f"\x00{len(numbers)}\x00"
        numbers[json.dumps(made)] = digits
        return made

    value = json.loads(body, parse_float=mark, parse_int=mark)
    yield from _written("", value, numbers)
    for name, change in _NUMBERS.items():
        changed = {made: change(digits) for made, digits in numbers.items()}
        if changed != numbers:
            yield from _written(f"with {name}, ", value, changed)
    yield "without white space in its texts", b"".join(body.split())
    if isinstance(value, dict):
        yield from _written("with its members sorted, ", value, numbers, sort=True)
        yield from _written("with its outer members sorted, ", dict(sorted(value.items())), numbers)
        yield from _written("of its data alone, ", value.get("data"), numbers)
        yield "as sorted name=value pairs", _pairs(value, numbers)  # as gateways of other makers have it
        yield "of its data alone, as sorted name=value pairs", _pairs(value.get("data"), numbers)


def _pairs(value: object, numbers: Mapping[str, str]) -> bytes:
    members = sorted(value.items()) if isinstance(value, dict) else []
    texts = ((name, next(_written("", item, numbers))[1].strip(b'"')) for name, item in members)
    return b"&".join(name.encode(errors="replace") + b"=" + text for name, text in texts)


def _spelled(style: str, text: str) -> Iterator[tuple[str, bytes]]:
    for words, letters in _ESCAPES.items():
        spelled = text.replace("\\/", "/")
        for letter in letters:  # each occurs in strings alone
            spelled = spelled.replace(letter, "\\/" if letter == "/" else f"\\u{ord(letter):04x}")
        if spelled != text:
            yield style + words, spelled.encode("utf-8", "replace")


def _written(how: str, value: object, numbers: Mapping[str, str], *, sort: bool = False) -> Iterator[tuple[str, bytes]]:
    ways = (False,) if json.dumps(value, ensure_ascii=False).isascii() else (False, True)
    for (words, separators, indent), escaped in product(_STYLES, ways):
        text = json.dumps(value, separators=separators, indent=indent, sort_keys=sort, ensure_ascii=escaped)
        text = _MARK.sub(lambda mark: numbers.get(mark[0], mark[0]), text)
        style = f"{how}{words}{' and escaped to ASCII' if escaped else ''}"
        yield style, text.encode("utf-8", "replace")
        yield from _spelled(f"{style}, ", text)


_PKCS1: Final = PKCS1v15()
_PSS_HASHES: Final = ("sha256", "sha1", "sha384", "sha512")
_DUE: Final = "the sign header must be one line of padded standard Base64, 344 characters"

# The DER that stands before the digest in a PKCS #1 v1.5 signature (RFC 8017, 9.2).
_SHA256: Final = bytes.fromhex("3031300d060960864801650304020105000420")
_OTHERS: Final = {
    bytes.fromhex("3020300c06082a864886f70d020505000410"): "MD5",
    bytes.fromhex("3021300906052b0e03021a05000414"): "SHA-1",
    bytes.fromhex("302d300d06096086480165030402040500041c"): "SHA-224",
    bytes.fromhex("3041300d060960864801650304020205000430"): "SHA-384",
    bytes.fromhex("3051300d060960864801650304020305000440"): "SHA-512",
}


class KeyInWords(NamedTuple):
    """A public key, and its owner in words."""

    whose: str
    key: RSAPublicKey


class Slip(NamedTuple):
    """A slip by which a signature fails, in words, and what the one who signs does about it."""

    what: str
    do: str


def why_not(body: bytes, signatures: Sequence[str], due: KeyInWords, known: Iterable[KeyInWords]) -> str:
    """Explain in one sentence why `signatures` (all `sign` headers) do not verify over `body` with the key `due`.

    `known` are all other public keys here. The sentence holds nothing of body or signature.
    """
    if len(signatures) != 1:
        return "There are several sign headers; send exactly one." if signatures else "There is no sign header."
    found = slip_of(body, signatures[0], due.key)
    if found is not None:
        return f"{found.what}; {found.do}."
    raw = canonical(signatures[0])
    if raw is None:
        return _encoding_fault(signatures[0])
    for whose, key in known:
        if _signed(raw, key) is not None:
            return f"Another key signed it: {whose}, not {due.whose}."
    return (
        f"An unknown key signed it, or the signature was changed: {due.whose} has the fingerprint {fingerprint(due.key)}. "
        "Sign with the private key of that pair."
    )


def slip_by(verifier: object, body: bytes, signature: str) -> str:
    """Return by which known slip a signature that a key of a verifier made does not hold, in words; "" for any other signature.

    It costs three RSA operations for each key, and milliseconds only for a signature by that key. Bodies over 4 kB, whose spellings
    take longer, are not looked at, nor verifiers of the merchant's own, such as one that fetches its keys.
    """
    if type(verifier) is not RsaVerifier or max(len(body), len(signature)) > _MOST_DIAGNOSED:
        return ""
    slips = (slip_of(body, signature, key) for key in verifier.public)
    return next((slip.what for slip in slips if slip is not None), "")


def slip_of(body: bytes, signature: str, key: RSAPublicKey) -> Slip | None:
    """Return the slip by which a signature that `key` made does not verify over `body`; None if this key did not make it.

    It takes three RSA operations. Only once they have shown that the key made the signature is the body written in other ways.
    """
    raw = canonical(signature)
    if raw is None:
        variants = ((fault, canonical(text)) for fault, text in signature_variants(signature))
        for fault, before in islice(((fault, before) for fault, before in variants if before is not None), 2):
            if _signed(before, key) == _SHA256 + hashlib.sha256(body).digest():
                return Slip(f"The signature is right, but its encoding is not canonical: {fault}", _DUE)
        return None
    own = _signed(raw, key)
    if own is not None:
        return _other_bytes(body, own)
    if _is_pss(raw, body, key):
        return Slip("It is an RSASSA-PSS signature", "SHA256WithRSA is RSASSA-PKCS1-v1_5 with SHA-256")
    if _signed(raw[::-1], key) is not None:
        return Slip("The signature's bytes are in reverse order, as Windows CryptoAPI has them", "turn them around")
    return None


def _encoding_fault(signature: str) -> str:
    if not signature.strip():
        return f"The sign header is empty; {_DUE}."
    try:
        length = len(a2b_base64(signature, strict_mode=True))
    except ValueError:
        return f"The signature is not canonical Base64: {_DUE}."
    what = "stray bits at its end" if length == 256 else f"{length} bytes, and one of a 2048-bit RSA key 256"
    return f"The signature has {what}; {_DUE}."


def _signed(raw: bytes, key: RSAPublicKey) -> bytes | None:
    """Return the content of a signature that this key made: the DER of the hash's name, and the digest."""
    try:
        return key.recover_data_from_signature(raw, _PKCS1, None)
    except (InvalidSignature, ValueError):
        return None


def _is_pss(raw: bytes, body: bytes, key: RSAPublicKey) -> bool:
    """Return whether this key made an RSASSA-PSS signature (RFC 8017, 9.1), with whatever hash, mask and length of salt.

    A salt as long as can be leaves no zeros to know it by: such a one must be over this body.
    """
    numbers = key.public_numbers()
    made = pow(int.from_bytes(raw), numbers.e, numbers.n).to_bytes(len(raw))
    if made[-1] != 0xBC:
        return False
    for hashed, mask in product(_PSS_HASHES, _PSS_HASHES):
        size = hashlib.new(hashed).digest_size
        masked, digest = made[: -size - 1], made[-size - 1 : -1]
        counts = range(-(-len(masked) // hashlib.new(mask).digest_size))
        stream = b"".join(hashlib.new(mask, digest + count.to_bytes(4)).digest() for count in counts)
        block = bytes(one ^ other for one, other in zip(masked, stream, strict=False))
        block = bytes([block[0] & 0x7F]) + block[1:]
        bare = block.lstrip(b"\0")
        if bare[:1] != b"\1":
            continue
        content = bytes(8) + hashlib.new(hashed, body).digest() + bare[1:]
        if len(block) - len(bare) >= 8 or hashlib.new(hashed, content).digest() == digest:
            return True
    return False


def _other_bytes(body: bytes, signed: bytes) -> Slip:
    for prefix, name in _OTHERS.items():
        if signed.startswith(prefix):
            return Slip(f"It was made with {name}", "use SHA256WithRSA")
    right = "The right key signed it, but"
    digest = signed.removeprefix(_SHA256)
    if len(digest) != 32 or len(signed) != len(_SHA256) + 32:
        return Slip(f"{right} not a SHA-256 digest in its DER frame", "use SHA256WithRSA")
    hashed = hashlib.sha256(body)
    hexadecimal = hashed.hexdigest().encode()
    twice = (hashed.digest(), hexadecimal, hexadecimal.upper(), b64encode(hashed.digest()))
    if digest in (hashlib.sha256(each).digest() for each in twice):
        return Slip(f"{right} over the SHA-256 of the body", "pass the body itself to what signs, which hashes it")
    if digest == hashlib.sha256(b"").digest():
        return Slip(f"{right} over nothing", "the body was empty when it was signed")
    for words, text in body_variants(body):
        if hashlib.sha256(text).digest() == digest:
            return Slip(f"{right} over the body {words}", "send exactly the bytes that were signed")
    return Slip(
        f"{right} over other bytes",
        "the body was changed or rewritten after it was signed, or something else was signed, such as a path with it",
    )

"""Convert key text to DER bytes, and refuse each form of text that cannot be a key with its name [5]."""

import binascii
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from paywright_runtime.errors import InvalidArgument, KeyProblem

PRIVATE: Final = "private key"
PUBLIC: Final = "public key"

UNKNOWN: Final = "part of it may be missing or changed, or `paywright keys show` names its form"
_LARGEST = 64 * 1024
# Label and body of a block. No body holds five dashes, so that matching is linear.
_BLOCK = re.compile(r"-----BEGIN ([^-\n]+)-----((?:[^-]|-(?!----))*)-----END \1-----")
_PATH = r"(?:\.{0,2}/|~|file:|[A-Za-z]:\\|\\\\).*|.*\.(?:pem|key|pub|crt|cer|der|p8|pk8|p12|pfx|txt|jks)"

_UNREADABLE: dict[type[Exception], str] = {
    IsADirectoryError: "is a directory",
    PermissionError: "may not be read by this user",
}
_FORMATS = {
    PRIVATE: "Give the RSA key of 2048 bits as PEM or as one line of Base64, PKCS#8 or PKCS#1, without a password [5].",
    PUBLIC: "Give the RSA key of 2048 bits as PEM or as one line of Base64, or a certificate that holds it [5].",
}


def problem(wanted: str, why: str, what: str) -> KeyProblem:
    """Build the error for a key that cannot be used.

    `wanted` is `PRIVATE` or `PUBLIC`, `why` the stable word of the error. `what` completes "The key cannot be used: ...".
    """
    return KeyProblem(f"The {wanted} cannot be used: {what}. {_FORMATS[wanted]} Nothing was sent.", why=why)


def in_words(error: KeyProblem) -> str:
    """Return the message of an error about a key without its words about a call, for a program that makes none."""
    return str(error).removesuffix(" Nothing was sent.")


@contextmanager
def naming_file(source: object) -> Iterator[None]:
    """Name the file of a key in the error about it: of several keys, the user must see which one."""
    try:
        yield
    except KeyProblem as found:
        name, text = str(source), str(found)
        if not isinstance(source, Path) or may_be_key(name) or f" the file {name} " in text:
            raise
        raise KeyProblem(text.replace(" cannot be used: ", f" in {name} cannot be used: ", 1), why=found.why) from None


def key_bytes(source: Path | str | bytes, wanted: str) -> bytes:
    """Return the DER bytes of a key [5].

    `source` is a Path to a file of at most 64 KiB, or the key itself as text or bytes. Raises `KeyProblem` if it cannot
    be read as a key, `InvalidArgument` for any other type.
    """
    if isinstance(source, Path):
        return _from_bytes(_file(source, wanted), wanted)
    if isinstance(source, bytes):
        return _from_bytes(source, wanted)
    if isinstance(source, str):
        return _from_text(source, wanted)
    raise InvalidArgument(f"A {wanted} is a pathlib.Path, a str or bytes, not {type(source).__name__}.")


def may_be_key(name: str) -> bool:
    """Return whether what was given as a file's name may be the text of a key, which no message may repeat."""
    return len(name) > 200 or "BEGIN" in name or name.startswith("MII")


def _file(path: Path, wanted: str) -> bytes:
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST + 1)
    except FileNotFoundError:
        why, what = "not_found", "does not exist"
    except (OSError, ValueError) as error:
        why, what = "unreadable", _UNREADABLE.get(type(error), "cannot be read")
    else:
        if len(raw) <= _LARGEST:
            return raw
        why, what = "too_large", "is too large for a key"
    name = str(path)
    if may_be_key(name):
        what += "; if this is the key's text and not a path, pass it as str, not as Path"
        name = "(a long name)"
    raise problem(wanted, why, f"the file {name} {what}")


def _from_bytes(raw: bytes, wanted: str) -> bytes:
    if raw[:1] == b"\x30" and raw[1:2] >= b"\x80":
        return raw
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" in raw:
        raise problem(wanted, "encoding", "it is binary or UTF-16; save it as plain text")
    text = raw.decode("utf-8-sig", errors="replace")
    return _from_text(text, wanted)


def _from_text(text: str, wanted: str) -> bytes:
    text = text.strip(" \t\r\n\"'\ufeff\xa0")
    if not text:
        raise problem(wanted, "empty", "it is empty")
    if len(text) > _LARGEST:
        raise problem(wanted, "too_large", "it is too large for a key")
    if len(text) <= 300 and re.fullmatch(_PATH, text):
        raise problem(
            wanted, "path", "it looks like the name of a file; pass a pathlib.Path, or set what ends in _FILE or _FILES"
        )
    text = text.replace("\\r", "\n").replace("\\n", "\n").replace("\\", "")
    if "-----" in text:
        return _from_pem(text, wanted)
    if text.startswith(("ssh-", "ecdsa-sha2-")):
        raise problem(wanted, "openssh", "it is an OpenSSH key; `ssh-keygen -e -m PKCS8 -f FILE` converts a public one")
    der = _decoded(text, wanted)
    # Secret stores and variables of CI hold a file as Base64, a PEM file too.
    return _from_pem(der.decode("utf-8", "replace"), wanted) if b"-----BEGIN " in der else der


def _from_pem(text: str, wanted: str) -> bytes:
    found = [(label.strip(), body) for label, body in _BLOCK.findall(text)]
    blocks = [block for block in found if not block[0].endswith("PARAMETERS")]
    if not blocks:
        raise problem(wanted, "cut", "its header or footer line is missing, or the two differ")
    private = [block for block in blocks if block[0].endswith("PRIVATE KEY")]
    # Never take a public key from a file that also holds a private one: refuse it as a private key.
    fitting = private or [block for block in blocks if block[0].endswith(("PUBLIC KEY", "CERTIFICATE"))] or blocks
    if len(fitting) > 1:
        raise problem(wanted, "several", f"it holds {len(fitting)} keys; give one")
    label, body = fitting[0]
    if "ENCRYPTED" in label or "ENCRYPTED" in body[:200]:
        raise encrypted(wanted)
    if "OPENSSH" in label:
        raise problem(
            wanted, "openssh", "it is an OpenSSH key; `ssh-keygen -p -m PKCS8 -f FILE` converts a private one"
        )
    if "REQUEST" in label:
        raise problem(
            wanted,
            "request",
            "it is a certificate request; `openssl req -in FILE -noout -pubkey` shows the public key in it",
        )
    return _decoded(body, wanted)


def encrypted(wanted: str) -> KeyProblem:
    """Build the error for a key that is protected by a password."""
    return problem(wanted, "encrypted", "it is encrypted; remove the password with `openssl pkcs8 -topk8 -nocrypt`")


def _decoded(text: str, wanted: str) -> bytes:
    with suppress(ValueError):  # binascii.Error, or a character outside ASCII
        return binascii.a2b_base64("".join(text.split()), strict_mode=True)
    raise problem(wanted, "base64", f"it is not Base64; {UNKNOWN}")

"""Read keys of either kind from files, and name the form of one that cannot be read, with the command that converts it [5]."""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple, TypeVar

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey

from paywright_cli.common.terminal import Usage, read_input
from paywright_runtime.errors import KeyProblem
from paywright_runtime.signing.key_text import PRIVATE, PUBLIC, UNKNOWN, in_words, may_be_key, problem
from paywright_runtime.signing.keys import load_private_key, load_public_key


class _KeyForm(NamedTuple):
    """A form by its beginning. `secret` is what private ones hold, if it shows; else the key that is asked for decides."""

    pattern: bytes
    name: str
    private: str
    public: str = ""
    secret: bytes = b""


_LENGTH: Final = rb"(?:[\x00-\x80]|\x81.|\x82..|\x83...)"
_RSA: Final = re.escape(bytes.fromhex("06092a864886f70d010101"))
_DATA: Final = re.escape(bytes.fromhex("06092a864886f70d0107"))

_JKS: Final = (
    "`keytool -importkeystore -srckeystore FILE -destkeystore new.p12 -deststoretype PKCS12`, then `openssl pkcs12 -in new.p12"
)
_BYTES: Final = (
    _KeyForm(
        rb"\x30" + _LENGTH + rb"\x02\x01\x03\x30", "a PKCS#12 store (.p12, .pfx)",
        "`openssl pkcs12 -in FILE -nocerts -nodes -out key.pem`", "`openssl pkcs12 -in FILE -nokeys -clcerts -out cert.pem`",
    ),
    _KeyForm(
        rb"\xfe\xed\xfe\xed|\xce\xce\xce\xce", "a Java key store (JKS)", f"{_JKS} -nocerts -nodes -out key.pem`",
        f"{_JKS} -nokeys -clcerts -out cert.pem`",
    ),
    _KeyForm(
        rb"[\x06\x07]\x02\x00\x00\x00[\x24\xa4]\x00\x00RSA[12]", "a Microsoft key blob",
        "`openssl rsa -inform MSBLOB -in FILE -out key.pem`", "`openssl rsa -pubin -inform MSBLOB -in FILE -pubout -out key.pem`",
        rb"\x07",
    ),
    _KeyForm(rb"\x1e\xf1\xb5\xb0", "a Microsoft key in PVK", "`openssl rsa -inform PVK -in FILE -out key.pem`"),
    _KeyForm(
        rb"\x30" + _LENGTH + _DATA, "a bundle of certificates (PKCS#7, .p7b)",
        "`openssl pkcs7 -in FILE -print_certs -out cert.pem`, and -inform DER for a binary one",
    ),
    _KeyForm(
        rb"(?:\x30" + _LENGTH + rb"\x02\x01\x00\x30" + _LENGTH + _RSA + rb"\x05\x00\x04" + _LENGTH + rb")?\x30"
        + _LENGTH + rb"\x02\x01\x01\x02", "a key of three primes or more, which few libraries read; `paywright keys generate` makes one of two", "",
    ),
)  # fmt: skip
_TEXTS: Final = (
    _KeyForm(
        rb"PuTTY-User-Key-File-", "a PuTTY key (.ppk)", "`puttygen FILE -O private-openssh -o key.pem`",
        "`puttygen FILE -O public-openssh -o key.pub`, then `ssh-keygen -e -m PKCS8 -f key.pub`",
    ),
    _KeyForm(
        rb"(?:<\?xml.*?)?<RSAKeyValue>", "a key in the XML of .NET", "`rsa.ExportPkcs8PrivateKeyPem()` in .NET",
        "`rsa.ExportSubjectPublicKeyInfoPem()` in .NET", rb".*<D>",
    ),
    _KeyForm(
        rb'\{.*"kty"', "a JSON Web Key (JWK)",
        """`node -e 'console.log(crypto.createPrivateKey({key: JSON.parse(fs.readFileSync("FILE")), format: "jwk"}).export({type: "pkcs8", format: "pem"}))'`""",
        """`node -e 'console.log(crypto.createPublicKey({key: JSON.parse(fs.readFileSync("FILE")), format: "jwk"}).export({type: "spki", format: "pem"}))'`""",
        rb'.*"d"\s*:',
    ),
    _KeyForm(
        rb"---- BEGIN SSH2 PUBLIC", "an SSH2 public key (RFC 4716)",
        "`ssh-keygen -i -f FILE > key.pub`, then `ssh-keygen -e -m PKCS8 -f key.pub`",
    ),
    _KeyForm(rb"---- BEGIN SSH2 ENC", "an SSH2 private key of ssh.com", "`puttygen FILE -O private-openssh -o key.pem`"),
    _KeyForm(rb"(?:(?:RSA )?P(?:rivate|ublic)-Key: \(|Modulus=)", "what openssl prints of a key; give the file that it was printed from", ""),
    _KeyForm(rb"[0-9A-Fa-f:\s]{400,}\Z", "a key in hexadecimal", "`xxd -r -p FILE key.der`"),
)  # fmt: skip


def form_of(raw: bytes, *, private: bool) -> str | None:
    """Return what the bytes of a file are, and the command that converts them, in words; None for what has no name here."""
    text = "".join(line for line in raw.decode("utf-8", "replace").splitlines() if "-----" not in line)
    compact = "".join(text.split())
    inside = b""
    with suppress(ValueError):
        inside = a2b_base64(compact)
    named = _named((*_BYTES, *_TEXTS), raw, private) or _named(_BYTES, inside, private)
    return named or _base64_form(compact)


def _base64_form(compact: str) -> str | None:
    """Return how the Base64 of a whole key is written, if it is not standard; None if it is nothing of the kind."""
    unpadded = "Base64 without its padding: add = at its end until its length is a multiple of 4"
    url_safe = "Base64 in the URL-safe alphabet: convert it with `tr -- -_ +/ < FILE`"
    standard = compact.replace("-", "+").replace("_", "/")
    forms = (compact, unpadded if len(compact) % 4 else None), (standard, url_safe if standard != compact else None)
    for other, name in forms:
        try:
            der = a2b_base64(other + "=" * (-len(other) % 4), strict_mode=True)
        except ValueError:
            continue
        if der[:2] == b"\x30\x82" and len(der) == 4 + int.from_bytes(der[2:4]):
            return name
    return None


def _named(forms: tuple[_KeyForm, ...], raw: bytes, private: bool) -> str | None:
    found = next((one for one in forms if re.match(one.pattern, raw, re.DOTALL)), None)
    if found is None:
        return None
    if found.secret:
        private = re.match(found.secret, raw, re.DOTALL) is not None
    command = found.private if private else found.public or found.private
    return f"{found.name}: convert it with {command}" if command else found.name


_MOST: Final = 64 * 1024
_UNNAMED: Final = frozenset(("base64", "cut", "damaged", "encoding"))
Key = TypeVar("Key")


def any_key(name: str) -> tuple[bool, RSAPublicKey]:
    """Return whether the key of a file is private, and its public key. Raises `KeyProblem`."""
    raw = read_key(name)
    try:
        return True, private_key(raw).public_key()
    except KeyProblem as error:
        said_private = b"PRIVATE" in raw
        public_ssh = error.why == "openssh" and not said_private
        if error.why not in ("public", "certificate", "request") and not public_ssh:
            words = in_words(error)
            words = words if said_private else words.replace("The private key ", "The key ", 1)
            raise KeyProblem(words, why=error.why) from None
    return False, public_key(raw)


def private_key(raw: bytes) -> RSAPrivateKey:
    """Return the private key in the bytes of a file. Raises `KeyProblem`, which names the form of a key that is not read."""
    return _read(load_private_key, raw, private=True)


def public_key(raw: bytes) -> RSAPublicKey:
    """Return the public key in the bytes of a file. Raises the same."""
    return _read(load_public_key, raw, private=False)


def _read(load: Callable[[bytes], Key], raw: bytes, *, private: bool) -> Key:
    try:
        return load(raw)
    except KeyProblem as error:
        form = form_of(raw, private=private) if error.why in _UNNAMED else None
        said = error if form is None else problem(PRIVATE if private else PUBLIC, "form", f"it is {form}")
    raise KeyProblem(in_words(said).replace(UNKNOWN, UNKNOWN.partition(", or")[0]), why=said.why)


def named_public_key(file: str) -> RSAPublicKey:
    """Return the public key in a file. Raises `Usage`, which names the file."""
    try:
        return public_key(read_key(file))
    except KeyProblem as error:
        raise Usage(f"{file}: {error}") from None


def read_key(name: str) -> bytes:
    """Return the text of a key's file, or of standard input for `-`. Raises `Usage`, which repeats no key given for a name."""
    try:
        return read_input(name, _MOST)
    except Usage:
        if not may_be_key(name):
            raise
    raise Usage("the text of a key is no file: give the name of its file, or - and the text on standard input")

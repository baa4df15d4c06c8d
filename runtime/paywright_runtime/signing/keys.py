"""Load and check RSA keys [5]: PEM, one line of Base64, or DER.

Only RSA with exactly 2048 bits and an odd exponent of at least 65537 is accepted: `cryptography` loads 1024 bits and an
exponent of 3 without complaint. No message, repr or pickle shows any part of a key.
"""

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from cryptography.exceptions import InternalError, InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_private_key,
    load_der_public_key,
)

from paywright_runtime.signing.key_text import PRIVATE, PUBLIC, UNKNOWN, encrypted, key_bytes, problem
from paywright_runtime.tracebacks import strip_frames

_PADDING = PKCS1v15()
_HASH = SHA256()
_BITS = 2048
_LEAST_EXPONENT = 65537
_ORDINARY = bytes.fromhex("06092a864886f70d010101")
_PSS = bytes.fromhex("06092a864886f70d01010a")


@strip_frames
def load_private_key(source: Path | str | bytes) -> rsa.RSAPrivateKey:
    """Load the merchant's private key [5].

    `source` is a Path to a file, or the key itself as text or bytes: PEM, or the Base64 inside it on one line, PKCS#8
    or PKCS#1, without a password. The key is tested by making one signature, which takes about half a millisecond: load
    it once. Raises `KeyProblem`.
    """
    der = key_bytes(source, PRIVATE)
    key = _private(der, PRIVATE)
    if key is not None:
        private = require_private(key)
        if not (_consistent(private) and _signs(private)):
            raise problem(PRIVATE, "damaged", "its numbers do not match; part of it may be missing or changed")
        _check_mark(der, private.public_key(), PRIVATE)
        return private
    if _public(der) is not None:
        raise problem(PRIVATE, "public", "this is a public key, a private one is needed")
    if _certified(der) is not None:
        raise problem(PRIVATE, "certificate", "this is a certificate, a private key is needed")
    raise problem(PRIVATE, "damaged", f"it is not a key of a known form; {UNKNOWN}")


@strip_frames
def load_public_key(source: Path | str | bytes) -> rsa.RSAPublicKey:
    """Load a public key, such as the gateway's [5], from a `source` as that of `load_private_key`. Raises `KeyProblem`.

    It is SPKI, PKCS#1, or an X.509 certificate, of which only the key is used; dates and issuer are not checked.
    """
    der = key_bytes(source, PUBLIC)
    key = _public(der) or _certified(der)
    if key is not None:
        public = require_public(key)
        _check_mark(der, public, PUBLIC)
        return public
    if _private(der, PUBLIC) is not None:
        raise problem(PUBLIC, "private", "this is a private key, a public one is needed; show a private key to nobody")
    raise problem(PUBLIC, "damaged", f"it is not a key of a known form; {UNKNOWN}")


def require_private(key: object) -> rsa.RSAPrivateKey:
    """Return `key` if it is an RSA private key of 2048 bits [5]. Raises `KeyProblem` otherwise."""
    if not isinstance(key, rsa.RSAPrivateKey):
        raise problem(PRIVATE, "not_rsa", f"it is {_kind(key)}, not an RSA private key")
    _check_size(key.public_key(), PRIVATE)
    return key


def require_public(key: object) -> rsa.RSAPublicKey:
    """Return `key` if it is an RSA public key of 2048 bits [5]. Raises `KeyProblem` otherwise."""
    if not isinstance(key, rsa.RSAPublicKey):
        raise problem(PUBLIC, "not_rsa", f"it is {_kind(key)}, not an RSA public key")
    _check_size(key, PUBLIC)
    return key


def fingerprint(public: rsa.RSAPublicKey) -> str:
    """Return a short name for a public key: the first 16 hexadecimal digits of the SHA-256 of its SPKI form."""
    return hashlib.sha256(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()[:16]


class KeyPair:
    """A private key and its public key, as objects of `cryptography` and as PEM [5]; the public key also on one line.

    The private key is PKCS#8 without a password, the public key SPKI. `repr` shows the fingerprint only; a pair cannot
    be pickled.
    """

    __slots__ = ("fingerprint", "private", "public")

    def __init__(self, private: rsa.RSAPrivateKey) -> None:
        self.private: rsa.RSAPrivateKey = require_private(private)
        self.public: rsa.RSAPublicKey = private.public_key()
        self.fingerprint: str = fingerprint(self.public)

    @property
    def private_pem(self) -> str:
        """Return the private key as PEM, PKCS#8, without a password."""
        return self.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode("ascii")

    @property
    def public_pem(self) -> str:
        """Return the public key as PEM, SPKI."""
        return self.public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode("ascii")

    @property
    def public_line(self) -> str:
        """Return the Base64 of the SPKI public key on one line, without header and footer."""
        return "".join(self.public_pem.splitlines()[1:-1])

    def __repr__(self) -> str:
        return f"KeyPair(fingerprint={self.fingerprint!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A key pair cannot be pickled: it holds a private key. Load the key where it is used.")


def generate_key_pair() -> KeyPair:
    """Generate an RSA pair of 2048 bits [5]. Takes about a tenth of a second."""
    return KeyPair(rsa.generate_private_key(public_exponent=_LEAST_EXPONENT, key_size=_BITS))


def _private(der: bytes, wanted: str) -> object | None:
    if der[:2] == b"\x30\x82" and len(der) != 4 + int.from_bytes(der[2:4]):
        return None  # cryptography before 45 ignores what follows the key
    try:
        # The library's own check takes 26 ms, mostly for testing primes; `_consistent` and `_signs` take half a millisecond.
        return load_der_private_key(der, password=None, unsafe_skip_rsa_key_validation=True)
    except (ValueError, UnsupportedAlgorithm):
        return None
    except TypeError:  # it asks for a password
        pass
    raise encrypted(wanted)


def _consistent(private: rsa.RSAPrivateKey) -> bool:
    """Return whether primes, exponents and modulus fit together."""
    key = private.private_numbers()
    return (
        key.p > 1
        and key.q > 1
        and key.p * key.q == key.public_numbers.n
        and key.dmp1 == key.d % (key.p - 1)
        and key.dmq1 == key.d % (key.q - 1)
        and key.iqmp * key.q % key.p == 1
    )


def _signs(private: rsa.RSAPrivateKey) -> bool:
    """Return whether a signature by the key verifies. None does if a factor is not prime or the exponents are of another pair."""
    try:
        private.public_key().verify(private.sign(b"", _PADDING, _HASH), b"", _PADDING, _HASH)
    except (InvalidSignature, ValueError, InternalError):
        return False
    return True


def _public(der: bytes) -> object | None:
    with suppress(ValueError, UnsupportedAlgorithm):
        return load_der_public_key(der)
    return None


def _certified(der: bytes) -> object | None:
    from cryptography import x509  # heavy, and seldom needed

    with suppress(ValueError, UnsupportedAlgorithm):
        return x509.load_der_x509_certificate(der).public_key()
    return None


def _check_size(key: rsa.RSAPublicKey, wanted: str) -> None:
    if key.key_size != _BITS:
        raise problem(wanted, "size", f"it has {key.key_size} bits, exactly {_BITS} are needed")
    exponent = key.public_numbers().e
    if exponent < _LEAST_EXPONENT or exponent % 2 == 0:
        raise problem(
            wanted, "exponent", f"its public exponent is unsafe; an odd one of at least {_LEAST_EXPONENT} is needed"
        )


def _check_mark(der: bytes, key: rsa.RSAPublicKey, wanted: str) -> None:
    """Raise `KeyProblem` for a key that is marked for RSASSA-PSS. `cryptography` drops the mark.

    Of the algorithms that are named before the modulus, in a private key, a public one or a certificate, the last is the key's.
    """
    head = der[: der.find(key.public_numbers().n.to_bytes(_BITS // 8))]
    if head.rfind(_PSS) > head.rfind(_ORDINARY):
        raise problem(
            wanted,
            "pss",
            "it is marked for RSASSA-PSS alone, and SHA256withRSA is RSASSA-PKCS1-v1_5; `paywright keys generate` or "
            "`openssl genrsa 2048` makes an ordinary one",
        )


def _kind(key: object) -> str:
    for name in ("EC", "Ed25519", "Ed448", "X25519", "X448", "DSA", "DH", "RSA"):
        if type(key).__name__ in (f"{name}PublicKey", f"{name}PrivateKey"):
            return f"an {name} {'public' if type(key).__name__.endswith('PublicKey') else 'private'} key"
    return f"of type {type(key).__name__}"

"""A key that is not the gateway's, for what is signed by the wrong one: made from the sandbox's seed, the same every time.

It protects nothing: whoever knows the seed knows the key.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha512
from math import gcd
from typing import Final

from cryptography.hazmat.primitives.asymmetric import rsa

from paywright_runtime.signatures import RsaSigner

__all__ = ["other_signer"]

_E: Final = 65537
_SMALL: Final = tuple(n for n in range(3, 2000, 2) if all(n % d for d in range(3, int(n**0.5) + 1, 2)))


@lru_cache(maxsize=4)
def other_signer(seed: str) -> RsaSigner:
    """The signer of a seed. The first time takes some tenths of a second."""
    primes = _primes(seed)
    p, q = next(primes), next(primes)
    d = pow(_E, -1, (p - 1) * (q - 1))
    public = rsa.RSAPublicNumbers(_E, p * q)
    numbers = rsa.RSAPrivateNumbers(p, q, d, d % (p - 1), d % (q - 1), rsa.rsa_crt_iqmp(p, q), public)
    return RsaSigner(numbers.private_key())


def _primes(seed: str) -> Iterator[int]:
    """Primes of 1024 bits, whose two highest bits are set so that a product of two has 2048."""
    for number in range(1 << 20):
        start = b"".join(sha512(f"{seed}:other-key:{number}:{part}".encode()).digest() for part in range(2))
        candidate = int.from_bytes(start) | (3 << 1022) | 1
        if all(candidate % small for small in _SMALL) and gcd(candidate - 1, _E) == 1 and _is_prime(candidate):
            yield candidate


def _is_prime(n: int) -> bool:
    """Miller-Rabin; eight bases leave no doubt about numbers that nobody chose to deceive."""
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19):
        x = pow(base, odd, n)
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True

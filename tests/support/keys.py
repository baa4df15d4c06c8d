"""Key pairs that are made once a process, as making one takes a tenth of a second."""

from functools import cache

from paywright_runtime.signing.keys import KeyPair, generate_key_pair


@cache
def key_pair(number: int) -> KeyPair:
    """0 is the gateway's where a test says no other, 1 the merchant's, 2 and 3 those of others."""
    return generate_key_pair()

"""Addresses of a host to connect to, each with a share of the time, so that one that drops packets leaves time for the next [4]."""

import errno
import time
from collections.abc import Iterable, Iterator

from paywright_runtime.transport.endpoint import is_loopback_address

__all__ = ["Address", "shares"]

Address = tuple[int, int, int, str, tuple[str | int, ...]]
"""An address from `socket.getaddrinfo`: family, kind, protocol, canonical name, and the argument of `connect`."""

_LONGEST = 86400.0


def shares(found: Iterable[Address], deadline: float, *, loopback_only: bool) -> Iterator[tuple[Address, float]]:
    """Iterate over the addresses in the resolver's order, each once, with the seconds that connecting to it may take.

    That is an equal share of the time until `deadline` on `time.monotonic()`: an address that refuses at once leaves its
    share to the others. Raises TimeoutError when no time is left, OSError if `loopback_only` leaves no address.
    """
    addresses = [
        address for address in dict.fromkeys(found) if not loopback_only or is_loopback_address(str(address[4][0]))
    ]
    if not addresses:
        raise OSError(errno.EADDRNOTAVAIL, "no address of this machine")
    for tried, address in enumerate(addresses):
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        yield address, min(left / (len(addresses) - tried), _LONGEST)

"""Free ports of this machine, for programs that have to be told theirs."""

from __future__ import annotations

import socket
from contextlib import suppress
from random import SystemRandom

__all__ = ["lasting_port"]


def lasting_port() -> int:
    """A free port that no outgoing connection is given before the program that is told it listens, or starts anew."""
    while True:
        number = SystemRandom().randint(20_000, 29_999)  # below those that systems give out by themselves
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", number))
            return number

"""A look whether an idle connection is still what it was: open, with nothing to read."""

import select
from collections.abc import Callable
from functools import partial
from socket import socket

from urllib3.util.wait import wait_for_read

__all__ = ["look_for_input"]


def look_for_input(sock: socket) -> Callable[[], object]:
    """Return a function that says, without waiting, whether bytes or an end have come on the socket, while it is open.

    It keeps its poll object, which `urllib3.util.wait` makes anew for every look.
    """
    if not hasattr(select, "poll"):
        return partial(wait_for_read, sock, 0.0)
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return partial(poll.poll, 0)

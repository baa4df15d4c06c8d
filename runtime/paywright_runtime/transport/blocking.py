"""The library's own transport: HTTP/1.1 over plain sockets, with a pool of its own [4].

It retries nothing, follows no redirect and decodes nothing. One deadline applies to the whole exchange. A connection is
reused only after its last answer was verified, by the rules of `pool`. A forked child starts with an empty pool.
"""

from _thread import allocate_lock
from contextlib import suppress
from typing import Self

from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest
from paywright_runtime.transport.connection import Connection, carried_out
from paywright_runtime.transport.pool import TransportBase


class _Turn:
    """A lock that the thread of the request waits for, and that others release."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self._lock = allocate_lock()
        self._lock.acquire()

    def wait(self, seconds: float) -> None:
        """Wait until it is woken, or for so many seconds."""
        self._lock.acquire(timeout=seconds)

    def wake(self) -> None:
        """Let the thread look."""
        with suppress(RuntimeError):  # it is awake
            self._lock.release()


class HttpTransport(TransportBase):
    """Sends signed requests to one gateway over HTTP/1.1. Threads may share it; close it, or use it in a `with`.

    `base_url` is `https://host[:port][/prefix]`, or `http://` to this machine. Certificates are always verified, by the
    system's authorities or by those of `ca_file` (PEM) alone. `proxy` is `http://[user:password@]host:port`; no
    environment variable names one. An answer's body has at most `max_answer_bytes`. At most `pool_size` connections are
    in use at once, and further calls wait in turn; between calls as many stay open, for at most `idle_seconds` each. Each
    address of a host gets an equal share of the remaining time. Raises ConfigurationError for settings that cannot work.
    """

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """Send a request and return its answer, of any status, as `Transport.send`. Only name resolution may take longer.

        Raises ConfigurationError for a closed transport or a header that cannot be sent; then nothing was sent.
        """
        # A view, because printing the locals of a frame must not print the bytes.
        message = memoryview(self._head(request) + request.body)
        connection = self._connection_for(request) or self._in_turn(request, deadline)
        try:
            return carried_out(connection.exchange(message, deadline, self._max_answer_bytes, request.reach), deadline)
        except BaseException as error:
            connection.close()
            failure = connection.failure(error)
            if failure is None:
                raise
        # Raised here, so that the failure has no context whose frames hold the request.
        try:
            raise self._with_peer(failure)
        finally:
            del failure  # else it and this frame, which holds the message, refer to each other

    def _in_turn(self, request: SignedRequest, deadline: float) -> Connection:
        request.reach(Phase.CONNECTING)
        turn = _Turn(deadline)
        try:
            self._waiting.append(turn)
            while (connection := self._connection_for(request, turn)) is None:
                turn.wait(self._seconds_to_wait(deadline))
            return connection
        finally:
            self._end_turn(turn)

    def close(self) -> None:
        """Close the idle connections. One in use closes when its answer is released or discarded."""
        self._closed = True
        self._close_idle()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

"""Every call ends in time and in bounded memory, whatever the peer does, retries included."""

from __future__ import annotations

import multiprocessing
import socket
import time
import zlib
from collections.abc import Callable

import pytest

from paywright import Client, Merchant, NoAnswer, NotSent, OutcomeUnknown
from paywright_runtime.signing.keys import KeyPair
from tests.outcomes.memory_probe import CAN_MEASURE, peak_growth
from tests.outcomes.wire import abort
from tests.runtime.helpers.holding_peers import silent
from tests.runtime.helpers.transport_servers import Script, Server, http, read_request, repeating, saying, until_closed

TIMEOUTS = (0.5, 5.0, 50.0, 500.0)  # the longer ones for a machine so busy that nothing happened within the shorter
MEGABYTE = 1024


def after_two_resets(script: Script) -> Script:
    """So that a read has been tried again when the worst begins."""
    seen = []

    def resets(peer: socket.socket) -> None:
        read_request(peer)
        seen.append(1)
        if len(seen) % 3:
            abort(peer)
        else:
            peer.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            script(peer)

    return resets


def goes_on(peer: socket.socket) -> None:
    until_closed(peer)


PEERS: dict[str, Callable[[], Script]] = {
    "hang": lambda: silent,
    "drip of a head": lambda: repeating(b"HTTP/1.1 200 OK\r\nX-Long: ", b"x", 0.01),
    "drip of a body": lambda: repeating(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x", 0.01),
    "drip of chunks": lambda: repeating(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n", 0.01),
    "100-continue without end": lambda: repeating(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.002),
    "103 without end": lambda: repeating(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 0.002),
    "two resets, then a hang": lambda: after_two_resets(goes_on),
}


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("write", [False, True], ids=["read", "write"])
def test_a_call_ends_within_its_deadline_with_all_its_attempts(merchant: Merchant, peer: str, write: bool) -> None:
    def call(client: Client, number: int) -> object:
        if write:
            return client.refunds.create(
                out_refund_no=f"R{number}", refund_amount=1, refund_currency="USD", out_trade_no="O"
            )
        return client.orders.query(out_trade_no=f"O{number}")

    error: type[OutcomeUnknown | NoAnswer] = OutcomeUnknown if write else NoAnswer
    # What is loaded at the first call shall not count.
    with (
        Server(saying(http())) as server,
        Client(base_url=server.url, merchant=merchant, retries=0) as client,
        pytest.raises(error),
    ):
        call(client, 0)
    three_attempts = peer.startswith("two resets") and not write

    def ended(client: Client, number: int) -> OutcomeUnknown | NoAnswer | NotSent:
        """How the call ended. The peer never ends, so that it was by the deadline."""
        started = time.monotonic()
        with pytest.raises((error, NotSent)) as caught:
            call(client, number)
        took = time.monotonic() - started
        assert sum(attempt.duration for attempt in caught.value.attempts) <= took
        return caught.value

    def as_expected(timeout: float) -> bool:
        with Server(PEERS[peer]()) as server, Client(base_url=server.url, merchant=merchant, timeout=timeout) as client:
            found = [ended(client, number) for number in range(3)]
        return all(isinstance(one, error) and len(one.attempts) >= (3 if three_attempts else 1) for one in found)

    assert any(as_expected(5 * timeout if three_attempts else timeout) for timeout in TIMEOUTS)


@pytest.mark.full
@pytest.mark.parametrize("peer", ["hang", "drip of a body", "100-continue without end"])
def test_a_long_read_shares_its_deadline_among_its_attempts_and_keeps_it(merchant: Merchant, peer: str) -> None:
    def attempts(timeout: float) -> int:
        with (
            Server(PEERS[peer]()) as server,
            Client(base_url=server.url, merchant=merchant, timeout=timeout) as client,
            pytest.raises((NoAnswer, NotSent)) as caught,
        ):
            client.orders.query(out_trade_no="O")
        assert {attempt.reason for attempt in caught.value.attempts} == {"timeout"}
        return len(caught.value.attempts)

    assert any(attempts(timeout) > 1 for timeout in (11.0, 110.0, 1100.0))


def first_short_then(script: Script) -> Script:
    served = []

    def both(peer: socket.socket) -> None:
        if not served:
            served.append(1)
            read_request(peer)
            peer.sendall(http(b"{}"))
            return
        script(peer)

    return both


def bomb(body: bytes, *headers: str) -> Script:
    def script(peer: socket.socket) -> None:
        read_request(peer)
        peer.sendall(http(body, "200 OK", *headers))
        until_closed(peer)

    return script


def two_hundred_megabytes() -> bytes:
    press = zlib.compressobj(wbits=31)
    return b"".join([*(press.compress(bytes(MEGABYTE * 1024)) for _ in range(200)), press.flush()])


BOMBS: dict[str, tuple[Callable[[], Script], str]] = {
    "gzip": (lambda: bomb(two_hundred_megabytes(), "Content-Encoding: gzip"), "unsigned"),
    "deep JSON, as large as allowed": (lambda: bomb(b"[" * 2_097_152), "unsigned"),
    "zeros, as large as allowed": (lambda: bomb(bytes(2_097_152), "Content-Encoding: deflate"), "unsigned"),
    "no end": (lambda: repeating(b"HTTP/1.1 200 OK\r\n\r\n", b"z" * 65536, 0.0), "too_large"),
    "no end of chunks": (
        lambda: repeating(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", (b"100\r\n" + b"z" * 256 + b"\r\n") * 256, 0.0),
        "too_large",
    ),
    "no end of headers": (lambda: repeating(b"HTTP/1.1 200 OK\r\n", b"X-Y: z\r\n" * 512, 0.0), "too_large"),
    "a huge chunk": (
        lambda: repeating(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\n", b"z" * 65536, 0.0),
        "too_large",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not CAN_MEASURE, reason="needs /proc")
@pytest.mark.parametrize("kind", BOMBS)
def test_memory_grows_at_most_8_megabytes(
    merchant_keys: KeyPair, gateway_keys: KeyPair, kind: str, record_property: Callable[[str, object], None]
) -> None:
    make, reason = BOMBS[kind]
    with Server(first_short_then(make())) as server, multiprocessing.get_context("spawn").Pool(1) as pool:
        grown, ended = pool.apply(peak_growth, (server.url, merchant_keys.private_pem, gateway_keys.public_pem, 8))
    assert ended == ["unsigned", *[reason] * 8]
    assert grown <= 8 * MEGABYTE
    record_property(f"note: memory under the bomb {kind!r}, KB", grown)

"""A loopback server in a process of its own that answers every POST with the same bytes.

`python canned.py` reads the answer's headers and body from standard input (JSON: a list of pairs and a text), prints its port,
and serves until standard input is closed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import IPPROTO_TCP, TCP_NODELAY, create_server, socket
from threading import Thread


@contextmanager
def canned(headers: Sequence[tuple[str, str]], body: str) -> Iterator[int]:
    """Serve this answer; gives the port."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve())], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps([list(headers), body]) + "\n")
        process.stdin.flush()
        yield int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def _answer_all(connection: socket, answer: bytes) -> None:
    connection.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
    waiting = b""
    with connection, suppress(ConnectionError):
        while True:
            head, found, rest = waiting.partition(b"\r\n\r\n")
            length = 0
            if found:
                lowered = head.lower()
                at = lowered.index(b"content-length:") + 15
                length = int(lowered[at : lowered.find(b"\r\n", at) if b"\r\n" in lowered[at:] else None])
            if found and len(rest) >= length:
                waiting = rest[length:]
                connection.sendall(answer)
                continue
            more = connection.recv(65536)
            if not more:
                return
            waiting += more


def _serve() -> None:
    headers, text = json.loads(sys.stdin.readline())
    body = text.encode()
    lines = ["HTTP/1.1 200 OK", *(f"{name}: {value}" for name, value in headers), f"Content-Length: {len(body)}"]
    answer = "\r\n".join([*lines, "", ""]).encode() + body
    listener = create_server(("127.0.0.1", 0), backlog=64)
    print(listener.getsockname()[1], flush=True)

    def accept() -> None:
        while True:
            connection, _ = listener.accept()
            Thread(target=_answer_all, args=(connection, answer), daemon=True).start()

    Thread(target=accept, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    _serve()

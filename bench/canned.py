"""A loopback server in a process of its own that answers every POST with the next of some answers, in turn.

`python canned.py` reads from standard input (JSON: a list of answers, each its headers and body, and a certificate's file or null), prints
its port, and serves until standard input is closed.
"""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path
from socket import IPPROTO_TCP, TCP_NODELAY, create_server, socket
from threading import Thread

Answer = tuple[Sequence[tuple[str, str]], str]


@contextmanager
def canned(*answers: Answer, certificate: Path | None = None) -> Iterator[int]:
    """Serve these answers, over TLS with a certificate; gives the port."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve())], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps([answers, certificate and str(certificate)]) + "\n")
        process.stdin.flush()
        yield int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def _answer_all(connection: socket, answers: Iterator[bytes], context: ssl.SSLContext | None) -> None:
    connection.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
    with suppress(OSError), connection if context is None else context.wrap_socket(connection, True) as stream:
        waiting = b""
        while True:
            head, found, rest = waiting.partition(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]) if found else 0
            if found and len(rest) >= length:
                waiting = rest[length:]
                stream.sendall(next(answers))
            elif more := stream.recv(65536):
                waiting += more
            else:
                return


def _serve() -> None:
    answers, certificate = json.loads(sys.stdin.readline())
    whole = []
    for headers, text in answers:
        lines = ["HTTP/1.1 200 OK", *(f"{name}: {value}" for name, value in headers)]
        whole.append("\r\n".join([*lines, f"Content-Length: {len(text.encode())}", "", text]).encode())
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    listener = create_server(("127.0.0.1", 0), backlog=1024)
    print(listener.getsockname()[1], flush=True)

    def accept() -> None:
        turns = cycle(whole)
        while True:
            Thread(target=_answer_all, args=(listener.accept()[0], turns, context), daemon=True).start()

    Thread(target=accept, daemon=True).start()
    sys.stdin.read()
    os._exit(0)  # nothing is taken apart while threads may still be in OpenSSL


if __name__ == "__main__":
    _serve()

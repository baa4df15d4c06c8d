"""A server of HTTP on this machine, which answers what a function says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from threading import Thread

__all__ = ["Answer", "Request", "serving"]

Answer = tuple[int, Mapping[str, str], bytes]
Request = tuple[str, str, list[tuple[str, str]], bytes]
"""Method, path, headers and body."""


@contextmanager
def serving(
    answer: Callable[[Request], Answer | None], at_a_time: type[HTTPServer] = ThreadingHTTPServer
) -> Iterator[tuple[str, HTTPServer]]:
    """Serve at a URL. Without an answer the connection is closed."""

    class Handler(BaseHTTPRequestHandler):
        timeout = 60

        def _say(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"] or 0))
            if (said := answer((self.command, self.path, self.headers.items(), raw))) is None:
                return
            status, headers, body = said
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _say  # as the base class calls them

        def log_message(self, format: str, *args: object) -> None:
            """Nothing is printed."""

    with at_a_time(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", server
        finally:
            server.shutdown()
            thread.join(5)

#!/usr/bin/env bash
# curl_cffi 0.17.0, seen on 2026-12-01.
# One would guess: `Session(retry=2)` repeats what is safe to repeat, as urllib3's and requests' retries do: no POST whose answer was lost.
# What happens: each error is repeated, whatever the method: a POST whose answer is lost or late arrives three times. An answer of 503, which
# says that nothing was done, is not repeated.
# Why it matters: three orders of one, by a setting that was meant against dropped connections; and none where a retry is safe.
# Known to: [Unknown outcomes](../docs/outcomes.md).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet curl-cffi==0.17.0 || exit 2
venv/bin/python - 2>/dev/null <<'PY'
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

from curl_cffi import requests

arrived, over = [], Event()


class Gateway(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        arrived.append(self.path)
        if self.path == "/lost":
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        if self.path == "/late":
            over.wait(20)
        self.send_response(503)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
server.handle_error = lambda *_: None
Thread(target=server.serve_forever, daemon=True).start()


def of(path, retry):
    before = len(arrived)
    with requests.Session(retry=retry, timeout=2) as session:
        try:
            session.post(f"http://127.0.0.1:{server.server_port}{path}", data=b"{}")
        except requests.RequestsError:
            pass
    return len(arrived) - before


seen = {path: (of(path, 0), of(path, 2)) for path in ("/lost", "/late", "/busy")}
over.set()
print(seen)
assert seen == {"/lost": (1, 3), "/late": (1, 3), "/busy": (1, 1)}, "this has changed"
PY

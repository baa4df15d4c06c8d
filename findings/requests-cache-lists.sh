#!/usr/bin/env bash
# requests-cache 1.3.3, seen on 2026-11-28.
# One would guess: two POSTs of a JSON list in another order are two requests, as two orders of a list within an object are.
# What happens: the list at the top is sorted before it is compared: ["ORD_2", "ORD_1"] gets the stored answer to ["ORD_1", "ORD_2"].
# Why it matters: endpoints that take many answer in the order of the question, so each order gets the state of another.
# Known to: no page of ours. This gateway is asked about one order at a time, and the SDK caches no answer.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet requests-cache==1.3.3 requests==2.34.2 || exit 2
venv/bin/python - <<'PY'
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from requests_cache import CachedSession


class Echo(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
Thread(target=server.serve_forever, daemon=True).start()
session = CachedSession(backend="memory", allowable_methods=["POST"])
address = f"http://127.0.0.1:{server.server_port}/states"
asked = (["ORD_1", "ORD_2"], ["ORD_2", "ORD_1"], {"orders": ["ORD_1", "ORD_2"]}, {"orders": ["ORD_2", "ORD_1"]})
seen = [session.post(address, json=body).json() == body for body in asked]
print(seen)
assert seen == [True, False, True, True], "this has changed"
PY

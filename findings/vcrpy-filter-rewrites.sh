#!/usr/bin/env bash
# vcrpy 9.4.2 and requests 2.34.2, seen on 2026-11-28.
# One would guess: `filter_post_data_parameters=["card"]` masks that member of a recorded JSON body, and leaves the rest as it was
# sent.
# What happens: the cassette has the whole body parsed and written again: 10.50 is 10.5, all spaces are others, and it is done also if
# the body has no such member. The recorded Content-Length is still that of the true body. Answers are kept byte for byte.
# Why it matters: no signature of a request in such a cassette can be verified, and who compares amounts as text finds others.
# Known to: docs/recording.md: a recorder that keeps every byte.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps vcrpy==9.4.2 pyyaml==6.0.4 wrapt==2.5.2 requests==2.34.2 urllib3==2.8.0 idna==3.20 certifi==2026.10.19.post1 \
  charset-normalizer==3.5.3 || exit 2
venv/bin/python -W ignore - <<'PY'
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import requests
import vcr
import yaml

arrived: list[bytes] = []


class Gateway(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        arrived.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "15")
        self.end_headers()
        self.wfile.write(b'{"paid": 10.50}')

    def log_message(self, *args: object) -> None:
        pass


server = HTTPServer(("127.0.0.1", 0), Gateway)
threading.Thread(target=server.serve_forever, daemon=True).start()
with vcr.use_cassette("cassette.yaml", filter_post_data_parameters=["card"]):
    requests.post(
        f"http://127.0.0.1:{server.server_port}/", data=b'{"amount":10.50}', headers={"Content-Type": "application/json"}, timeout=10
    )
with open("cassette.yaml") as file:
    (interaction,) = yaml.safe_load(file)["interactions"]
seen = {
    "sent": arrived[0],
    "recorded": interaction["request"]["body"],
    "recorded Content-Length": interaction["request"]["headers"]["Content-Length"],
    "recorded answer": interaction["response"]["body"]["string"],
}
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    'sent': b'{"amount":10.50}',
    'recorded': '{"amount": 10.5}',
    'recorded Content-Length': ['16'],
    'recorded answer': '{"paid": 10.50}',
}, "this has changed"
PY

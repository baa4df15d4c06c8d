#!/usr/bin/env bash
# the commands of httpx 0.28.1 and HTTPie 3.2.4, seen on 2026-11-29.
# One would guess: `httpx URL >file` puts the answer into the file as it came; `amount:=10.50` of HTTPie sends these digits.
# What happens: httpx writes the status line, the headers and the JSON anew, 10.50 as 10.5, broken after 80 columns within texts, so that no
# reader of JSON takes it; `--download` keeps the bytes. HTTPie sends 10.5, and 12345678901234567.89 as 1.2345678901234568e+16.
# Why it matters: what was kept as evidence of an answer verifies no signature; a signature over the body that was typed is refused.
# Known to: [When a signature fails](../docs/signatures.md#the-gateway-refuses-your-request).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet httpx==0.28.1 click==8.5.1 pygments==2.21.0 rich==13.9.4 httpie==3.2.4 || exit 2
cat >server.py <<'PY'
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path


class Gateway(BaseHTTPRequestHandler):
    def do_POST(self):
        Path("sent").write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(Path("answer").read_bytes())

    def log_message(self, *arguments):
        pass


server = HTTPServer(("127.0.0.1", 0), Gateway)
Path("port").write_text(str(server.server_port))
server.serve_forever()
PY
printf '{"amount":10.50,"reason":"%s"}' "$(printf 'the payer has left %.0s' 1 2 3 4 5)" >answer
venv/bin/python server.py &
server=$!
trap 'kill "$server"; rm -rf "$folder"' EXIT
until [ -s port ]; do kill -0 "$server"; sleep 0.1; done
address="http://127.0.0.1:$(cat port)/"
venv/bin/httpx "$address" --method POST --json '{}' >file
venv/bin/httpx "$address" --method POST --json '{}' --download kept >/dev/null
venv/bin/http --ignore-stdin POST "$address" amount:=10.50 long:=12345678901234567.89 >/dev/null
cat file sent
grep -q '"amount": 10.5,' file
"${PYTHON:-python3}" -c '
import json
text = open("file").read()
try:
    json.loads(text[text.index("{"):])
except json.JSONDecodeError:
    print("no JSON")
else:
    raise AssertionError("this has changed")'
cmp answer kept
[ "$(cat sent)" = '{"amount": 10.5, "long": 1.2345678901234568e+16}' ]

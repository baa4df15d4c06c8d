#!/usr/bin/env bash
# hishel 2.0.0 and 1.4.0 with httpx 0.28.1, seen on 2026-12-01.
# One would guess: a client that caches HTTP asks again for what the server marks `no-store`, and after a PUT to that address.
# What happens: from 2.0 on it keeps each good answer to a GET for good, in a file, whatever the headers say: an order that was sent as
# pending, with `no-store`, is pending when it has been paid, after a PUT, for a request with `no-cache`, and in the next process. With
# `rfc=True`, and in 1.4.0, where that was the default, it is asked for each time.
# Why it matters: an update of a cache's library, and an order stays pending for whoever waits for it.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
cat >shop.py <<'PY'
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import hishel.httpx

STATES = iter(["pending", "paid", "paid", "paid", "paid"])


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        body = next(STATES).encode() if self.command == "GET" else b""
        self.send_response(200)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_PUT = do_GET

    def log_message(self, *args):
        pass


port, options = int(sys.argv[1]), dict.fromkeys(sys.argv[2:], True)
shop = ThreadingHTTPServer(("127.0.0.1", port), Shop)
threading.Thread(target=shop.serve_forever, daemon=True).start()
order = f"http://127.0.0.1:{shop.server_port}/orders/A-1"
client = hishel.httpx.SyncCacheClient if hasattr(hishel.httpx, "SyncCacheClient") else hishel.httpx.CacheClient
with client(**options) as asking:
    seen = [asking.get(order).text, asking.get(order).text, asking.get(order, headers={"Cache-Control": "no-cache"}).text]
    asking.put(order, content=b"")
    seen.append(asking.get(order).text)
print(shop.server_port, *seen)
PY
venv/bin/pip install --quiet hishel==2.0.0 httpx==0.28.1 || exit 2
venv/bin/python shop.py 0 | tee first
read -r port _ <first
sed -i 's/"pending", "paid"/"paid", "paid"/' shop.py
venv/bin/python shop.py "$port" | tee second
sed -i 's/"paid", "paid"/"pending", "paid"/' shop.py
venv/bin/python shop.py 0 rfc | tee with_rfc
venv/bin/pip install --quiet hishel==1.4.0 httpx==0.28.1 || exit 2
venv/bin/python shop.py 0 | tee before
[ "$(cut -d ' ' -f 2- first second with_rfc before)" = "pending pending pending pending
pending pending pending pending
pending paid paid paid
pending paid paid paid" ]

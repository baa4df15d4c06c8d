#!/usr/bin/env bash
# wget 1.21.3 of Debian 12, seen on 2026-12-01.
# One would guess: `wget --post-data` sends the order once. Twenty tries are for downloads: a POST is not idempotent.
# What happens: it sends it twenty times where the server reads it and closes without an answer, or answers later than `--timeout`, with
# waits of a second to ten between them; `--method=PUT` and `--method=POST` too. 503 is not tried again. `--tries=1` sends one.
# Why it matters: a script of cron that posts an order, or calls a webhook, makes twenty of it when the answer is lost.
# Known to: docs/outcomes.md: the order number is the key.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 wget=1.21.3-1+deb12u1 2>/dev/null || exit 2
dpkg --extract wget_*.deb .
cat >run.py <<'PY'
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

seen = {}
given_up = threading.Event()


class Gateway(BaseHTTPRequestHandler):
    def order(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        seen[self.path] = seen.get(self.path, 0) + 1
        if self.path.startswith("/late"):
            given_up.wait(60)
        elif self.path.startswith("/busy"):
            self.send_error(503)

    do_POST = do_PUT = order

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
threading.Thread(target=server.serve_forever, daemon=True).start()


def wget(path, *options):
    url = f"http://127.0.0.1:{server.server_port}{path}"
    subprocess.run(["usr/bin/wget", "-q", "-O-", "--no-config", "--no-proxy", *options, url], check=False)


wget("/lost", "--waitretry=0", "--post-data=order")
wget("/lost/put", "--waitretry=0", "--method=PUT", "--body-data=order")
wget("/late", "--waitretry=0", "--timeout=0.3", "--post-data=order")
wget("/lost/three", "--tries=3", "--post-data=order")
wget("/lost/one", "--tries=1", "--post-data=order")
wget("/busy", "--post-data=order")
given_up.set()
print(seen)
assert seen == {"/lost": 20, "/lost/put": 20, "/late": 20, "/lost/three": 3, "/lost/one": 1, "/busy": 1}, "this has changed"
PY
"${PYTHON:-python3}" run.py

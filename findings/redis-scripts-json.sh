#!/usr/bin/env bash
# Redis 7.0.15 of Debian 12 with lua-cjson 2.1.0, seen on 2026-11-29.
# One would guess: a script that decodes a JSON body and encodes it again keeps what a double holds, ids up to 2^53 and amounts of 16 digits.
# What happens: fourteen digits are written: 9007199254740991 becomes 9.007199254741e+15, 1234567890123.45 becomes 1234567890123.4 or so, [] is {}.
# A key that is put together from such an id, "order:" .. id, is one key for a hundred orders; as an argument of a command the id is whole.
# Why it matters: a script that marks an order as paid in its JSON changes the order's number; a key marks a hundred orders as seen.
# Known to: the SDK's ledgers have no scripts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 redis-server=5:7.0.15-1~deb12u10 redis-tools=5:7.0.15-1~deb12u10 liblua5.1-0=5.1.5-9 \
  lua-cjson=2.1.0+dfsg-2.2 lua-bitop=1.0.2-7 libjemalloc2=5.3.0-1 liblzf1=3.6-3 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet redis==8.1.0 || exit 2
LD_LIBRARY_PATH="$folder/usr/lib/x86_64-linux-gnu" usr/bin/redis-server --port 0 --unixsocket "$folder/socket" --save '' >log &
server=$!
trap 'kill -9 "$server"; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until [ -S socket ]; do kill -0 "$server"; sleep 0.1; done
cat >run.py <<'PY'
import redis

client = redis.Redis(unix_socket_path="socket", decode_responses=True)


def again(body):
    return client.eval("return cjson.encode(cjson.decode(ARGV[1]))", 0, body)


def key(body):
    return client.eval("return 'order:' .. cjson.decode(ARGV[1]).id", 0, body)


client.eval("redis.call('SET', 'id', cjson.decode(ARGV[1]).id)", 0, '{"id":9007199254740991}')
seen = {
    "id": again('{"id":9007199254740991}'),
    "amount": again('{"amount":1234567890123.45}'),
    "list": again('{"goods":[]}'),
    "key": [key('{"id":9007199254740991}'), key('{"id":9007199254740990}')],
    "argument": client.get("id"),
}
print(seen)
assert seen == {
    "id": '{"id":9.007199254741e+15}',
    "amount": '{"amount":1234567890123.4}',
    "list": '{"goods":{}}',
    "key": ["order:9.007199254741e+15"] * 2,
    "argument": "9007199254740991",
}, "this has changed"
PY
venv/bin/python run.py

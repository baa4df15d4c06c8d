#!/usr/bin/env bash
# bson 7.3.4 of npm and pymongo 4.20.1 of PyPI, seen on 2026-11-30.
# One would guess: Extended JSON has 64-bit numbers so that none is lost: an id that BSON holds as a Long is written with its digits by default.
# What happens: `EJSON.stringify` of bson writes the Long 9007199254740993 as 9007199254740992, a BigInt too, and `EJSON.parse` reads so what
# says `$numberLong`. PyMongo writes the digits, as bson does with `relaxed: false`.
# Why it matters: an export of payments is compared, or put in again, with the ids of other payments, and nothing is said.
# Known to: the SDK's ids are texts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pymongo==4.20.1 || exit 2
npm install --silent --no-fund --no-audit --no-save bson@7.3.4 || exit 2
{
  node -e '
    const { EJSON, Long } = require("bson")
    const exact = EJSON.stringify({ id: Long.fromString("9007199254740993") }, { relaxed: false })
    console.log("by default", EJSON.stringify({ id: Long.fromString("9007199254740993") }), EJSON.stringify({ id: 9007199254740993n }))
    console.log("relaxed: false", exact)
    console.log("read and written", EJSON.stringify(EJSON.parse(exact)))'
  venv/bin/python -c '
from bson import Int64, json_util

print("PyMongo", json_util.dumps({"id": Int64(9007199254740993)}), json_util.dumps(json_util.loads("{\"id\": {\"$numberLong\": \"9007199254740993\"}}")))'
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
by default {"id":9007199254740992} {"id":9007199254740992}
relaxed: false {"id":{"$numberLong":"9007199254740993"}}
read and written {"id":9007199254740992}
PyMongo {"id": 9007199254740993} {"id": 9007199254740993}
SEEN

#!/usr/bin/env bash
# structured-headers 2.1.0 and http-sf 1.5.0, seen on 2026-11-30.
# One would guess: what is read of a structured header (RFC 9651) is written as it was, and what is written can be read.
# What happens: in JavaScript 10.0 is read and written as the integer 10. 1.0004 is written as `1.`, and 0.0000001 as `0.`, which is no
# number for either reader. The Python package writes 10.0, 1.0 and 0.0.
# Why it matters: a proxy that reads and writes such a header breaks a signature over it, or the next one refuses the whole header.
# Known to: our gateway's headers are plain texts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet http-sf==1.5.0 typing_extensions==4.16.0 || exit 2
npm install --silent --no-fund --no-audit --no-save structured-headers@2.1.0 || exit 2
cat >run.mjs <<'JS'
import { parseItem, serializeItem } from 'structured-headers'

const read = (text) => {
  try {
    return parseItem(text)[0]
  } catch {
    return 'refused'
  }
}
const written = [1.0004, 0.0000001].map((value) => serializeItem([value, new Map()]))
console.log(JSON.stringify({ again: serializeItem(parseItem('10.0')), written, read: written.map(read) }))
JS
cat >run.py <<'PY'
import json
import subprocess

import http_sf

javascript = json.loads(subprocess.check_output(["node", "run.mjs"]))


def read(text):
    try:
        return float(http_sf.parse(text.encode(), tltype="item")[0])
    except http_sf.StructuredFieldError:
        return "refused"


python = {
    "again": http_sf.ser(http_sf.parse(b"10.0", tltype="item")),
    "written": [http_sf.ser((value, {})) for value in (1.0004, 0.0000001)],
    "read": [read(text) for text in javascript["written"]],
}
print(javascript, python, sep="\n")
assert javascript == {"again": "10", "written": ["1.", "0."], "read": ["refused", "refused"]}, "this has changed"
assert python == {"again": "10.0", "written": ["1.0", "0.0"], "read": ["refused", "refused"]}, "this has changed"
PY
venv/bin/python run.py

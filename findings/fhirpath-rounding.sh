#!/usr/bin/env bash
# fhirpath 5.2.2 of npm and fhirpathpy 2.2.4 of PyPI, seen on 2026-11-30.
# One would guess: FHIRPath has decimals, and both engines of the same makers compute an invoice's amounts alike, as its text says: half a cent
# goes up.
# What happens: in JavaScript they are doubles: 1.1 * 3 is 3.3000000000000003, 0.29 * 100 cut to a whole number is 28, and 1.005 rounds to 1.
# In Python they are Decimals, but half a cent goes to the even one: 10.505 is 10.50, in JavaScript 10.51. That 0.1 + 0.2 = 0.3 is true in both
# hides it: JavaScript compares eight decimals, and 0.00000001 is equal to 0.000000011.
# Why it matters: a check of an invoice says yes in the browser and no on the server, and whole cents made of an amount are one short.
# Known to: the SDK computes with Decimal; [Amounts](../docs/amounts.md): round before the call.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet fhirpathpy==2.2.4 || exit 2
npm install --silent --no-fund --no-audit --no-save fhirpath@5.2.2 || exit 2
cat >expressions <<'TEXT'
1.1 * 3
(0.29 * 100).truncate()
1.005.round(2)
10.505.round(2)
0.1 + 0.2 = 0.3
0.00000001 = 0.000000011
TEXT
{
  node -e '
    const fhirpath = require("fhirpath")
    for (const text of require("fs").readFileSync("expressions", "utf8").trim().split("\n")) console.log(text, "is", fhirpath.evaluate({}, text)[0])'
  venv/bin/python -c '
import fhirpathpy

for text in open("expressions").read().splitlines():
    print(text, "is", fhirpathpy.evaluate({}, text)[0])'
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
1.1 * 3 is 3.3000000000000003
(0.29 * 100).truncate() is 28
1.005.round(2) is 1
10.505.round(2) is 10.51
0.1 + 0.2 = 0.3 is true
0.00000001 = 0.000000011 is true
1.1 * 3 is 3.3
(0.29 * 100).truncate() is 29
1.005.round(2) is 1
10.505.round(2) is 10.5
0.1 + 0.2 = 0.3 is True
0.00000001 = 0.000000011 is False
SEEN

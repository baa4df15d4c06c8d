#!/usr/bin/env bash
# fontoxpath 3.34.0 of npm and elementpath 5.1.4 of PyPI, seen on 2026-11-30.
# One would guess: XPath's xs:decimal is a decimal with at least eighteen digits, as its standard demands, and is written without an exponent.
# What happens: in fontoxpath it is a double: two lines of 0.1 and 0.2 are not 0.3 in all, 19.99 * 100 is 1998.9999999999998, 1.005 rounds to 1,
# and xs:decimal("0.0000001") is 1E-7, which is no xs:decimal. elementpath, in Python, computes exactly.
# Why it matters: rules of electronic invoices, that the lines make the total, are XPath: what one checker takes, the other refuses.
# Known to: the SDK computes with Decimal.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet elementpath==5.1.4 || exit 2
npm install --silent --no-fund --no-audit --no-save fontoxpath@3.34.0 || exit 2
cat >rules <<'TEXT'
sum((0.1, 0.2)) = 0.3
19.99 * 100
round(1.005, 2)
xs:decimal("0.0000001")
12345678901234567.89 + 0
TEXT
{
  node -e '
    const { evaluateXPathToString } = require("fontoxpath")
    for (const rule of require("fs").readFileSync("rules", "utf8").trim().split("\n")) {
      console.log("fontoxpath:", rule, "is", evaluateXPathToString(rule, null))
    }'
  venv/bin/python -c '
from xml.etree import ElementTree

import elementpath
from elementpath.xpath31 import XPath31Parser

for rule in open("rules").read().splitlines():
    print("elementpath:", rule, "is", elementpath.select(ElementTree.Element("invoice"), f"string({rule})", parser=XPath31Parser))'
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
fontoxpath: sum((0.1, 0.2)) = 0.3 is false
fontoxpath: 19.99 * 100 is 1998.9999999999998
fontoxpath: round(1.005, 2) is 1
fontoxpath: xs:decimal("0.0000001") is 1E-7
fontoxpath: 12345678901234567.89 + 0 is 12345678901234568
elementpath: sum((0.1, 0.2)) = 0.3 is true
elementpath: 19.99 * 100 is 1999
elementpath: round(1.005, 2) is 1.01
elementpath: xs:decimal("0.0000001") is 0.0000001
elementpath: 12345678901234567.89 + 0 is 12345678901234567.89
SEEN

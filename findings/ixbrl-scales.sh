#!/usr/bin/env bash
# ixbrlparse 0.12.0, seen on 2026-11-30.
# One would guess: a figure of inline XBRL is a text and a power of ten, so 19.99 with scale="2" is 1999, as exact as it stands there.
# What happens: it is a float times a float: 1998.9999999999998, and 1.005 with scale="3" is 1004.9999999999999. Of the 9,999 figures below
# 100 with two decimals 1,146 are no whole number with scale="2", and `int` makes 573 of them one too small.
# Why it matters: totals of filed accounts do not add up, and what is compared with a register by whole units differs by one.
# Known to: the SDK computes with Decimal.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet ixbrlparse==0.12.0 || exit 2
cat >run.py <<'PY'
import io

from ixbrlparse import IXBRL

NAMES = """xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL" xmlns:shop="http://shop.example"
xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:iso4217="http://www.xbrl.org/2003/iso4217" """
HEADER = """<div><ix:header><ix:resources><xbrli:context id="day"><xbrli:entity><xbrli:identifier scheme="http://shop.example">1</xbrli:identifier>
</xbrli:entity><xbrli:period><xbrli:instant>2026-11-30</xbrli:instant></xbrli:period></xbrli:context>
<xbrli:unit id="euro"><xbrli:measure>iso4217:EUR</xbrli:measure></xbrli:unit></ix:resources></ix:header></div>"""


def figure(text, scale):
    attributes = f'name="shop:paid" contextRef="day" unitRef="euro" decimals="0" scale="{scale}"'
    return f"<ix:nonFraction {attributes}>{text}</ix:nonFraction>"


figures = [figure(f"{cents // 100}.{cents % 100:02}", 2) for cents in range(1, 10000)]
text = f"<html {NAMES}><body>{HEADER}<p>{figure('1.005', 3)}{''.join(figures)}</p></body></html>"
first, *others = [number.value for number in IXBRL(io.StringIO(text)).numeric]
cents = dict(enumerate(others, 1))
inexact = [whole for whole, value in cents.items() if value != whole]
short = [whole for whole, value in cents.items() if int(value) != whole]
seen = (first, cents[1999], len(cents), len(inexact), len(short))
print(seen)
assert seen == (1004.9999999999999, 1998.9999999999998, 9999, 1146, 573), "this has changed"
PY
venv/bin/python -W ignore run.py

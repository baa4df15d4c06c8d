#!/usr/bin/env bash
# agate 1.14.2 (which csvkit reads with) and beancount 3.2.3, seen on 2026-11-28.
# One would guess: an amount as it is written in half of Europe, 10,50 or 1.234,50, is refused by a reader that expects a point.
# What happens: both take every comma away. 10,50 becomes 1050, a hundred times the amount; 1.234,50 becomes 1.2345, a thousandth.
# beancount reads no text at all as 0. Neither says anything.
# Why it matters: a bank's or a gateway's file of settlements, read so, differs from the books by factors, and still adds up.
# Known to: no page of ours; no file of ours has commas in amounts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps agate==1.14.2 babel==2.19.0 isodate==0.7.2 leather==0.4.1 parsedatetime==2.6 python-slugify==9.2.0 \
  text-unidecode==1.3 pytimeparse==1.1.10 beancount==3.2.3 click==8.5.1 python-dateutil==4.0.0 regex==2026.11.19 || exit 2
venv/bin/python -W ignore - <<'PY'
import agate
from beancount.core.number import D

seen = {
    f"{reader}, {text!r}": str(read(text))
    for reader, read in (("agate", agate.Number().cast), ("beancount", D))
    for text in ("10.50", "10,50", "1.234,50")
} | {"beancount, ''": str(D(""))}
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    "agate, '10.50'": '10.50',
    "agate, '10,50'": '1050',
    "agate, '1.234,50'": '1.23450',
    "beancount, '10.50'": '10.50',
    "beancount, '10,50'": '1050',
    "beancount, '1.234,50'": '1.23450',
    "beancount, ''": '0',
}, "this has changed"
PY

#!/usr/bin/env bash
# sqids 0.5.2 and hashids 1.3.1, seen on 2026-11-28.
# One would guess: short ids that are made of a counter differ from each other however they are compared, or nearly all do.
# What happens: they use capitals and small letters. Of the ids of the first 10,000 numbers 245 (sqids) and 428 (hashids) equal an
# earlier one but for the case of letters; with at least eight characters still 166 and 340.
# Why it matters: this gateway compares an order's number without regard to case. The second of such a pair is another customer's
# order: it is refused as placed already, and a query under its number shows the first one's payment. The same holds in MariaDB and
# SQL Server with their usual collations.
# Known to: docs/start.md; `Follower.open` refuses a number that another item has but for capitals, tests/receiver/following.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps sqids==0.5.2 hashids==1.3.1 || exit 2
venv/bin/python -W ignore - <<'PY'
from collections.abc import Callable

from hashids import Hashids
from sqids import Sqids


def repeated(made: Callable[[int], str]) -> int:
    ids = [made(number) for number in range(10_000)]
    assert len(set(ids)) == len(ids)
    return len(ids) - len({each.lower() for each in ids})


plain, longer = Sqids(), Sqids(min_length=8)
seen = {
    "sqids": repeated(lambda number: plain.encode([number])),
    "sqids of 8 characters": repeated(lambda number: longer.encode([number])),
    "hashids": repeated(Hashids().encode),
    "hashids of 8 characters": repeated(Hashids(salt="shop", min_length=8).encode),
}
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    'sqids': 245,
    'sqids of 8 characters': 166,
    'hashids': 428,
    'hashids of 8 characters': 340,
}, "this has changed"
PY

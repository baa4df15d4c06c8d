#!/usr/bin/env bash
# mt-940 5.1.1, seen on 2026-11-28.
# One would guess: the sign of an entry of a bank statement (MT940, field 61) is that of the money: C comes in, D goes out, and
# the reversals RC (a credit is taken back) and RD (a debit is given back) are the other way round.
# What happens: D alone is negative. RC, money that the bank takes back, is positive, as if it had come in a second time.
# Why it matters: who compares a bank's statement with paid orders counts a payment that was taken back twice, instead of not at all.
# Look at `status`, and turn the sign of RC yourself.
# Known to: docs/follow.md, "Reconcile with your bank", says which of our fields to compare; it reads no statement.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps mt-940==5.1.1 || exit 2
venv/bin/python -W ignore - <<'PY'
import mt940

STATEMENT = ":20:A\n:25:1\n:28C:1/1\n:60F:C250601EUR100,00\n:61:2506010601{}10,50NTRFORD_1\n:62F:C250602EUR100,00\n-\n"


def amount(mark: str) -> str:
    return str(mt940.parse(STATEMENT.format(mark))[0].data["amount"].amount)


seen = {mark: amount(mark) for mark in ("C", "D", "RC", "RD")}
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    'C': '10.50',
    'D': '-10.50',
    'RC': '10.50',
    'RD': '10.50',
}, "this has changed"
PY

#!/usr/bin/env bash
# beancount 3.2.3, seen on 2026-12-01.
# One would guess: in double-entry accounting a transaction balances to the last digit, and `balance` fails for one cent.
# What happens: half of the last digit written is let pass, and twice that by `balance`: 10.00 against -10.005 is balanced, 10.0 against
# -10.05 too, and an account of 60.00 passes as 60.01. 10.00 against -10.01 fails, and whole numbers are exact.
# Why it matters: a ledger that was checked against the bank's statement every day may be a cent off each day, for each account.
# Known to: the audit compares amounts exactly.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet beancount==3.2.3 || exit 2
venv/bin/python - <<'PY'
from beancount.loader import load_string


def of(one, other, said=None):
    said = said or one
    errors = load_string(
        f"2026-01-01 open Assets:Bank USD\n2026-01-01 open Income:Shop USD\n\n"
        f'2026-01-02 * "sale"\n  Assets:Bank  {one} USD\n  Income:Shop  -{other} USD\n\n'
        f"2026-01-03 balance Assets:Bank {said} USD\n"
    )[1]
    return [error.message.split(" ")[0] for error in errors]


asked = [("10.00", "10.004"), ("10.00", "10.005"), ("10.0", "10.05"), ("10.00", "10.01"), ("10", "10.4")]
pairs = {f"{one} and -{other}": of(one, other) for one, other in asked}
said = {text: of("60.00", "60.00", text) for text in ("60.00", "60.01", "60.02", "60.1")}
print(pairs, said)
assert pairs == {
    "10.00 and -10.004": [],
    "10.00 and -10.005": [],
    "10.0 and -10.05": [],
    "10.00 and -10.01": ["Transaction"],
    "10 and -10.4": ["Transaction"],
}, "this has changed"
assert said == {"60.00": [], "60.01": [], "60.02": ["Balance"], "60.1": []}, "this has changed"
PY

#!/usr/bin/env bash
# bankstatementparser 0.0.29 and bai2 0.15.0, seen on 2026-11-30.
# One would guess: a line of a BAI2 statement has its bank's and its customer's reference, whatever it says of when the money can be used;
# and 1500 of JPY, which has no decimals, are 1500 yen.
# What happens: of a deposit of type S, which says how much can be used today, tomorrow and later, these amounts are the id, the reference and
# the description; of type V a date and an hour are, of type D the number of days. Two deposits alike have one id. 1500 JPY are 15. bai2 reads
# the references, and leaves amounts as they stand.
# Why it matters: payments are booked by the reference, and left out by the id of one that was there.
# Known to: docs/follow.md, "Reconcile with your bank", says which of our fields to compare; it reads no statement.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet bankstatementparser==0.0.29 bai2==0.15.0 || exit 2
cat >paid.bai2 <<'BAI2'
01,122099999,123456789,261130,0200,1,,,2/
02,031001234,122099999,1,261130,,JPY,2/
03,0975312468,JPY,010,500000,,/
16,165,1500,0,BANK-1,ORD-1,ONE/
16,115,1500,S,500,900,100,BANK-2,ORD-2,TWO/
16,115,1500,S,500,900,100,BANK-3,ORD-3,THREE/
16,115,1500,V,261201,1200,BANK-4,ORD-4,FOUR/
16,115,1500,D,2,0,700,1,800,BANK-5,ORD-5,FIVE/
49,507500,7/
98,507500,1,9/
99,507500,1,11/
BAI2
cat >run.py <<'PY'
from bai2 import bai2
from bankstatementparser import Bai2Parser

rows = Bai2Parser("paid.bai2").parse().to_dict("records")
parsed = [(row["transaction_id"], row["Reference"], row["description"], str(row["amount"])) for row in rows]
with open("paid.bai2", encoding="ascii") as file:
    account = bai2.parse_from_file(file, check_integrity=False).children[0].children[0]
read = [(row.bank_reference, row.customer_reference, row.text, row.amount) for row in account.children]
print(*zip(parsed, read), sep="\n")
assert parsed == [
    ("BANK-1", "ORD-1", "ONE", "15"),
    ("500", "900", "100", "15"),
    ("500", "900", "100", "15"),
    ("261201", "1200", "BANK-4", "15"),
    ("2", "0", "700", "15"),
], "this has changed"
names = ("ONE", "TWO", "THREE", "FOUR", "FIVE")
assert read == [(f"BANK-{number}", f"ORD-{number}", name, 1500) for number, name in enumerate(names, 1)], "this has changed"
PY
venv/bin/python -W ignore run.py

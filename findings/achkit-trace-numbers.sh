#!/usr/bin/env bash
# achkit 0.2.0, seen on 2026-12-01.
# One would guess: the trace numbers of a file's entries go on from batch to batch, and an account number that is too long is refused, as an
# amount is.
# What happens: they begin with 1 in each batch: of two batches with two payments each the first ones have one trace number, and so has the
# first of each other file. An account of 20 digits is cut to 17, which are another's. `validate` says ok to both; 11 digits of cents raise.
# Why it matters: a returned payment is told by its trace number alone: which of the two came back cannot be told.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet achkit==0.2.0 || exit 2
venv/bin/python - <<'PY'
from achkit import AchError, AchFile, parse, validate


def file_of(*batches):
    made = AchFile.create(origin_dfi="091000019", company_id="1234567890")
    for entries in batches:
        batch = made.batch(sec="PPD", description="PAYOUT", effective_date="2026-12-02")
        for account, cents in entries:
            batch.credit(name="Shop", routing="011401533", account=account, amount_cents=cents)
    return made.render()


two = file_of([("101", 1000), ("102", 2000)], [("201", 3000), ("202", 4000)])
entries = [line for line in two.splitlines() if line.startswith("6")]
traces = [line[79:94] for line in entries]
long = file_of([("12345678901234567890", 1000)])
(account,) = [line[12:29] for line in long.splitlines() if line.startswith("6")]
try:
    file_of([("101", 12345678901)])
    refused = None
except AchError as error:
    refused = str(error)
print(traces, account, validate(two), validate(long), refused)
assert traces == ["091000010000001", "091000010000002"] * 2, "this has changed"
assert account == "12345678901234567" and validate(two)["ok"] and validate(long)["ok"], "this has changed"
assert refused and parse(two), "this has changed"
PY

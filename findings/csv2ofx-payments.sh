#!/usr/bin/env bash
# csv2ofx 0.34.2, seen on 2026-11-30.
# One would guess: 10.500 is ten and a half, in dinars or as a table of three decimals writes it, and each payment has an id of its own, the
# FITID, by which programs that read OFX leave out what they have already.
# What happens: a point before three digits is one of thousands, in each amount for itself: 10.500 is 10500.00, 0.505 is 505.00, and 10.50
# beside them 10.50. Without a column of ids the FITID is a hash of day, amount and texts: two equal payments of a day have one.
# Why it matters: the books have a thousandfold amount, or one payment of two, and the file is right to whoever reads it.
# Known to: docs/follow.md, "Reconcile with your bank", says which of our fields to compare.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet csv2ofx==0.34.2 meza==0.47.0 || exit 2
printf 'Date,Amount,Payee,Description,Account\n' >paid.csv
printf '2026-11-30,%s,Shop,Coffee,Bank\n' 10.500 0.505 10.50 10.50 1000.250 >>paid.csv
venv/bin/csv2ofx --start=2026-11-01 --end=2026-12-01 paid.csv paid.ofx
{
  sed -n 's/.*<TRNAMT>\(.*\)<\/TRNAMT>.*/\1/p' paid.ofx
  echo "ids: $(sed -n 's/.*<FITID>\(.*\)<\/FITID>.*/\1/p' paid.ofx | sort -u | wc -l) of $(grep -c FITID paid.ofx)"
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
10500.00
505.00
10.50
10.50
1000250.00
ids: 4 of 5
SEEN

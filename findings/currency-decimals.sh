#!/usr/bin/env bash
# babel 2.19.0, py-moneyed 3.0, country-data-list 1.6.3, @coinify/currency 1.3.43 and zero-decimal-currencies 1.6.0, seen on 2026-11-28.
# One would guess: packages that know the decimals of currencies agree but for newcomers.
# What happens: of ten currencies that people pay with, they agree about none but USD. babel goes by CLDR, py-moneyed by ISO 4217,
# country-data-list by an ISO 4217 of years ago; @coinify/currency gives yen, won and dong two decimals; zero-decimal-currencies
# multiplies ISK by 100, cuts half a yen away, writes 0.29 USD as 029, and takes the text 1,234.50 as one dollar.
# Why it matters: a shop that formats with one and charges with another is out by a factor of a hundred, in one market only.
# Known to: [Amounts](../docs/amounts.md), and the sandbox: it has the decimals that such gateways were seen to take, and refuses more.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps babel==2.19.0 py-moneyed==3.0 typing_extensions==4.16.0 || exit 2
npm install --silent --no-fund --no-audit --no-save country-data-list@1.6.3 @coinify/currency@1.3.43 zero-decimal-currencies@1.6.0 || exit 2
export CODES="IDR HUF COP UGX MGA ISK JPY KRW VND USD"
{
  venv/bin/python - <<'PY'
import os

from babel.numbers import get_currency_precision
from moneyed import get_currency

codes = os.environ["CODES"].split()
print("babel", *[f"{code}{get_currency_precision(code)}" for code in codes])
print("py-moneyed", *[f"{code}{len(str(get_currency(code).sub_unit)) - 1}" for code in codes])
PY
  node - <<'JS'
const codes = process.env.CODES.split(' ')
const units = require('zero-decimal-currencies').default
const { currencies } = require('country-data-list')
const { getDecimalsForCurrency } = require('@coinify/currency')
console.log('country-data-list', ...codes.map((code) => code + currencies[code].decimals))
console.log('@coinify/currency', ...codes.map((code) => code + getDecimalsForCurrency(code)))
console.log('zero-decimal-currencies', ...codes.map((code) => code + (units('10', code).length - 2)))
console.log('units', units(10.5, 'JPY'), units(0.29, 'USD'), units('1,234.50', 'USD'))
JS
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
babel IDR0 HUF0 COP0 UGX0 MGA0 ISK0 JPY0 KRW0 VND0 USD2
py-moneyed IDR2 HUF2 COP2 UGX0 MGA2 ISK0 JPY0 KRW0 VND0 USD2
country-data-list IDR2 HUF2 COP2 UGX2 MGA0 ISK0 JPY0 KRW0 VND0 USD2
@coinify/currency IDR2 HUF2 COP2 UGX2 MGA2 ISK2 JPY2 KRW2 VND2 USD2
zero-decimal-currencies IDR2 HUF2 COP2 UGX0 MGA0 ISK2 JPY0 KRW0 VND0 USD2
units 10 029 100
SEEN

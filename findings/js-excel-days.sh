#!/usr/bin/env bash
# exceljs 4.4.0, write-excel-file 4.1.1, excel4node 1.8.2, json-as-xlsx 2.6.4 and xlsx 0.18.5, read by openpyxl 3.1.5, seen on 2026-12-01.
# One would guess: 1 December of the host is 1 December in the file, or its instant in UTC, in each writer; a time keeps its seconds.
# What happens: in Jakarta the first three write 30 November, 17:00, the others 1 December. xlsx adds twelve seconds, unless `cellDates` is
# asked for, as the clock of Jakarta was off by them in 1899; in Singapore twenty-five. No cell says which clock it has.
# Why it matters: payments of the first of a month are the last month's to who reads the file, and no time matches the gateway's to the
# second.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet openpyxl==3.1.5 || exit 2
npm install --silent --no-fund --no-audit --no-save exceljs@4.4.0 write-excel-file@4.1.1 excel4node@1.8.2 json-as-xlsx@2.6.4 xlsx@0.18.5 \
  || exit 2
cat >write.mjs <<'JS'
import { createRequire } from 'node:module'
import { writeFileSync } from 'node:fs'
import writeExcelFile from 'write-excel-file/node'

const require = createRequire(import.meta.url)
const folder = process.argv[2]
const times = [new Date(2026, 11, 1), new Date('2026-12-01T10:30:15+08:00')]

const ExcelJS = require('exceljs')
const first = new ExcelJS.Workbook()
first.addWorksheet('paid').addRow(times)
await first.xlsx.writeFile(`${folder}/exceljs.xlsx`)

await (await writeExcelFile([times.map((value) => ({ value, type: Date, format: 'yyyy-mm-dd hh:mm:ss' }))])).toFile(`${folder}/write-excel-file.xlsx`)

const excel4node = require('excel4node')
const third = new excel4node.Workbook()
const sheet = third.addWorksheet('paid')
times.forEach((time, column) => sheet.cell(1, column + 1).date(time))
writeFileSync(`${folder}/excel4node.xlsx`, await third.writeToBuffer())

const XLSX = require('xlsx')
for (const cellDates of [false, true]) {
  const book = XLSX.utils.book_new()
  XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet([times], { cellDates }), 'paid')
  XLSX.writeFile(book, `${folder}/xlsx${cellDates ? ', cellDates' : ''}.xlsx`, { cellDates })
}

const { xlsx } = require('json-as-xlsx')
const columns = ['day', 'time'].map((name) => ({ label: name, value: name }))
const content = [{ day: times[0], time: times[1] }]
writeFileSync(`${folder}/json-as-xlsx.xlsx`, xlsx([{ sheet: 'paid', columns, content }], { writeOptions: { type: 'buffer', bookType: 'xlsx' } }))
JS
cat >run.py <<'PY'
import json
import warnings
from pathlib import Path

import openpyxl

warnings.simplefilter("ignore")
seen = {}
for zone in ("Jakarta", "Singapore"):
    for path in sorted(Path(zone).glob("*.xlsx")):
        rows = list(openpyxl.load_workbook(path).active.iter_rows(values_only=True))
        seen[f"{path.stem} in {zone}"] = ", ".join(time.strftime("%d %H:%M:%S") for time in rows[-1])
print(json.dumps(seen, indent=1))
utc = {"Jakarta": "30 17:00:00, 01 02:30:15", "Singapore": "30 16:00:00, 01 02:30:15"}
host = {"Jakarta": "01 00:00:00, 01 09:30:15", "Singapore": "01 00:00:00, 01 10:30:15"}
late = {"Jakarta": "01 00:00:12, 01 09:30:27", "Singapore": "01 00:00:25, 01 10:30:40"}
kinds = {"exceljs": utc, "write-excel-file": utc, "excel4node": utc, "json-as-xlsx": host, "xlsx, cellDates": host, "xlsx": late}
assert seen == {f"{name} in {zone}": kind[zone] for name, kind in kinds.items() for zone in kind}, "this has changed"
PY
mkdir Jakarta Singapore
TZ=Asia/Jakarta node write.mjs Jakarta
TZ=Asia/Singapore node write.mjs Singapore
venv/bin/python run.py

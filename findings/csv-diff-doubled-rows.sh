#!/usr/bin/env bash
# csv-diff 1.2, csvdiff 0.3.3 and daff 1.4.2, seen on 2026-11-29.
# One would guess: a row that is there twice in one file, and once in the other, is a difference, or an error if it shall be the key.
# What happens: csv-diff and csvdiff say that the files are equal. Of several rows of one key the last counts, also if they say other
# amounts; csv-diff does so with equal rows if no key is given. daff tells of the row.
# Why it matters: an order that was booked or paid twice is just what a comparison of two statements is run for.
# Known to: the audit reports a key that is there twice.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet setuptools==80.9.0 csv-diff==1.2 csvdiff==0.3.3 daff==1.4.2 || exit 2
printf 'id,amount\nORD_1,10.50\nORD_1,10.50\n' >doubled.csv
printf 'id,amount\nORD_1,99.00\nORD_1,10.50\n' >otherwise.csv
printf 'id,amount\nORD_1,10.50\n' >once.csv
cat >run.py <<'PY'
import csv

import csv_diff
import csvdiff
import daff


def told(differences):
    return sorted(name for name, found in differences.items() if found and not name.startswith("_"))


def by_csv_diff(one, other, key):
    return told(csv_diff.compare(*(csv_diff.load_csv(open(name), key=key) for name in (one, other))))


def by_daff(*names):
    flags, out = daff.CompareFlags(), daff.PythonTableView([])
    tables = [daff.PythonTableView(list(csv.reader(open(name)))) for name in names]
    daff.TableDiff(daff.Coopy.compareTables(*tables, flags).align(), flags).hilite(out)
    return [row[0] for row in out.data if row[0] in ("+++", "---", "->")]


seen = {
    "csv-diff": [by_csv_diff("doubled.csv", "once.csv", "id"), by_csv_diff("doubled.csv", "once.csv", None)],
    "csv-diff, other amounts": by_csv_diff("otherwise.csv", "once.csv", "id"),
    "csvdiff": [told(csvdiff.diff_files(name, "once.csv", ["id"])) for name in ("doubled.csv", "otherwise.csv")],
    "daff": by_daff("doubled.csv", "once.csv"),
}
print(seen)
assert seen == {"csv-diff": [[], []], "csv-diff, other amounts": [], "csvdiff": [[], []], "daff": ["---"]}, "this has changed"
PY
venv/bin/python run.py

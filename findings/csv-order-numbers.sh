#!/usr/bin/env bash
# csvkit 2.2.0 (agate 1.14.2) and frictionless 5.21.0, seen on 2026-11-28.
# One would guess: an order number such as 2026_11 is text, and so are 1-2 and 12:30.
# What happens: both read 2026_11 as the number 202611, as Python's int does, so that it equals the order 20_2611. csvkit makes 1-2 the
# 2nd of January 2001 and 12:30 twelve minutes and thirty seconds; frictionless makes 1-2 February of the year 1.
# Why it matters: they are named for checking and cleaning exports before a reconciliation; nothing says that ids were changed.
# Known to: no page of ours. Turn their typing off: `in2csv --no-inference`, or a schema with strings.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet csvkit==2.2.0 agate==1.14.2 frictionless==5.21.0 || exit 2
printf 'order,shop,at\n2026_11,1-2,12:30\n20_2611,3-4,13:45\n' >orders.csv
{
  venv/bin/in2csv orders.csv
  venv/bin/python -W ignore - <<'PY'
from frictionless import Resource

orders = Resource("orders.csv")
orders.infer()
for row in orders.read_rows():
    print(row["order"], row["shop"], row["at"])
PY
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
order,shop,at
202611,2001-01-02,0:12:30
202611,2001-03-04,0:13:45
202611 yearmonth(year=1, month=2) 12:30
202611 yearmonth(year=3, month=4) 13:45
SEEN

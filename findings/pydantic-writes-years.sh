#!/usr/bin/env bash
# pydantic 2.14.4, msgspec 0.23.0, isodate 0.7.2 and luxon 3.7.2, seen on 2026-11-30.
# One would guess: a timedelta of 420 days is written as P420D, as a timedelta knows no years.
# What happens: pydantic writes P1Y55D, of 365 days P1Y, and reads a year as 365 days. Who reads it with a calendar adds a year: from
# 1 January 2028 that is a day more. msgspec writes P420D.
# Why it matters: a subscription, a term of payment or the keeping of records ends a day apart at the two ends, in leap years alone.
# Known to: the gateway has no durations.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pydantic==2.14.4 pydantic-core==2.50.5 typing_extensions==4.16.0 isodate==0.7.2 msgspec==0.23.0 || exit 2
npm install --silent --no-fund --no-audit --no-save luxon@3.7.2 || exit 2
cat >run.py <<'PY'
import datetime
import json
import subprocess

import isodate
import msgspec
from pydantic import TypeAdapter

LUXON = "const { DateTime, Duration } = require('luxon'); console.log(DateTime.fromISO('2028-01-01').plus(Duration.fromISO('{}')).toISODate())"
start, span = datetime.date(2028, 1, 1), datetime.timedelta(days=420)
adapter = TypeAdapter(datetime.timedelta)
text = json.loads(adapter.dump_json(span))
seen = {
    "written": [text, json.loads(adapter.dump_json(datetime.timedelta(days=365))), msgspec.json.decode(msgspec.json.encode(span))],
    "read": adapter.validate_python(text).days,
    "end": [
        str(start + span), str(start + isodate.parse_duration(text)),
        subprocess.check_output(["node", "-e", LUXON.replace("{}", text)], text=True).strip(),
    ],
}
print(seen)
assert seen == {
    "written": ["P1Y55D", "P1Y", "P420D"], "read": 420, "end": ["2029-02-24", "2029-02-25", "2029-02-25"],
}, "this has changed"
PY
venv/bin/python run.py

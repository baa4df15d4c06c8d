#!/usr/bin/env bash
# dateutils 0.4.10 of Debian 12 and python-dateutil 4.0.0, seen on 2026-12-01.
# One would guess: the days beside the months between two dates are fewer than a month has, and at least one where a month is not enough.
# What happens: from the 31st of January to the first of March `datediff -f '%m %d'` says one month and 62 days; from the 31st of March to the
# first of May one month and none. python-dateutil says one month and one day.
# Why it matters: interest by months and days is charged for two months too many, where a loan that began at the end of a month is repaid on the
# first of March.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 dateutils=0.4.10-1 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet python-dateutil==4.0.0 six==1.17.0 || exit 2
cat >run.py <<'PY'
from datetime import date
from subprocess import check_output

from dateutil.relativedelta import relativedelta

seen = {}
for begin, end in (("2026-01-31", "2026-03-01"), ("2026-12-30", "2027-03-01"), ("2026-03-31", "2026-05-01"), ("2026-01-15", "2026-03-01")):
    between = relativedelta(date.fromisoformat(end), date.fromisoformat(begin))
    months = check_output(["usr/bin/dateutils.ddiff", begin, end, "-f", "%m %d"], text=True).strip()
    seen[f"{begin} {end}"] = months, f"{between.months} {between.days}"
print(seen)
assert seen == {
    "2026-01-31 2026-03-01": ("1 62", "1 1"),
    "2026-12-30 2027-03-01": ("2 63", "2 1"),
    "2026-03-31 2026-05-01": ("1 0", "1 1"),
    "2026-01-15 2026-03-01": ("1 14", "1 14"),
}, "this has changed"
PY
venv/bin/python run.py

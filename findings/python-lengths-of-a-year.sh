#!/usr/bin/env bash
# humanfriendly 10.0, durations 0.3.3, timelength 3.0.4, pytimeparse2 1.7.1 and aniso8601 10.0.1, seen on 2026-12-01.
# One would guess: "1 year" is 365 days, or refused because it depends on the date, as humanfriendly refuses months.
# What happens: humanfriendly's year has 364 days, 52 weeks; that of durations has 366, and its month 30.5, as timelength's. timelength takes
# -1d as a day. `1M` is a minute in two of them and a month in the others. aniso8601 takes P1M as 30 days, P0.5M as 15.
# Why it matters: "refundable for 1 year" ends a day early or late, by the library; a list of settings is read otherwise by each service.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet humanfriendly==10.0 durations==0.3.3 timelength==3.0.4 pytimeparse2==1.7.1 aniso8601==10.0.1 || exit 2
venv/bin/python - 2>/dev/null <<'PY'
import aniso8601
from durations import Duration
from humanfriendly import InvalidTimespan, parse_timespan
from pytimeparse2 import parse
from timelength import TimeLength

DAY = 86400


def humanfriendly(text):
    try:
        return parse_timespan(text) / DAY
    except InvalidTimespan:
        return "refused"


libraries = {
    "humanfriendly": humanfriendly,
    "durations": lambda text: Duration(text).to_days(),
    "timelength": lambda text: TimeLength(text).result.seconds / DAY,
    "pytimeparse2": lambda text: parse(text) / DAY,
}
texts = ("1 year", "1 month", "1M", "-1d")
seen = {name: [round(found, 4) if (found := read(text)) != "refused" else found for text in texts] for name, read in libraries.items()}
iso = [str(aniso8601.parse_duration(text)) for text in ("P1M", "P0.5M", "P1Y")]
print(texts, seen, iso)
assert seen == {
    "humanfriendly": [364.0, "refused", 0.0007, "refused"],
    "durations": [366.0, 30.5, 30.5, -1.0],
    "timelength": [365.0, 30.5, 30.5, 1.0],
    "pytimeparse2": [365.0, 30.0, 0.0007, -1.0],
}, "this has changed"
assert iso == ["30 days, 0:00:00", "15 days, 0:00:00", "365 days, 0:00:00"], "this has changed"
PY

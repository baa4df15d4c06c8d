#!/usr/bin/env bash
# systemd-cron 1.15.19 with systemd 252.39 of Debian 12, seen on 2026-12-01.
# One would guess: what takes cron's place runs the lines of a crontab as cron does: `0 9 1 * 1` is the first of a month and each Monday.
# What happens: day of month and day of week must both fit: the line becomes "Mon *-*-1", which is three days of 2027 for 61, and
# `0 9 15,31 * 5` is Friday the 15th or 31st, three days for 69. Neither its manual nor its log says so.
# Why it matters: payouts of "each Friday, and at the middle and the end of the month" stop without an error once cron is replaced.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 systemd-cron=1.15.19-5 systemd=252.39-1~deb12u2 libsystemd-shared=252.39-1~deb12u2 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
printf '0 9 1 * 1 root pay first\n0 9 15,31 * 5 root pay half\n' >crontab
cat >run.py <<'PY'
import datetime
import glob
import importlib.machinery
import importlib.util
import os
import subprocess
import sys

path = os.path.abspath("lib/systemd/system-generators/systemd-crontab-generator")
sys.argv = [path, os.path.abspath(".")]
loader = importlib.machinery.SourceFileLoader("generator", path)
generator = importlib.util.module_from_spec(importlib.util.spec_from_loader("generator", loader))
loader.exec_module(generator)

libraries = ":".join({os.path.dirname(name) for name in glob.glob("**/libsystemd-shared*.so", recursive=True)})


def days_of_2027(schedule):
    """Return how many days of 2027 systemd makes of a schedule."""
    command = ["usr/bin/systemd-analyze", "calendar", "--base-time=2026-12-31 12:00", "--iterations=400", schedule]
    environment = {"LD_LIBRARY_PATH": libraries, "TZ": "UTC", "PATH": "/usr/bin:/bin"}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return sum(" 2027-" in line and "UTC" in line for line in said.splitlines())


DAYS = [datetime.date(2027, 1, 1) + datetime.timedelta(number) for number in range(365)]
seen = {}
generator.TARGET_DIR, generator.TIMERS_DIR = os.path.abspath("."), os.path.abspath("timers")
os.mkdir("timers")
for job in generator.parse_crontab("crontab", withuser=True):
    either = sum(day.day in job["d"] or day.strftime("%a") in job["w"] for day in DAYS)
    generator.generate_timer_unit(job, seq=generator.count())
    (timer,) = glob.glob("*.timer")
    with open(timer) as lines:
        schedule = next(line for line in lines if line.startswith("OnCalendar=")).strip().partition("=")[2]
    os.remove(timer)
    seen[job["l"].partition(" root")[0]] = (schedule, days_of_2027(schedule), either)
for line, said in seen.items():
    print(line, said)
assert seen == {
    "0 9 1 * 1": ("Mon *-*-1 9:0:00", 3, 61),
    "0 9 15,31 * 5": ("Fri *-*-15,31 9:0:00", 3, 69),
}, "this has changed"
PY
"${PYTHON:-python3}" run.py

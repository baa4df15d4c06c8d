#!/usr/bin/env bash
# ice_cube 0.16.4 of Debian 12 and python-dateutil 4.0.0, seen on 2026-11-30.
# One would guess: `from_ical` gives the dates that other readers of the same rule give, or refuses a part that it does not know, as BYWEEKNO.
# What happens: BYSETPOS is left out: the last working day of each month is each working day. A yearly rule of the last Friday has that of the
# start's month, not of the year, and the fifteenth of each month in a yearly rule comes once. A rule of each month from the 31st has the
# 28th of February and the 30th of April, which by RFC 5545 are left out.
# Why it matters: a subscription is charged each day, and on days that the customer's calendar, which has the same rule, does not show.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 ruby3.1=3.1.7+really3.1.2-0+deb12u1 libruby3.1=3.1.7+really3.1.2-0+deb12u1 ruby-ice-cube=0.16.4-3 libyaml-0-2=0.2.5-1 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet python-dateutil==4.0.0 || exit 2
cat >rules <<'RULES'
20260115T100000Z FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1
20260115T100000Z FREQ=YEARLY;BYDAY=-1FR
20260115T100000Z FREQ=YEARLY;BYMONTHDAY=15
20260131T100000Z FREQ=MONTHLY
20260115T100000Z FREQ=MONTHLY;BYMONTHDAY=-1
RULES
cat >run.rb <<'RB'
require 'delegate'
require 'ice_cube'

File.foreach('rules', chomp: true) do |line|
  start, rule = line.split
  puts IceCube::Schedule.from_ical("DTSTART:#{start}\nRRULE:#{rule}").first(4).map { |due| due.to_time.strftime('%F') }.join(' ')
end
begin
  IceCube::Schedule.from_ical("DTSTART:20260115T100000Z\nRRULE:FREQ=YEARLY;BYWEEKNO=1")
rescue ArgumentError
  puts 'BYWEEKNO: refused'
end
RB
cat >run.py <<'PY'
from itertools import islice
from pathlib import Path

from dateutil.rrule import rrulestr

for line in Path("rules").read_text().splitlines():
    start, rule = line.split()
    print(*(due.date() for due in islice(rrulestr(f"DTSTART:{start}\nRRULE:{rule}"), 4)))
PY
libraries="$(echo "$folder"/usr/lib/*-linux-gnu)"
ruby() {
  LD_LIBRARY_PATH="$libraries" RUBYLIB="$folder/usr/lib/ruby/3.1.0:$libraries/ruby/3.1.0:$(echo "$folder"/usr/share/rubygems-integration/all/gems/ice_cube-*/lib)" \
    "$folder/usr/bin/ruby3.1" --disable-gems "$@"
}
ruby -e '' || exit 2
{ ruby run.rb; venv/bin/python run.py; } | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
2026-01-15 2026-01-16 2026-01-19 2026-01-20
2026-01-30 2027-01-29 2028-01-28 2029-01-26
2026-01-15 2027-01-15 2028-01-15 2029-01-15
2026-01-31 2026-02-28 2026-03-31 2026-04-30
2026-01-31 2026-02-28 2026-03-31 2026-04-30
BYWEEKNO: refused
2026-01-30 2026-02-27 2026-03-31 2026-04-30
2026-12-25 2027-12-31 2028-12-29 2029-12-28
2026-01-15 2026-02-15 2026-03-15 2026-04-15
2026-01-31 2026-03-31 2026-05-31 2026-07-31
2026-01-31 2026-02-28 2026-03-31 2026-04-30
SEEN

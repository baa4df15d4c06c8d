#!/usr/bin/env bash
# taskwarrior 2.6.2 of Debian 12, seen on 2026-12-01.
# One would guess: what recurs monthly from the 31st is due at the end of each month, "1mo" is the same as "monthly", and `until` ends it.
# What happens: monthly, and P1M, goes to 28 February and stays on the 28th; "1mo" is 30 days: 2 March, 1 April, 27 December.
# quarterly goes to the 30th, yearly from 29 February to the 28th for good, in leap years too. The last one is due after `until`.
# Why it matters: a rent or a settlement is due on other days than agreed, and once more than agreed.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 taskwarrior=2.6.2+dfsg-1 2>/dev/null || exit 2
dpkg --extract taskwarrior_*.deb .
printf 'data.location=%s/tasks\nconfirmation=no\nrecurrence.limit=13\n' "$folder" >rc
mkdir tasks
dues() {
  rm -f tasks/*
  usr/bin/task rc:rc add "$1" due:"$2" recur:"$1" until:"$3" >/dev/null 2>&1
  usr/bin/task rc:rc list >/dev/null 2>&1
  echo "$1:" "$(usr/bin/task rc:rc status:pending export 2>/dev/null | grep -o '"due":"[0-9]*' | grep -o '[0-9]*' | sort | tr '\n' ' ')"
}
export TZ=UTC
{
  dues monthly 2031-01-31 2031-06-30
  dues P1M 2031-01-31 2031-06-30
  dues 1mo 2031-01-31 2031-12-31
  dues quarterly 2031-01-31 2031-12-31
  dues yearly 2032-02-29 2037-01-01
} | tee seen
[ "$(sed 's/ $//' seen)" = "monthly: 20310131 20310228 20310328 20310428 20310528 20310628 20310728
P1M: 20310131 20310228 20310328 20310428 20310528 20310628 20310728
1mo: 20310131 20310302 20310401 20310501 20310531 20310630 20310730 20310829 20310928 20311028 20311127 20311227 20320126
quarterly: 20310131 20310430 20310730 20311030 20320130
yearly: 20320229 20330228 20340228 20350228 20360228 20370228" ]

#!/usr/bin/env bash
# Nushell 0.115.1 of npm, seen on 2026-11-30.
# One would guess: `into int` refuses twenty digits; 00123 in a CSV is text, as 1_000 is; a month without a day is refused as a date.
# What happens: each text of twenty digits is 9223372036854775807, and no word is said; 00123 is 123. `"2026-01" | into datetime` is that
# month with the day of today.
# Why it matters: orders of a day are one when they are grouped or joined by number; a report of a month begins where it is run.
# Known to: our ledgers and the audit keep ids as text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save nushell@0.115.1 || exit 2
nu() { node_modules/.bin/nu --no-config-file --no-std-lib --commands "$1"; }
export TZ=UTC
seen="$(nu '"20261129000000000001" | into int')
$(nu '"20261129000000000002" | into int')
$(nu '"order,other\n00123,1_000\n" | from csv | to json --raw')
$(nu '"2026-01" | into datetime | format date "%Y-%m-%d"')"
echo "$seen"
expected='9223372036854775807
9223372036854775807
[{"order":123,"other":"1_000"}]
2026-01-'"$(date +%d)"
[ "$seen" = "$expected" ] || { echo "this has changed"; exit 1; }

#!/usr/bin/env bash
# jo 1.9 of Debian 12, seen on 2026-11-30.
# One would guess: what is no number of JSON is text, and a number keeps its digits: 00123 is "00123", 0x1F is "0x1F", twenty digits stay.
# What happens: 00123 is 123, 0x1F is 31, 20261129000000000001 is 2.0261129e+19 and 10.50 is 10.5; with `-s` in front each is text.
# Why it matters: a script that asks the gateway with curl asks for another order; all long ids of a day are one number.
# Known to: the SDK's ids are texts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 jo=1.9-1 2>/dev/null || exit 2
dpkg --extract jo_*.deb .
seen="$(usr/bin/jo order=00123 code=0x1F id=20261129000000000001 amount=10.50)
$(usr/bin/jo -- -s order=00123 -s id=20261129000000000001 -s amount=10.50)"
echo "$seen"
expected='{"order":123,"code":31,"id":2.0261129e+19,"amount":10.5}
{"order":"00123","id":"20261129000000000001","amount":"10.50"}'
[ "$seen" = "$expected" ] || { echo "this has changed"; exit 1; }

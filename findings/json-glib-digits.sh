#!/usr/bin/env bash
# json-glib-tools 1.6.6 and jshon 20131010 of Debian 12, seen on 2026-11-30.
# One would guess: a tool that puts JSON into another layout keeps its numbers, as json_reformat does, or refuses those that it cannot hold.
# What happens: json-glib-format writes 19.989999999999998 for 19.99, and another number for 8,504 of the 9,999 amounts below 100. Each id of
# twenty digits is -1, 9223372036854775808 is negative; json-glib-validate calls both valid. jshon writes amounts likewise, but refuses such
# an id.
# Why it matters: a body that was only made readable has other amounts, its signature fails, and all long ids of a day are one number.
# Known to: docs/signatures.md: the receiver verifies the bytes that came.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 json-glib-tools=1.6.6-1 libjson-glib-1.0-0=1.6.6-1 jshon=20131010-3+b1 libjansson4=2.14-2 yajl-tools=2.1.0-3+deb12u2 libyajl2=2.1.0-3+deb12u2 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
run() { LD_LIBRARY_PATH="$(echo usr/lib/*-linux-gnu)" "usr/bin/$@"; }
run json-glib-format --help >/dev/null || exit 2
echo '{"amount":19.99,"paid":10.50,"id":20261129000000000001,"old":9223372036854775808}' >order.json
echo '{"amount":19.99,"paid":10.50}' >amounts.json
python3 -c 'print([cents / 100 for cents in range(1, 10000)])' >below.json
{
  run json-glib-validate order.json && echo valid
  run json-glib-format order.json
  run jshon -S <amounts.json | tr -d ' \n'; echo
  run json_reformat -m <order.json; echo
  run json-glib-format below.json >written.json
  python3 -c 'import json; print(sum(str(cents / 100) != text for cents, text in enumerate(open("written.json").read().strip("[]\n").split(","), 1)))'
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
valid
{"amount":19.989999999999998,"paid":10.5,"id":-1,"old":-9223372036854775808}
{"amount":19.989999999999998,"paid":10.5}
{"amount":19.99,"paid":10.50,"id":20261129000000000001,"old":9223372036854775808}
8504
SEEN

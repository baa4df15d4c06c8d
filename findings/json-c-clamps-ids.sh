#!/usr/bin/env bash
# json-c 0.16 and libfastjson 1.2304.0 of Debian 12, seen on 2026-12-01.
# One would guess: a whole number of twenty digits is refused or becomes a double; decimals are doubles.
# What happens: it is the largest number of 64 bits: 20261129000000000001 is 18446744073709551615, in libfastjson 9223372036854775807. Decimals
# keep their digits when they are written, but are compared as doubles: objects that differ by a cent at 12345678901234567.89 are equal.
# Why it matters: what relays or stores bodies with them, as rsyslog does, gives all long orders one number, and `json_object_equal` agrees.
# Known to: the SDK's ids are texts; the audit compares texts and Decimals.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 libjson-c5=0.16-2 libfastjson4=1.2304.0-1 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
python3 - <<'PY'
from ctypes import CDLL, c_char_p, c_int, c_void_p
from pathlib import Path


def functions(library, prefix):
    loaded = CDLL(str(next(Path.cwd().glob(f"usr/lib/*/{library}"))))
    parse, write = loaded[f"{prefix}_tokener_parse"], loaded[f"{prefix}_object_to_json_string_ext"]
    parse.argtypes, parse.restype = [c_char_p], c_void_p
    write.argtypes, write.restype = [c_void_p, c_int], c_char_p
    return loaded, parse, write


body = b'{"amount":10.50,"long":12345678901234567.89,"order":20261129000000000001}'
seen = {}
for library, prefix in (("libjson-c.so.5", "json"), ("libfastjson.so.4", "fjson")):
    loaded, parse, write = functions(library, prefix)
    seen[library] = write(parse(body), 0).decode()
loaded, parse, _ = functions("libjson-c.so.5", "json")
equal = loaded.json_object_equal
equal.argtypes, equal.restype = [c_void_p, c_void_p], c_int
pairs = ((b"20261129000000000001", b"20261129000000000002"), (b"12345678901234567.89", b"12345678901234567.88"), (b"10", b"10.0"))
seen["equal"] = [bool(equal(parse(first), parse(second))) for first, second in pairs]
print(seen)
assert seen == {
    "libjson-c.so.5": '{"amount":10.50,"long":12345678901234567.89,"order":18446744073709551615}',
    "libfastjson.so.4": '{"amount":10.50,"long":12345678901234567.89,"order":9223372036854775807}',
    "equal": [True, True, False],
}, "this has changed"
PY

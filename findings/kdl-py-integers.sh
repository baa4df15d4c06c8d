#!/usr/bin/env bash
# kdl-py 1.2.0 and ckdl 1.0, seen on 2026-11-30.
# One would guess: 5 is an int, and a whole number of a document keeps its digits, all the more if it says (i64), as in ckdl.
# What happens: each whole number is a float, 5 is 5.0: 9007199254740993 is 9007199254740992.0, with (i64) the int 9007199254740992; written
# back it is that number. Hexadecimal ones are ints. With nativeUntaggedValues=False, and in kdlreformat, the digits stay.
# Why it matters: an order's number from a file of settings is another order's.
# Known to: the SDK's ids are texts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet kdl-py==1.2.0 ckdl==1.0 || exit 2
cat >run.py <<'PY'
import ckdl
import kdl

TEXTS = ["order 5", "order 9007199254740993", "order (i64)9007199254740993", "order 0x20000000000001"]


def first(document):
    value = document.nodes[0].args[0]
    return repr(getattr(value, "value", value))


seen = [(first(kdl.parse(text)), str(kdl.parse(text)).strip(), first(ckdl.parse(text))) for text in TEXTS]
print(*seen, sep="\n")
assert seen == [
    ("5.0", "order 5.0", "5"),
    ("9007199254740992.0", "order 9007199254740992.0", "9007199254740993"),
    ("9007199254740992", "order 9007199254740992", "9007199254740993"),
    ("9007199254740993", "order 9007199254740993", "9007199254740993"),
], "this has changed"
kept = kdl.parse(TEXTS[1], kdl.ParseConfig(nativeUntaggedValues=False))
assert str(kept).strip() == TEXTS[1], "this has changed"
PY
venv/bin/python run.py

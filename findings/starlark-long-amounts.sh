#!/usr/bin/env bash
# starlark-pyo3 2026.1.3, seen on 2026-11-30.
# One would guess: str() of a number in Starlark is a text that gives the number back, as in Python, whose syntax and functions it has.
# What happens: seven digits: str(1234567.89), repr, "{}".format and "%s" are 1.234568e+06, which is read as 1234568.0; 1234567.89 and
# 1234568.1 are one text. json.encode and what Python gets have all digits.
# Why it matters: rules and settings are written in Starlark; a text, a key or a log line that they make of an amount has other money in it.
# Known to: the SDK computes with Decimal.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet starlark-pyo3==2026.1.3 || exit 2
cat >run.py <<'PY'
import starlark

library = starlark.Globals.extended_by([starlark.LibraryExtension.Json])
asked = [
    "1234567.89", "str(1234567.89)", "repr(1234567.89)", '"{}".format(1234567.89)', '"%s" % 1234567.89', "float(str(1234567.89))",
    "str(1234567.89) == str(1234568.1)", "json.encode(1234567.89)",
]
seen = [starlark.eval(starlark.Module(), starlark.parse("rules", text), library) for text in asked]
print(*zip(asked, seen), sep="\n")
assert seen == [1234567.89, *["1.234568e+06"] * 4, 1234568.0, True, "1234567.89"], "this has changed"
PY
venv/bin/python run.py

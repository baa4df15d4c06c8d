#!/usr/bin/env bash
# fluent.runtime 0.4.0 (babel 2.19.0), seen on 2026-12-01.
# One would guess: a message that chooses by number, `{ $n -> [0] ... [1] ... *[other] ... }`, chooses for Decimal('1') as for 1.
# What happens: Decimal is formatted as a number, exactly to the last digit, but never chosen by: 0 and 1 as Decimal fall to the default;
# as int and float they do not. No error is reported.
# Why it matters: SDKs that keep money and counts exact give Decimals: "1 refunds are open", and "0 left" where the text says "nothing".
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet fluent-runtime==0.4.0 fluent-syntax==0.19.0 babel==2.19.0 || exit 2
venv/bin/python - <<'PY'
from decimal import Decimal

from fluent.runtime import FluentBundle, FluentResource

TEXT = """
open = { $left ->
    [0] nothing
    [one] one
   *[other] many: { $left }
 }
"""
bundle = FluentBundle(["en-US"], use_isolating=False)
bundle.add_resource(FluentResource(TEXT))
values = (0, 1, 1.0, 2, Decimal(0), Decimal(1), Decimal("12345678901234567.89"))
seen = {repr(value): bundle.format_pattern(bundle.get_message("open").value, {"left": value}) for value in values}
print(seen)
assert seen == {
    "0": ("nothing", []),
    "1": ("one", []),
    "1.0": ("one", []),
    "2": ("many: 2", []),
    "Decimal('0')": ("many: 0", []),
    "Decimal('1')": ("many: 1", []),
    "Decimal('12345678901234567.89')": ("many: 12,345,678,901,234,567.89", []),
}, "this has changed"
PY

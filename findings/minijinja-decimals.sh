#!/usr/bin/env bash
# minijinja 3.0.5 beside Jinja2 3.1.6, seen on 2026-11-29.
# One would guess: a Decimal is printed and rounded as in Jinja2, whose templates it runs, or it is refused.
# What happens: it is a float: 10.50 is 10.5, 100.00 is 100.0, 12345678901234567.89 is 12345678901234568.0, `tojson` writes 10.5. The Decimal
# 10.505 rounded to two is 10.51, in Jinja2 10.50. `a + b` prints 10.51 in both, so that a glance shows nothing.
# Why it matters: an invoice says 10.5 and another sum than the ledger; code that is generated from amounts has other digits.
# Known to: the generator uses Jinja2, and its templates have no amounts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet minijinja==3.0.5 jinja2==3.1.6 || exit 2
cat >run.py <<'PY'
from decimal import Decimal

import jinja2
import minijinja

values = {"a": Decimal("10.50"), "b": Decimal("0.01"), "long": Decimal("12345678901234567.89"), "fee": Decimal("10.505")}
templates = ("{{ a }}", "{{ long }}", "{{ a * 2 }}", "{{ a + b }}", "{{ fee|round(2) }}", "{{ a ~ ' USD' }}")
engines = {"minijinja": minijinja.Environment().render_str, "jinja2": lambda text, **values: jinja2.Template(text).render(**values)}
seen = {name: [render(text, **values) for text in templates] for name, render in engines.items()}
print(seen)
assert seen == {
    "minijinja": ["10.5", "12345678901234568.0", "21.0", "10.51", "10.51", "10.5 USD"],
    "jinja2": ["10.50", "12345678901234567.89", "21.00", "10.51", "10.50", "10.50 USD"],
}, "this has changed"
assert engines["minijinja"]("{{ a|tojson }}", **values) == "10.5", "this has changed"
PY
venv/bin/python run.py

#!/usr/bin/env bash
# Django 5.2.19 on SQLite, seen on 2026-11-29.
# One would guess: a DecimalField of two decimals stores two, or refuses 10.505; what a row shows is what Sum adds; digits are kept.
# What happens: `create()` stores 10.505. The row shows 10.50, and Sum adds 10.505. Of an amount the first 15 digits are kept:
# 12345678901234567.89 is 12345678901234600.00, and a filter for .88 finds it.
# Why it matters: three rows of 10.50 sum to 31.515; only `full_clean()` notices.
# Known to: our samples store text.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet django==5.2.19 || exit 2
cat >run.py <<'PY'
from decimal import Decimal

import django
from django.conf import settings
from django.db import connection, models

database = {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}
settings.configure(DATABASES={"default": database}, DEFAULT_AUTO_FIELD="django.db.models.BigAutoField")
django.setup()


class Order(models.Model):
    amount = models.DecimalField(max_digits=20, decimal_places=2)

    class Meta:
        app_label = "shop"


with connection.schema_editor() as editor:
    editor.create_model(Order)
for _ in range(3):
    Order.objects.create(amount=Decimal("10.505"))
seen = [*Order.objects.values_list("amount", flat=True), Order.objects.aggregate(total=models.Sum("amount"))["total"]]
Order.objects.all().delete()
Order.objects.create(amount=Decimal("12345678901234567.89"))
seen.append(Order.objects.get(amount=Decimal("12345678901234567.88")).amount)
print(*seen)
assert [*map(str, seen)] == 3 * ["10.50"] + ["31.5150000000000", "12345678901234600.00"], "this has changed"
PY
venv/bin/python run.py

#!/usr/bin/env bash
# django-auditlog 3.4.1 with Django 5.2.19, seen on 2026-12-01.
# One would guess: each `save()` of a registered model is in its log, with the old and the new amount; only bulk statements are not.
# What happens: an object that is made with the key of a row and saved over it, Order(pk="A-1", amount=60).save(), changes it, and is in
# the log neither as made nor as changed. amount = F("amount") + 1 is logged as the text "F(amount) + Value(1)", and the amount that it gave
# nowhere: the next entry begins with it. 11.5 saved over 11.50 is a change.
# Why it matters: the trail of an order's amount has gaps, where a handler of webhooks saves by the number, or a counter is added to.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet django-auditlog==3.4.1 django==5.2.19 || exit 2
venv/bin/python - <<'PY'
from decimal import Decimal

import django
from django.conf import settings

settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "auditlog"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    USE_TZ=True,
    SECRET_KEY="log",
)
django.setup()

from auditlog.models import LogEntry
from auditlog.registry import auditlog
from django.core.management import call_command
from django.db import connection, models


class Order(models.Model):
    number = models.CharField(max_length=9, primary_key=True)
    amount = models.DecimalField(max_digits=12, decimal_places=2)

    class Meta:
        app_label = "shop"


call_command("migrate", verbosity=0)
auditlog.register(Order)
with connection.schema_editor() as schema:
    schema.create_model(Order)
seen = []


def look(what):
    """Note what has come into the log since the last look, and the amount that the table has."""
    logged = [entry.changes["amount"] for entry in LogEntry.objects.order_by("id")]
    seen.append((what, logged[sum(len(entries) for _, entries, _ in seen) :], str(Order.objects.get().amount)))


order = Order.objects.create(number="A-1", amount=Decimal("10.50"))
look("made")
order.amount = models.F("amount") + 1
order.save()
look("added to")
order = Order.objects.get()
order.amount = Decimal("11.5")
order.save()
look("the same")
Order(number="A-1", amount=Decimal("60.00")).save()
look("by its number")
order = Order.objects.get()
order.amount = Decimal("61.00")
order.save()
look("read and changed")
for entry in seen:
    print(*entry)
assert seen == [
    ("made", [["None", "10.50"]], "10.50"),
    ("added to", [["10.50", "F(amount) + Value(1)"]], "11.50"),
    ("the same", [["11.50", "11.5"]], "11.50"),
    ("by its number", [], "60.00"),
    ("read and changed", [["60.00", "61.00"]], "61.00"),
], "this has changed"
PY

#!/usr/bin/env bash
# django-money 3.6.2 with Django 5.2.19 and py-moneyed 3.0, seen on 2026-12-01.
# One would guess: a MoneyField is amount and currency in one: whoever writes or compares it has both, or an error, as arithmetic of two
# currencies is one.
# What happens: `bulk_update(orders, ["amount"])`, `save(update_fields=["amount"])` and an upsert write the amount alone: 1500 yen are 1500
# dollars. `update(amount=F("amount") + Money(5, "JPY"))` adds five to dollars, a range of yen finds dollars, a Sum adds both. `update` of a
# Money, `amount__gt` and `save` of an F keep the currency, or refuse.
# Why it matters: a correction of many orders in one statement changes their currency, and no row looks wrong.
# Known to: the SDK has amount and currency as two values, each of which is signed.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet django-money==3.6.2 django==5.2.19 py-moneyed==3.0 || exit 2
venv/bin/python - <<'PY'
import django
from django.conf import settings

settings.configure(
    INSTALLED_APPS=["djmoney"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
)
django.setup()

from django.core.exceptions import ValidationError
from django.db import connection, models
from django.db.models import F, Sum
from djmoney.models.fields import MoneyField
from djmoney.money import Money


class Order(models.Model):
    amount = MoneyField(max_digits=14, decimal_places=2, default_currency="USD")

    class Meta:
        app_label = "shop"


with connection.schema_editor() as schema:
    schema.create_model(Order)
yen = Money(1500, "JPY")


def after(change):
    order = Order.objects.create(amount=Money(10, "USD"))
    try:
        change(order)
    except ValidationError:
        return "refused"
    stored = Order.objects.get(pk=order.pk).amount
    return f"{stored.amount} {stored.currency}"


def in_bulk(order):
    order.amount = yen
    Order.objects.bulk_update([order], ["amount"])


def of_fields(order):
    order.amount = yen
    order.save(update_fields=["amount"])


def upsert(order):
    row = Order(pk=order.pk, amount=yen)
    Order.objects.bulk_create([row], update_conflicts=True, unique_fields=["id"], update_fields=["amount"])


def saved_sum(order):
    order.amount = F("amount") + Money(5, "JPY")
    order.save()


seen = {
    "bulk_update": after(in_bulk),
    "update_fields": after(of_fields),
    "upsert": after(upsert),
    "update": after(lambda order: Order.objects.filter(pk=order.pk).update(amount=yen)),
    "update of F": after(lambda order: Order.objects.filter(pk=order.pk).update(amount=F("amount") + Money(5, "JPY"))),
    "save of F": after(saved_sum),
}
Order.objects.all().delete()
Order.objects.create(amount=Money(10, "USD"))
Order.objects.create(amount=yen)
few, many = Money(5, "JPY"), Money(20, "JPY")
seen["range"] = [str(order.amount.currency) for order in Order.objects.filter(amount__range=(few, many))]
seen["gt"] = [str(order.amount.currency) for order in Order.objects.filter(amount__gt=few)]
seen["sum"] = str(Order.objects.aggregate(total=Sum("amount"))["total"])
for what, said in seen.items():
    print(what, said)
assert seen == {
    "bulk_update": "1500.00 USD",
    "update_fields": "1500.00 USD",
    "upsert": "1500.00 USD",
    "update": "1500.00 JPY",
    "update of F": "15.00 USD",
    "save of F": "refused",
    "range": ["USD"],
    "gt": ["JPY"],
    "sum": "1510",
}, "this has changed"
PY

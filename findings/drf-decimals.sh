#!/usr/bin/env bash
# djangorestframework 3.18.3 on Django 5.2.19, seen on 2026-11-28.
# One would guess: a Decimal in a Response is written as text, as Django's own encoder and REST framework's DecimalField write it.
# What happens: it is made a float: 10.50 is 10.5, and 123456789012345678.91 is 1.2345678901234568e+17. The same amount through a
# serializer's DecimalField is "10.50".
# Why it matters: one API gives an amount as text or as a number by the way the view was written, and large ones lose their end.
# Known to: the adapter for Django answers with bytes of the receiver's own, and reads them raw.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet django==5.2.19 djangorestframework==3.18.3 || exit 2
venv/bin/python - <<'PY'
from decimal import Decimal

import django
from django.conf import settings
from django.http import JsonResponse

settings.configure()
django.setup()
from rest_framework import renderers, serializers


class Paid(serializers.Serializer):
    amount = serializers.DecimalField(max_digits=30, decimal_places=2)


seen = {}
for text in ("10.50", "123456789012345678.91"):
    paid = {"amount": Decimal(text)}
    written = (JsonResponse(paid).content, renderers.JSONRenderer().render(paid), renderers.JSONRenderer().render(Paid(paid).data))
    seen[text] = [content.decode().replace(" ", "") for content in written]
print(seen)
assert seen == {
    "10.50": ['{"amount":"10.50"}', '{"amount":10.5}', '{"amount":"10.50"}'],
    "123456789012345678.91": [
        '{"amount":"123456789012345678.91"}',
        '{"amount":1.2345678901234568e+17}',
        '{"amount":"123456789012345678.91"}',
    ],
}, "this has changed"
PY

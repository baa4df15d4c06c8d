#!/usr/bin/env bash
# mashumaro 3.23, apischema 0.19.0, dataclasses-json 0.6.7 and serpyco-rs 1.23.0, seen on 2026-11-29.
# One would guess: a field of type Decimal takes the JSON number 10.1 as 10.1, and is written with its digits.
# What happens: for mashumaro, apischema and dataclasses-json it is 10.0999999999999996447286321199499070644378662109375; apischema writes
# 12345678901234567.89 as 1.2345678901234568e+16, and refuses text. mashumaro reads 10.5 in a field `int | str` as 10. serpyco-rs gives 10.1.
# Why it matters: such an amount is no amount of two decimals any more, and equals no other; or its cents are gone without a word.
# Known to: the SDK's dataclasses read the digits that were sent.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet mashumaro==3.23 apischema==0.19.0 dataclasses-json==0.6.7 serpyco-rs==1.23.0 || exit 2
cat >run.py <<'PY'
from dataclasses import dataclass
from decimal import Decimal

import apischema
import serpyco_rs
from dataclasses_json import DataClassJsonMixin
from mashumaro.mixins.json import DataClassJSONMixin


@dataclass
class Order(DataClassJSONMixin):
    amount: Decimal
    label: int | str = ""


@dataclass
class Other(DataClassJsonMixin):
    amount: Decimal


@dataclass
class Plain:
    amount: Decimal


BODY = '{"amount": 10.1}'
seen = {
    "mashumaro": Order.from_json(BODY).amount,
    "mashumaro, int | str": Order.from_dict({"amount": "10.50", "label": 10.5}).label,
    "dataclasses-json": Other.from_json(BODY).amount,
    "apischema": apischema.deserialize(Plain, {"amount": 10.1}).amount,
    "apischema writes": apischema.serialize(Plain(Decimal("12345678901234567.89"))),
    "serpyco-rs": serpyco_rs.Serializer(Plain).load({"amount": 10.1}).amount,
}
try:
    apischema.deserialize(Plain, {"amount": "10.50"})
except apischema.ValidationError as refused:
    seen["apischema, text"] = refused.errors[0]["err"]
for name, what in seen.items():
    print(name, what)
assert seen == {
    "mashumaro": Decimal(10.1),
    "mashumaro, int | str": 10,
    "dataclasses-json": Decimal(10.1),
    "apischema": Decimal(10.1),
    "apischema writes": {"amount": 1.2345678901234568e16},
    "serpyco-rs": Decimal("10.1"),
    "apischema, text": "expected type number, found string",
}, "this has changed"
PY
venv/bin/python run.py

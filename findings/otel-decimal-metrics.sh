#!/usr/bin/env bash
# opentelemetry-sdk 1.45.2, seen on 2026-11-28.
# One would guess: an instrument refuses a Decimal, or takes it as a number; in no case does a metric raise into the program that it
# measures, as OpenTelemetry promises for its whole API.
# What happens: Decimals are added up as Decimals, and exported as doubles. But the first float that reaches the same counter or
# histogram after a Decimal, or the first Decimal after a float, raises TypeError out of `add` or `record`.
# Why it matters: a counter of amounts, fed with Decimal in one place and with a float in another, ends the handler of a payment
# after its effect, or the call after its answer. Give `float(amount)` to every instrument.
# Known to: docs/watching.md: the metrics of this package have counts and seconds alone, no amounts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps opentelemetry-sdk==1.45.2 opentelemetry-api==1.45.2 opentelemetry-semantic-conventions==0.66b2 typing_extensions==4.16.0 || exit 2
venv/bin/python -W ignore - <<'PY'
from decimal import Decimal

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader


def fed(kind: str, *values: object) -> list[str]:
    meter = MeterProvider(metric_readers=[InMemoryMetricReader()]).get_meter("shop")
    instrument = getattr(meter, f"create_{kind}")("amount")
    heard = []
    for value in values:
        try:
            (instrument.add if kind == "counter" else instrument.record)(value)
            heard.append("taken")
        except Exception as error:
            heard.append(type(error).__name__)
    return heard


seen = {
    f"{kind}, {first!r} then {second!r}": fed(kind, first, second)
    for kind in ("counter", "histogram")
    for first, second in ((Decimal("10.10"), Decimal("0.20")), (Decimal("10.10"), 0.2), (0.2, Decimal("10.10")))
}
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    "counter, Decimal('10.10') then Decimal('0.20')": ['taken', 'taken'],
    "counter, Decimal('10.10') then 0.2": ['taken', 'TypeError'],
    "counter, 0.2 then Decimal('10.10')": ['taken', 'TypeError'],
    "histogram, Decimal('10.10') then Decimal('0.20')": ['taken', 'taken'],
    "histogram, Decimal('10.10') then 0.2": ['taken', 'TypeError'],
    "histogram, 0.2 then Decimal('10.10')": ['taken', 'TypeError'],
}, "this has changed"
PY

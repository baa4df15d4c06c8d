#!/usr/bin/env bash
# asn1tools 0.169.0, seen on 2026-12-01.
# One would guess: an amount beyond INTEGER (0..9999) is refused when it is written, in each encoding.
# What happens: nothing is checked unless `check_constraints` is given: most write 26050 as it is, UPER keeps the bits that the bounds need
# and writes 9666; with (0..65535) PER and UPER write 65536 as 0. There is no error: a receiver has a valid smaller amount. A time in PER loses
# its +08:00 and comes back without a zone, in the hours of UTC.
# Why it matters: the amounts of a card's or a gateway's messages that are too large become small ones, and pass each later check.
# Known to: the SDK checks the bounds of its contract before it writes.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet asn1tools==0.169.0 || exit 2
venv/bin/python - <<'PY'
from datetime import datetime, timedelta, timezone

import asn1tools

SOURCE = """Pay DEFINITIONS AUTOMATIC TAGS ::= BEGIN
Payment ::= SEQUENCE { amount INTEGER (0..%d), at GeneralizedTime } END"""
AT = datetime(2026, 12, 1, 12, tzinfo=timezone(timedelta(hours=8)))


def through(codec, amount, bound=9999, **options):
    schema = asn1tools.compile_string(SOURCE % bound, codec)
    try:
        return schema.decode("Payment", schema.encode("Payment", {"amount": amount, "at": AT}, **options))
    except asn1tools.ConstraintsError:
        return {"amount": "refused"}


seen = {codec: through(codec, 26050)["amount"] for codec in ("der", "jer", "per", "oer", "uper")}
seen["65536"] = {codec: through(codec, 65536, 65535)["amount"] for codec in ("der", "per", "uper")}
seen["checked"] = through("uper", 26050, check_constraints=True)["amount"]
seen["times"] = {codec: through(codec, 1)["at"].isoformat() for codec in ("jer", "per")}
print(seen)
assert seen == {
    **{"der": 26050, "jer": 26050, "per": 26050, "oer": 26050, "uper": 9666},
    "65536": {"der": 65536, "per": 0, "uper": 0},
    "checked": "refused",
    "times": {"jer": "2026-12-01T12:00:00+08:00", "per": "2026-12-01T04:00:00"},
}, "this has changed"
PY

#!/usr/bin/env bash
# uuid7 0.1.0, uuid-utils 1.2.0 and uuid6 2025.0.1 of PyPI, seen on 2026-11-30.
# One would guess: three packages that make UUIDs of version 7 make them alike, so that keys sort by time whichever made them.
# What happens: uuid7 follows a draft of 2021, with seconds in the first 36 bits, and yet gives version and variant of RFC 9562, whose readers
# find another time in it: an id of 2026-11-30 is of 2203. It sorts after every id that the other two make until then; its own reader finds
# 1983 in theirs.
# Why it matters: orders that are partitioned, purged or paged by the time of their ids land in the wrong partition, are never purged, or are
# left out of pages, once a service makes ids with another package than its neighbour.
# Known to: keys are the merchant's own; the SDK reads no time in them.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet uuid7==0.1.0 uuid-utils==1.2.0 uuid6==2025.0.1 || exit 2
venv/bin/python - <<'PY'
import datetime
import uuid

import uuid6
import uuid_extensions
import uuid_utils

AT = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.timezone.utc)


def read(number: uuid.UUID) -> datetime.datetime:
    """The time of an id of version 7 by RFC 9562: its first 48 bits are milliseconds since 1970."""
    assert (number.version, number.variant) == (7, uuid.RFC_4122)
    return datetime.datetime.fromtimestamp((number.int >> 80) / 1000, datetime.timezone.utc)


draft = uuid_extensions.uuid7(int(AT.timestamp()) * 10**9)
print("uuid7", draft, "is read as", read(draft))
assert read(draft).year == 2203, "this has changed"
for module in (uuid_utils, uuid6):
    made = uuid.UUID(str(module.uuid7()))
    foreign = uuid_extensions.uuid_to_datetime(made)
    print(module.__name__, made, "is read as", read(made), "and by uuid7 as", foreign)
    assert abs(read(made) - datetime.datetime.now(datetime.timezone.utc)) < datetime.timedelta(minutes=1)
    assert draft > made and foreign.year < 2000, "this has changed"
PY

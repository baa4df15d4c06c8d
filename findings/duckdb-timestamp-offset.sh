#!/usr/bin/env bash
# duckdb 2.0.1, seen on 2026-11-28.
# One would guess: a text with an offset that is cast to TIMESTAMP is converted, or refused: 12:00+08:00 is 04:00, the same instant.
# What happens: the offset is dropped, and 12:00 remains; with TIMESTAMPTZ it is 04:00 in UTC. Inferred from CSV or JSON, such a
# column is TIMESTAMPTZ.
# Why it matters: the times of captured traffic and of notifications (`notifyTime` has an offset) move by hours, and what came
# late seems to have come early.
# Known to: docs/audit.md, "Tables".
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet --no-deps duckdb==2.0.1 pytz==2026.6 || exit 2
venv/bin/python -W ignore - <<'PY'
import duckdb

(row,) = duckdb.sql("""
    SELECT '2025-06-01T12:00:00.000+08:00'::TIMESTAMP::VARCHAR, TIMESTAMP '2025-06-01 12:00:00+08'::VARCHAR,
        epoch_ms('2025-06-01T12:00:00.000+08:00'::TIMESTAMPTZ) = 1748750400000
""").fetchall()
seen = dict(zip(("cast to TIMESTAMP", "literal of TIMESTAMP", "TIMESTAMPTZ is the instant"), row, strict=True))
for what, result in seen.items():
    print(f"{what}: {result!r}")
assert seen == {
    'cast to TIMESTAMP': '2025-06-01 12:00:00',
    'literal of TIMESTAMP': '2025-06-01 12:00:00',
    'TIMESTAMPTZ is the instant': True,
}, "this has changed"
PY

#!/usr/bin/env bash
# svix 2.9.1 and standardwebhooks 1.1.0 of Python, seen on 2026-11-30.
# One would guess: `sign(id, time, body)` takes a datetime with its offset as the instant that it is.
# What happens: the hours and minutes are signed as if they were UTC: at 18:00+08:00 a time eight hours ahead, which nobody's `verify` takes
# beside the true header; the naive `datetime.now()` of a host that is not at UTC as well.
# Why it matters: a sender's tests pass on a machine at UTC, and the receiver refuses each webhook of a shop that works in its own zone.
# Known to: our gateway signs the body alone; the sandbox sends its webhooks.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet svix==2.9.1 standardwebhooks==1.1.0 httpx==0.28.1 pydantic==2.14.4 attrs==26.1.0 || exit 2
cat >run.py <<'PY'
import datetime
import os
import time

import standardwebhooks.webhooks
import svix.webhooks

os.environ["TZ"] = "Asia/Singapore"
time.tzset()
now = datetime.datetime.now(datetime.timezone.utc)
TIMES = {
    "UTC": now, "+08:00": now.astimezone(datetime.timezone(datetime.timedelta(hours=8))),
    "naive": now.astimezone().replace(tzinfo=None),
}
BODY = '{"amount":"10.50"}'
seen = {}
for prefix, webhook in (("svix", svix.webhooks.Webhook("whsec_MDEyMzQ1Njc4OWFiY2RlZg==")),
                        ("webhook", standardwebhooks.webhooks.Webhook("whsec_MDEyMzQ1Njc4OWFiY2RlZg=="))):
    for name, at in TIMES.items():
        headers = {f"{prefix}-id": "msg_1", f"{prefix}-timestamp": str(int(now.timestamp()))}
        headers[f"{prefix}-signature"] = webhook.sign("msg_1", at, BODY)
        try:
            webhook.verify(BODY, headers)
            seen[prefix, name] = "verified"
        except (svix.webhooks.WebhookVerificationError, standardwebhooks.webhooks.WebhookVerificationError) as error:
            seen[prefix, name] = str(error)
for case in seen.items():
    print(*case)
none = "No matching signature found"
assert seen == {
    (prefix, name): result for prefix in ("svix", "webhook")
    for name, result in (("UTC", "verified"), ("+08:00", none), ("naive", none))
}, "this has changed"
PY
venv/bin/python -W ignore run.py

#!/usr/bin/env bash
# pyidempotent 0.1.0 and fastidempotent 0.1.0, seen on 2026-11-30.
# One would guess: a key belongs to the function that it was sent to; another body is refused with 422, as the README says; what failed may
# be tried again.
# What happens: pyidempotent knows keys alone: a refund of the amount that was paid, with the order's key, is not made, and is answered as the
# payment was. A body that the function reads from its request is not compared. In both packages an answer 503 that the function returns is
# given again until the key's time is over; one that it raises as HTTPException is not kept. fastidempotent tells functions and bodies apart.
# Why it matters: a refund is lost and looks done; an order that met a busy bank stays unpaid however often it is tried.
# Known to: docs/outcomes.md, of keys and of second tries.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pyidempotent==0.1.0 fastidempotent==0.1.0 fastapi==0.165.0 httpx==0.28.1 || exit 2
cat >run.py <<'PY'
import asyncio

import fastidempotent
import httpx
import pyidempotent
from fastapi import FastAPI, HTTPException, Request, Response
from pyidempotent.backends.memory import MemoryBackend


async def asked(idempotent):
    app, runs = FastAPI(), []

    @app.post("/pay")
    @idempotent
    async def pay(request: Request, amount: int = 0):
        runs.append("pay")
        body = await request.body()
        if body == b"busy":
            return Response("busy", 503)
        if body == b"raise":
            raise HTTPException(503, "busy")
        return {"paid": amount}

    @app.post("/refund")
    @idempotent
    async def refund(request: Request, amount: int = 0):
        runs.append("refund")
        return {"refunded": amount}

    async with httpx.AsyncClient(transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://shop") as client:
        seen = []
        for key, path, body in (
            ("ORD-1", "/pay?amount=5", b"one"), ("ORD-1", "/refund?amount=5", b"one"), ("ORD-1", "/pay?amount=5", b"two"),
            ("ORD-2", "/pay", b"busy"), ("ORD-2", "/pay", b"busy"), ("ORD-3", "/pay", b"raise"), ("ORD-3", "/pay", b"raise"),
        ):
            before = len(runs)
            answer = await client.post(path, content=body, headers={"Idempotency-Key": key})
            seen.append(f"{answer.status_code} {answer.text[:14]} {runs[before:]}")
    return seen


seen = asyncio.run(asked(pyidempotent.idempotent(backend=MemoryBackend())))
other = asyncio.run(asked(fastidempotent.idempotent(backend=fastidempotent.MemoryBackend(ttl=3600))))
print(*zip(seen, other), sep="\n")
assert seen == [
    "200 {\"paid\":5} ['pay']", "200 {\"paid\":5} []", "200 {\"paid\":5} []",
    "503 busy ['pay']", "503 busy []", "503 {\"detail\":\"bus ['pay']", "503 {\"detail\":\"bus ['pay']",
], "this has changed"
assert other == [seen[0], "200 {\"refunded\":5} ['refund']", "500 Internal Serve []", *seen[3:]], "this has changed"
PY
venv/bin/python run.py

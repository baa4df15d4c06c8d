#!/usr/bin/env bash
# fastapi 0.165.0 (pydantic 2.14.4, starlette 1.10.0), seen on 2026-11-28.
# One would guess: an annotation of what a route returns, `-> dict`, is for people and type checkers.
# What happens: without it the Decimal 10.50 is answered as the number 10.5, and 1E+2 as 100; with it as the text "10.50" and "1E+2".
# Why it matters: a linter that asks for annotations changes the type of every amount of an API; callers that add them up join texts.
# Known to: no page of ours. The receiver's adapter for FastAPI answers with bytes of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet fastapi==0.165.0 pydantic==2.14.4 starlette==1.10.0 httpx==0.28.1 || exit 2
venv/bin/python - <<'PY'
import asyncio
from decimal import Decimal

import httpx
from fastapi import FastAPI

app = FastAPI()
PAID = {"amount": Decimal("10.50"), "limit": Decimal("1E+2")}


@app.get("/plain")
async def plain():
    return PAID


@app.get("/annotated")
async def annotated() -> dict:
    return PAID


async def run() -> dict[str, str]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop.example") as shop:
        return {path: (await shop.get(path)).text for path in ("/plain", "/annotated")}


seen = asyncio.run(run())
print(seen)
assert seen == {"/plain": '{"amount":10.5,"limit":100}', "/annotated": '{"amount":"10.50","limit":"1E+2"}'}, "this has changed"
PY

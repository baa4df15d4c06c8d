#!/usr/bin/env bash
# fastapi-idempotency 0.1.1, seen on 2026-11-28.
# One would guess: the middleware acts on requests with the header Idempotency-Key, and passes all others on.
# What happens: a POST without the header whose body and path equal those of one in the last ten seconds is not passed on: it gets the
# first one's answer. Other spaces in the JSON make another request, and so does a header Authorization.
# Why it matters: two buyers of one ticket within ten seconds get one order between them, and each is told that it is his.
# Known to: no page of ours. An order's own number in the body keeps two purchases apart.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet fastapi-idempotency==0.1.1 starlette==1.10.0 httpx==0.28.1 || exit 2
venv/bin/python - <<'PY'
import asyncio

import httpx
from fastapi_idempotency import IdempotencyMiddleware, MemoryStore
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

orders: list[bytes] = []


async def buy(request: Request) -> PlainTextResponse:
    orders.append(await request.body())
    return PlainTextResponse(f"order {len(orders)}")


async def run() -> list[str]:
    app = IdempotencyMiddleware(Starlette(routes=[Route("/buy", buy, methods=["POST"])]), store=MemoryStore())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop.example") as shop:
        bodies = (b'{"ticket": 1}', b'{"ticket": 1}', b'{"ticket":1}')
        return [(await shop.post("/buy", content=body)).text for body in bodies]


seen = asyncio.run(run())
print(seen)
assert seen == ["order 1", "order 1", "order 2"], "this has changed"
PY

"""One of the shops of docs/paid.md, in a process of its own beside a sandbox: paid_shop.py FOLDER NAME. It prints what happens.

The current folder has the shop's module; FOLDER is a sandbox's.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

from paywright_sandbox.delivery.attempts import outgoing_request
from paywright_sandbox.delivery.outbox import Notification
from paywright_sandbox.testing import running_sandbox

Request = Callable[..., tuple[int, str]]


class Died(BaseException):
    """The end of a process, as the shop has it."""


def django_request(shop: Any) -> Request:
    import django
    from django.test import Client

    django.setup()
    browser = Client()

    def request(method: str, path: str, body: bytes = b"", sign: str = "") -> tuple[int, str]:
        sent = {"HTTP_SIGN": sign} if sign else {}
        answer = browser.generic(method, path, body, content_type="application/json", **sent)
        return answer.status_code, answer.headers.get("Location") or answer.content.decode()

    return request


def fastapi_request(shop: Any) -> Request:
    async def call(method: str, path: str, body: bytes, sign: str) -> tuple[int, str]:
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        headers += [(b"sign", sign.encode())] if sign else []
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "path": path,
            "raw_path": path.encode(), "query_string": b"", "headers": headers, "scheme": "http",
        }  # fmt: skip
        await shop.app(scope, receive, send)
        location = dict(sent[0]["headers"]).get(b"location", b"").decode()
        return sent[0]["status"], location or b"".join(one.get("body", b"") for one in sent[1:]).decode()

    return lambda method, path, body=b"", sign="": asyncio.run(call(method, path, body, sign))


def ask(query: str) -> list[str]:
    """What the shop's own table has in the first column, in the order of its rows."""
    query = f"SELECT {query} FROM payments ORDER BY rowid"
    if "django.db" in sys.modules:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute(query)
            return [str(row[0]) for row in cursor.fetchall()]
    with closing(sqlite3.connect("shop.db")) as db:
        return [row[0] for row in db.execute(query)]


def states() -> list[str]:
    return ask("state")


def last() -> str:
    return ask("number")[-1]


def main(folder: Path, name: str) -> None:
    with running_sandbox(folder) as sandbox:
        for merchant in sandbox.engine.merchants.registered:
            merchant.addresses["notify-url"] = "http://127.0.0.1:9/"  # nobody is there: each notification is lost
        os.environ |= {**sandbox.env, "SHOP_URL": "https://shop.example", "DJANGO_SETTINGS_MODULE": name}
        shop = importlib.import_module(name)
        request = (django_request if "django" in name else fastapi_request)(shop)

        def tell() -> int:
            with sandbox.engine.transaction() as context:
                (newest,) = context.state.select(Notification, "ORDER BY id DESC LIMIT 1")
            return request(
                "POST", "/paywright", newest.body, dict(outgoing_request(sandbox.engine, newest).headers)["sign"]
            )[0]

        def came_back(number: str) -> tuple[int, str]:
            page = request("GET", f"/back/{number}")
            shop.hints.submit(str).result()  # the page does not wait for its hint
            return page

        # The notification is lost: the payer's return has the order asked about.
        _, page = request("POST", "/order")
        assert page.startswith(sandbox.base_url), page
        lost = last()
        sandbox.pay(lost)
        assert came_back(lost) == (200, "PLACED")
        done = shop.follower.run_due()
        print("asked", done.asked, "handled", done.handled, *states())
        assert came_back(lost) == (200, "SUCCESS")
        # It comes after all, twice.
        print("told late", tell(), tell(), *states())
        # It comes at once: nothing is asked.
        request("POST", "/order")
        sandbox.pay(last())
        print("told", tell(), *states())
        came_back(last())
        print("asked", shop.follower.run_due().asked)
        # A refund, clicked twice.
        for _ in range(2):
            print("refund", *(str(part).split("_")[0] for part in request("POST", f"/refund/{lost}")))
        sandbox.advance(5)
        assert came_back(f"REF_{lost}_0") == (200, "PLACED")
        done = shop.follower.run_due()
        print("asked", done.asked, "handled", done.handled, *states())
        # The answer to the call is lost: it is found out whether the order was placed.
        sandbox.fault("reset", when="after", operation="orders.checkout", times=1)
        print("lost answer", request("POST", "/order")[1].split("_")[0], states()[-1])
        done = shop.follower.run_due()
        item = shop.follower.get("orders", last())
        print("asked", done.asked, item.state, item.step)
        # It is refused: nobody waits for it.
        sandbox.fault("code", code="AMOUNT_LIMIT", when="before", operation="orders.checkout", times=1)
        request("POST", "/order")
        print("refused", states()[-1], shop.follower.get("orders", last()).status)
        # The process dies while it writes that down: nobody waits for a payer, and the item is still followed.
        sandbox.fault("code", code="AMOUNT_LIMIT", when="before", operation="orders.checkout", times=1)
        with patch.object(type(shop.follower), "close", side_effect=Died), suppress(Died):
            request("POST", "/order")
        print("died", states()[-1], shop.follower.get("orders", last()).status)
        print("no such", request("GET", "/back/ORD_none")[0], dict(shop.follower.counts()))
        shop.client.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])

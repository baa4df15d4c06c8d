"""A shop behind a framework that gets one delivery, and dies at a seam: what is durable then, and what is not?

    durable_worker.py FOLDER WHERE SEAM < delivery

FOLDER/shop.db has the table `effects`, FOLDER/ledger.db is the ledger, unless the handler writes through event.transaction.
WHERE is a row of the table in docs/notifications.md, SEAM "none", "before" or "after" the ledger is done.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from paywright import Event, FixedClock, Receiver
from paywright_receiver import SqliteLedger, in_one_transaction
from tests.receiver.helpers.desk import APP, NOW

FOLDER, WHERE, SEAM = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
SHOP = FOLDER / "shop.db"
CREDIT = "INSERT INTO effects VALUES ('R1')"


class Dies(Receiver):
    def receive(self, raw: bytes, headers: Any) -> Any:
        reply = super().receive(raw, headers)
        if SEAM == "after":
            os._exit(9)
        return reply


LEDGER = SqliteLedger(SHOP if WHERE.startswith("event.transaction") else FOLDER / "ledger.db")
RECEIVER = Dies(app_id=APP, gateway_keys=[FOLDER / "gateway.pub"], ledger=LEDGER, clock=FixedClock(NOW), lease=0.001)


def handled_by(write: Callable[[Event[Any]], None]) -> None:
    def handle(event: Event[Any]) -> None:
        write(event)
        if SEAM == "before":
            os._exit(9)

    RECEIVER.on_receive(in_one_transaction(handle) if "in_one_transaction" in WHERE else handle)


def with_django(raw: bytes, headers: dict[str, str]) -> int:
    import django
    from django.conf import settings

    atomic = "ATOMIC_REQUESTS" in WHERE
    settings.configure(
        ROOT_URLCONF=__name__,
        ALLOWED_HOSTS=["*"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": SHOP, "ATOMIC_REQUESTS": atomic}},
    )
    django.setup()
    from django.db import connection, transaction
    from django.http import HttpResponse
    from django.test import Client
    from django.urls import path
    from django.views.decorators.csrf import csrf_exempt

    from paywright_receiver.django import view

    def write(event: Event[Any]) -> None:
        if "durable" in WHERE:
            with transaction.atomic(durable=True):
                connection.cursor().execute(CREDIT)
        else:
            connection.cursor().execute(CREDIT)

    handled_by(write)
    ours = csrf_exempt(lambda request: HttpResponse(status=RECEIVER.receive(request.body, request.headers).status))
    globals()["urlpatterns"] = [path("", ours if "view of your own" in WHERE else view(RECEIVER))]
    return Client().post("/", raw, content_type="application/json", headers=headers).status_code


def with_flask(raw: bytes, headers: dict[str, str]) -> int:
    from flask import Flask
    from flask_sqlalchemy import SQLAlchemy
    from sqlalchemy import text

    from paywright_receiver.flask import blueprint

    app = Flask("shop")
    app.config["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{SHOP}"
    db = SQLAlchemy(app)

    def write(event: Event[Any]) -> None:
        db.session.execute(text(CREDIT))
        if "not committed" not in WHERE:
            db.session.commit()

    handled_by(write)
    app.register_blueprint(blueprint(RECEIVER, "/"))
    return app.test_client().post("/", data=raw, headers=headers).status_code


def with_fastapi(raw: bytes, headers: dict[str, str]) -> int:
    from fastapi import Depends, FastAPI, Request, Response
    from sqlalchemy import create_engine, text
    from sqlalchemy.orm import Session

    app, engine, sessions = FastAPI(), create_engine(f"sqlite:///{SHOP}"), list[Session]()

    def session() -> Iterator[Session]:
        with Session(engine) as one:
            sessions.append(one)
            yield one
            one.commit()

    handled_by(lambda event: sessions[-1].execute(text(CREDIT)) and None)

    async def receive(request: Request, one: Any = Depends(session)) -> Any:  # noqa: B008  # as FastAPI wants it
        return Response(status_code=RECEIVER.receive(await request.body(), request.headers.raw).status)

    receive.__annotations__["request"] = Request
    app.post("/")(receive)
    return asyncio.run(_posted(app, raw, headers))


async def _posted(app: Any, raw: bytes, headers: dict[str, str]) -> int:
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http", "path": "/",
        "raw_path": b"/", "query_string": b"", "root_path": "", "server": None, "client": None,
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    sent: list[Any] = []

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": raw, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return int(sent[0]["status"])


def main() -> None:
    given = json.loads(sys.stdin.read())
    raw, headers = given["raw"].encode(), {"sign": given["sign"], "Content-Type": "application/json"}
    if "Django" in WHERE:
        status = with_django(raw, headers)
    elif "Flask" in WHERE:
        status = with_flask(raw, headers)
    elif "FastAPI" in WHERE:
        status = with_fastapi(raw, headers)
    else:
        handled_by(
            (lambda event: event.transaction.execute(CREDIT) and None)
            if WHERE.startswith("event.transaction")
            else _of_sqlalchemy
        )
        status = RECEIVER.receive(raw, headers).status
    print(status)


def _of_sqlalchemy(event: Event[Any]) -> None:
    from sqlalchemy import create_engine, text
    from sqlalchemy.orm import Session

    with Session(create_engine(f"sqlite:///{SHOP}")) as one:
        one.execute(text(CREDIT))
        one.commit()


if __name__ == "__main__":
    with sqlite3.connect(SHOP) as made:
        made.execute("CREATE TABLE IF NOT EXISTS effects (number TEXT)")
    made.close()
    main()

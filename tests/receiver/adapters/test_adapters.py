"""One suite behind every adapter, with the real frameworks, over real HTTP: the answer of the receiver, byte for byte."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from decimal import Decimal
from importlib import import_module
from itertools import count
from typing import Any

import pytest

from paywright import (
    BillPaymentDecision,
    BillPaymentValidationQuestion,
    Event,
    FixedClock,
    Receiver,
    Reply,
    RsaVerifier,
    validate,
)
from paywright.models.notifications import Transfer
from paywright_receiver import MemoryLedger
from paywright_runtime.signing.keys import KeyPair
from tests.receiver.helpers.desk import APP, MERCHANT, NOW, Desk, bill, key, sign, transfer
from tests.receiver.helpers.web_servers import ADAPTERS, PATH, Web, chunks_handed_on, django_urls, wsgi_application

NUMBERS = count()
MOST = 64 * 1024
# wsgiref hands no body over whose length is not told.
NO_CHUNKS = {"wsgi", "django"}


class Watched(Receiver):
    """Keeps what it answered, to be compared with what came over the wire."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.replies: list[Reply] = []

    def receive(self, raw: bytes, headers: Any) -> Reply:
        reply = super().receive(raw, headers)
        self.replies.append(reply)
        return reply


class Shop:
    """A receiver behind an adapter, and what its handlers did."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.own = KeyPair(key(7))
        self.done: list[str] = []
        self.together: threading.Barrier | None = None
        self.receiver = Watched(
            app_id=APP,
            merchant_no=MERCHANT,
            gateway_keys=RsaVerifier([key().public_key()]),
            ledger=MemoryLedger(),
            sign_answers=self.own.private_pem,
            max_bytes=MOST,
            clock=FixedClock(NOW),
            bill_deadline=600,
        )

        @self.receiver.on_receive
        def credit(event: Event[Transfer]) -> None:
            if self.together is not None:
                self.together.wait(600)
            self.done.append(event.data.request_no)

        @self.receiver.on_validate_bill_payment
        def decide(question: BillPaymentValidationQuestion) -> BillPaymentDecision:
            if question.data.reference_no.startswith("PAID"):
                return question.refuse("It is paid already.")
            return question.accept(min_amount=1, max_amount=Decimal("5000.50"))

        self.web: Web

    def send(self, body: Any, headers: list[tuple[str, str]], **how: Any) -> tuple[int, bytes]:
        """Sends it; what comes back is exactly what the receiver said, if it was asked."""
        before = len(self.receiver.replies)
        status, got, answer = self.web.send(body, headers, **how)
        for reply in self.receiver.replies[before:]:
            assert (status, answer) == (reply.status, reply.body)
            for name, value in reply.headers:
                assert (name.lower(), value) in got
            assert [value for name, value in got if name == "content-length"] == [str(len(answer))]
            signatures = [value for name, value in got if name == "sign"]
            assert RsaVerifier([self.own.public]).verify(answer, *signatures).raw == answer
        return status, answer

    def deliver(self, body: Any, *more: tuple[str, str], **how: Any) -> tuple[int, str]:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        status, answer = self.send(raw, [("Content-Type", "application/json"), ("sign", sign(raw)), *more], **how)
        assert validate("notifications.receive", "answer", answer) == []
        return status, str(json.loads(answer)["code"])


@pytest.fixture(scope="module", params=ADAPTERS)
def shop(request: pytest.FixtureRequest) -> Iterator[Shop]:
    made = Shop(request.param)
    with ADAPTERS[request.param](made.receiver) as made.web:
        yield made


@pytest.fixture
def number() -> str:
    return f"R{next(NUMBERS)}"


# The list of deliveries


def test_a_good_one_is_handled_and_its_repetition_is_not(shop: Shop, number: str) -> None:
    body = transfer(number)
    for _ in range(3):
        assert shop.deliver(body) == (200, "SUCCESS")
    assert shop.done.count(number) == 1


@pytest.mark.parametrize("what", ["unsigned", "re-serialised", "trailing newline", "two headers"])
def test_what_is_not_signed_as_it_stands_is_refused(shop: Shop, number: str, what: str) -> None:
    raw = json.dumps(transfer(number)).encode()
    good = [("sign", sign(raw))]
    body, headers = {
        "unsigned": (raw, []),
        "re-serialised": (json.dumps(json.loads(raw), separators=(",", ":")).encode(), good),
        "trailing newline": (raw + b"\n", good),
        "two headers": (raw, [*good, ("Sign", sign(raw))]),
    }[what]
    assert shop.send(body, [("Content-Type", "application/json"), *headers])[0] == 401
    assert number not in shop.done


@pytest.mark.parametrize(
    "kind",
    [
        "application/json; charset=utf-16",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ],
)
def test_bytes_stay_what_they_are_whatever_they_are_said_to_be(shop: Shop, number: str, kind: str) -> None:
    body = transfer(number)
    body["msg"] = "größer & %41=+\u2028"
    raw = b"\n\t " + json.dumps(body, indent=3, ensure_ascii=False).encode() + b"\r\n"
    assert shop.send(raw, [("Content-Type", kind), ("SIGN", sign(raw))])[0] == 200
    assert number in shop.done


def test_what_is_too_large_is_refused_before_it_is_looked_at(shop: Shop, number: str) -> None:
    raw = json.dumps({**transfer(number), "msg": "x" * MOST}).encode()
    assert shop.deliver(raw) == (413, "TOO_LARGE")
    assert shop.deliver(b" " * (MOST + 1)) == (413, "TOO_LARGE")
    exactly = json.dumps({**transfer(number), "msg": ""}).encode()
    exactly = exactly.replace(b'"msg": ""', b'"msg": "' + b"x" * (MOST - len(exactly)) + b'"')
    assert len(exactly) == MOST
    assert shop.deliver(exactly) == (200, "SUCCESS")


def test_a_body_in_chunks_is_taken_where_the_server_takes_it_and_bounded_too(shop: Shop, number: str) -> None:
    raw = json.dumps(transfer(number)).encode()
    pieces = [raw[at : at + 100] for at in range(0, len(raw), 100)]
    if shop.name in NO_CHUNKS:
        with suppress(OSError):  # it answers, and closes on what it has not read
            assert shop.send(pieces, [("sign", sign(raw))])[0] == 411
        assert number not in shop.done
    else:
        assert shop.send(pieces, [("sign", sign(raw))])[0] == 200
        assert shop.send([b"x" * 1000] * (MOST // 1000 + 5), [("sign", sign(raw))])[0] == 413


@pytest.mark.parametrize("name", ["django", "wsgi"])
def test_a_wsgi_server_that_hands_chunks_on_has_them_verified(name: str) -> None:
    """As gunicorn does, and werkzeug's: the environment says that its input ends, and has no length."""
    desk = Desk(MemoryLedger(), max_bytes=MOST)
    done: list[str] = []
    desk.receiver.on_receive(lambda event: done.append(event.data.request_no))
    raw = json.dumps(transfer("CHUNKS")).encode()
    pieces = [raw[at : at + 100] for at in range(0, len(raw), 100)]
    with chunks_handed_on(name, desk.receiver) as web:
        assert web.send(pieces, [("sign", sign(raw))])[0] == 200
        assert web.send(pieces, [("sign", sign(raw + b" "))])[0] == 401
        assert web.send([b"x" * 1000] * (MOST // 1000 + 5), [("sign", sign(raw))])[0] == 413
    assert done == ["CHUNKS"]


class Endless(io.RawIOBase):
    """The rest of a connection: whoever reads to its end waits for ever."""

    def readinto(self, buffer: Any) -> int:
        raise AssertionError("it was read")


@pytest.mark.parametrize("name", ["django", "wsgi", "flask"])
@pytest.mark.parametrize("protocol", [{"HTTP_TRANSFER_ENCODING": "chunked"}, {"SERVER_PROTOCOL": "HTTP/2"}], ids=str)
@pytest.mark.parametrize("whole", [True, False])
def test_a_body_without_a_length_is_read_to_its_end_or_refused_and_is_no_forgery(
    name: str, protocol: dict[str, str], whole: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Hypercorn, Tornado, asgiref and uvicorn hand over a file with the whole body, and say nothing of it."""
    raw = json.dumps(transfer("CHUNKS")).encode()
    desk = Desk(MemoryLedger())
    desk.receiver.on_receive(lambda event: None)
    environ = {
        "REQUEST_METHOD": "POST", "PATH_INFO": PATH, "SERVER_NAME": "testserver", "SERVER_PORT": "80", **protocol,
        "HTTP_SIGN": sign(raw),
        "wsgi.input": io.BytesIO(raw) if whole else Endless(),
        "wsgi.url_scheme": "http",
        "wsgi.errors": io.StringIO(),
        "SCRIPT_NAME": "", "HTTP_HOST": "testserver",
    }  # fmt: skip
    said: list[str] = []
    body = b"".join(wsgi_application(name, desk.receiver)(environ, lambda status, headers: said.append(status)))
    code = json.loads(body)["code"]
    assert (said[0][:3], code) == (("200", "SUCCESS") if whole else ("411", "NO_LENGTH"))
    assert ("this WSGI server does not say where such a body ends" in caplog.text) is not whole


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_another_method_than_post_is_refused(shop: Shop, method: str, caplog: pytest.LogCaptureFixture) -> None:
    raw = json.dumps(transfer("GOT")).encode()
    status, headers, _ = shop.web.send(raw if method != "GET" else b"", [("sign", sign(raw))], method=method)
    assert status == 405
    assert [value.replace(" ", "") for name, value in headers if name == "allow"] == ["POST"]
    assert "GOT" not in shop.done
    if shop.name in ("wsgi", "asgi"):  # elsewhere the framework's routes answer, before the receiver hears of it
        assert "not_post: a delivery: another method than POST" in caplog.text


def test_a_bill_payment_is_accepted_and_one_is_refused(shop: Shop) -> None:
    for reference, confirmation in (("BILL1", "Y"), ("PAID1", "N")):
        raw = json.dumps(bill(reference)).encode()
        status, answer = shop.send(raw, [("sign", sign(raw))])
        assert status == 200
        assert validate("merchant.validate_bill_payment", "response", answer) == []
        assert json.loads(answer)["data"]["confirmation"] == confirmation
        assert b"5000.50" in answer or confirmation == "N"  # digits stay as they were written


def test_what_is_no_json_and_what_is_nothing_is_answered_too(shop: Shop) -> None:
    assert shop.deliver(b"[1, 2") == (400, "NOT_JSON")
    assert shop.send(b"", [])[0] == 401


def test_handlers_run_beside_each_other(shop: Shop) -> None:
    if shop.name == "django_asgi":
        pytest.skip("Django runs what is not async in one thread, one after the other")
    numbers = [f"R{next(NUMBERS)}" for _ in range(4)]
    shop.together = threading.Barrier(4)  # passes only if all four are in their handlers at once
    try:
        with ThreadPoolExecutor(4) as pool:
            assert {status for status, _ in pool.map(lambda one: shop.deliver(transfer(one)), numbers)} == {200}
    finally:
        shop.together = None


# What is not the raw body


def flask_with(before: Any = None, **config: Any) -> Any:
    """Post signed bytes to a Flask application, with their length or in chunks; return the answer's code."""
    from flask import Flask

    from paywright_receiver.flask import view

    app = Flask("shop")
    app.config.update(config)
    app.add_url_rule("/", view_func=view(Shop("flask").receiver), methods=["POST"])
    if before is not None:
        app.before_request(before)

    def post(raw: bytes, *, chunked: bool, kind: str = "application/json", cut: int = 0) -> str:
        headers = {"sign": sign(raw), "Content-Type": kind}
        more: dict[str, Any] = {"data": raw}
        if chunked:
            headers["Transfer-Encoding"] = "chunked"
            more = {"input_stream": io.BytesIO(raw), "environ_overrides": {"wsgi.input_terminated": True}}
        elif cut:
            more = {"input_stream": io.BytesIO(raw[:-cut]), "environ_overrides": {"CONTENT_LENGTH": str(len(raw))}}
        answer = app.test_client().post("/", headers=headers, **more)
        return str(answer.json.get("code", "SUCCESS"))

    return post


@pytest.mark.parametrize("chunked", [False, True])
def test_flask_takes_a_body_that_was_kept(chunked: bool, caplog: pytest.LogCaptureFixture) -> None:
    from flask import request

    raw = json.dumps(transfer("F1")).encode()
    for kept in (lambda: None, lambda: request.get_json() and None, lambda: request.get_data() and None):
        assert flask_with(kept)(raw, chunked=chunked) == "SUCCESS"
    assert flask_with(lambda: request.form and None)(raw, chunked=chunked) == "SUCCESS"
    form = "application/x-www-form-urlencoded"
    lost = (lambda: request.get_data(cache=False) and None, lambda: request.stream.read() and None)
    for code in (
        *(flask_with(one)(raw, chunked=chunked) for one in lost),
        flask_with(lambda: request.form and None)(raw, chunked=chunked, kind=form),
    ):
        assert code == "NOT_RAW"
    assert caplog.text.count("the body is gone: something before this receiver has read or parsed it") == 3
    assert "request.get_data() in Flask" in caplog.text
    if chunked:
        assert flask_with(MAX_CONTENT_LENGTH=100)(raw, chunked=True) == "TOO_LARGE"


def test_flask_keeps_to_the_applications_own_limit_too(caplog: pytest.LogCaptureFixture) -> None:
    from flask import Flask

    from paywright_receiver.flask import view

    receiver = Shop("flask").receiver
    app = Flask("shop")
    app.config["MAX_CONTENT_LENGTH"] = 100
    app.add_url_rule("/", view_func=view(receiver), methods=["GET", "POST"])
    answer = app.test_client().post("/", data=b"x" * 200)
    assert (answer.status_code, answer.json and answer.json["code"]) == (413, "TOO_LARGE")
    assert "1048576" not in answer.text + caplog.text
    assert "longer than MAX_CONTENT_LENGTH of the application allows: raise that to max_bytes" in caplog.text
    assert app.test_client().get("/").status_code == 405


@pytest.mark.parametrize("name", ["wsgi", "django", "flask"])
def test_a_length_of_thousands_of_digits_is_refused_as_any_other(name: str) -> None:
    """Python converts no text of more than 4,300 digits."""
    receiver, answers = Shop(name).receiver, list[str]()
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "POST", "PATH_INFO": "/", "SERVER_NAME": "shop", "SERVER_PORT": "80", "wsgi.url_scheme": "http",
        "CONTENT_LENGTH": "9" * 5_000, "wsgi.input": io.BytesIO(b"{}"), "wsgi.errors": io.StringIO(),
    }  # fmt: skip
    if name == "django":
        django_urls()
        from django.core.handlers.wsgi import WSGIRequest

        from paywright_receiver.django import view

        answers.append(str(view(receiver)(WSGIRequest(environ)).status_code))
    else:
        from flask import Flask

        from paywright_receiver import flask, wsgi

        app: Any = wsgi.wsgi_app(receiver)
        if name == "flask":
            app = Flask("shop")
            app.add_url_rule("/", view_func=flask.view(receiver), methods=["POST"])
        list(app(environ, lambda status, headers, exc_info=None: answers.append(status)))
    # Django reads no body that says so; the others read what came.
    assert answers[0][:3] == ("413" if name == "django" else "401")


def test_django_says_so_if_the_body_was_parsed_away(caplog: pytest.LogCaptureFixture) -> None:
    django_urls()
    from django.test import RequestFactory, override_settings

    from paywright_receiver.django import view

    receive = view(Shop("django").receiver)
    request = RequestFactory().post("/", {"a": "b"}, headers={"sign": sign(b"x")})  # a form in parts
    assert request.POST["a"] == "b"
    assert json.loads(receive(request).content)["code"] == "NOT_RAW"
    assert "request.body in Django" in caplog.text
    with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=100):
        assert receive(RequestFactory().post("/", b"x" * 200, content_type="application/json")).status_code == 413
    assert "DATA_UPLOAD_MAX_MEMORY_SIZE of the application allows" in caplog.text


def test_django_asks_no_gateway_to_log_in() -> None:
    """With its middleware of 5.1, which all views have to be excepted from that are for anybody."""
    django_urls()
    middleware = pytest.importorskip("django.contrib.auth.middleware")
    if not hasattr(middleware, "LoginRequiredMiddleware"):
        pytest.skip("this Django has no such middleware")
    from types import SimpleNamespace

    from paywright_receiver.django import view

    required = middleware.LoginRequiredMiddleware(lambda request: None)
    nobody = SimpleNamespace(user=SimpleNamespace(is_authenticated=False))
    assert required.process_view(nobody, view(Shop("django").receiver), (), {}) is None


def test_a_head_of_a_body_that_is_not_asked_for_is_one_part_without_bytes() -> None:
    """Hypercorn has no answer to an empty list."""
    app = wsgi_application("wsgi", Shop("wsgi").receiver)
    assert list(app({"REQUEST_METHOD": "HEAD", "wsgi.input": io.BytesIO()}, lambda status, headers: None)) == [b""]


@pytest.mark.parametrize("name", ["starlette", "fastapi"])
@pytest.mark.parametrize("told", [(b"content-length", b"%d"), (b"transfer-encoding", b"chunked")])
def test_a_streamed_body_is_named(name: str, told: tuple[bytes, bytes], caplog: pytest.LogCaptureFixture) -> None:
    from starlette.requests import Request

    module = import_module(f"paywright_receiver.{name}")
    raw = json.dumps(transfer("S1")).encode()
    scope = {
        "type": "http", "method": "POST", "path": "/", "query_string": b"",
        "headers": [(b"sign", sign(raw).encode()), (told[0], told[1].replace(b"%d", str(len(raw)).encode()))],
    }  # fmt: skip

    async def message() -> dict[str, object]:
        return {"type": "http.request", "body": raw, "more_body": False}

    async def gone() -> dict[str, object]:
        return {"type": "http.disconnect"}

    async def ask(keep: bool, receive: Any = message) -> Any:
        request = Request(dict(scope), receive)
        if receive is message:
            if keep:
                await request.body()
            else:
                [part async for part in request.stream()]
        return await module.endpoint(Shop(name).receiver)(request)

    assert asyncio.run(ask(keep=True)).status_code == 200
    assert asyncio.run(ask(keep=True, receive=gone)).status_code == 400
    assert json.loads(asyncio.run(ask(keep=False)).body)["code"] == "NOT_RAW"
    assert "the body is gone" in caplog.text


@pytest.mark.parametrize(
    ("headers", "change", "outcome", "words"),
    [
        ({}, lambda raw: raw, "handled", ""),
        ({"Content-Length": "FULL"}, lambda raw: raw, "handled", ""),
        ({"Content-Length": "FULL"}, lambda raw: b"", "not_raw", "the body is gone"),
        ({"Transfer-Encoding": "chunked"}, lambda raw: b"", "not_raw", "the body is gone"),
        ({"Content-Length": "FULL"}, lambda raw: raw[:-5], "not_raw", "Content-Length says"),
        ({"Content-Length": "FULL"}, lambda raw: raw.replace(b" ", b""), "not_raw", "cut it, or written it anew"),
        ({"Content-Encoding": "gzip"}, gzip.compress, "bad_signature", "Content-Encoding is gzip"),
        ({}, lambda raw: b"\xef\xbb\xbf" + raw, "bad_signature", "over the body without the byte order mark"),
        ({}, lambda raw: raw.decode().encode("utf-16"), "bad_signature", "over other bytes"),
        ({"Content-Length": "0"}, lambda raw: b"", "bad_signature", "the body is empty"),
        ({"Content-Length": "²"}, lambda raw: b"x", "bad_signature", "over other bytes"),
        ({}, lambda raw: raw + b" ", "bad_signature", "over the body without the white space"),
        ({}, lambda raw: json.dumps(json.loads(raw), indent=2).encode(), "bad_signature", "with a space after commas"),
    ],
)
def test_a_body_that_was_changed_on_its_way_is_named_as_what_it_is(
    headers: dict[str, str], change: Any, outcome: str, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The same in every adapter, as all hand over the headers."""
    desk = Desk(MemoryLedger())
    desk.receiver.on_receive(lambda event: None)
    raw = json.dumps(transfer("R1", at=desk.clock.now()), ensure_ascii=False).encode()
    given = {name: value.replace("FULL", str(len(raw))) for name, value in headers.items()}
    reply = desk.receiver.receive(change(raw), {**given, "sign": sign(raw)})
    assert (reply.outcome, words in caplog.text) == (outcome, True)


@pytest.mark.slow
def test_no_framework_is_loaded_by_the_receiver_or_by_another_ones_adapter() -> None:
    import os
    import subprocess
    import sys
    from pathlib import Path

    top = Path(__file__).resolve().parents[3]
    path = os.pathsep.join(str(top / folder) for folder in ("generated", "runtime", "receiver"))
    frameworks = {
        "flask", "werkzeug", "django", "fastapi", "starlette", "psycopg", "psycopg_pool", "asyncio", "urllib3",
    }  # fmt: skip
    for code, loads in (
        ("import paywright_receiver; from paywright_receiver import SqliteLedger, wsgi_app", set()),
        ("from paywright_receiver import asgi_app", {"asyncio"}),
        ("from paywright_receiver import PostgresLedger", {"psycopg"}),
        ("import paywright_receiver.starlette", {"starlette"}),
        ("import paywright_receiver.flask", {"flask", "werkzeug"}),
        ("import paywright_receiver.fastapi", {"fastapi", "starlette"}),
    ):
        done = subprocess.run(
            [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        assert (set(done.stdout.split()) & frameworks) - {"asyncio"} == loads - {"asyncio"}, code

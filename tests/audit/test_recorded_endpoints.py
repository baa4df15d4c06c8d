"""Recorded endpoints: what goes out is the same with a recorder and without, and is recorded once all of it went out."""

from __future__ import annotations

import asyncio
import json
import traceback
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path
from typing import Any
from wsgiref.handlers import SimpleHandler

import httpx
import pytest
import requests

from paywright_audit import Recorder, recorded_asgi, recorded_client, recorded_wsgi

OK = "200 OK"
JSON = [("Content-Type", "application/json")]
SECRET = "S3cr3t-4111"


class Boom(Exception):
    pass


def boom(*_: object, **__: object) -> Any:
    raise Boom


class Parts:
    """Parts of a response with a length, which end with an error if `fails`."""

    def __init__(self, *parts: bytes, fails: bool = False) -> None:
        self._parts, self._fails = parts, fails

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[bytes]:
        yield from self._parts
        if self._fails:
            raise Boom


def returns(parts: Callable[[], Any], status: str = OK) -> Any:
    def app(environ: Any, start: Any) -> Any:
        environ["wsgi.input"].read(2)
        start(status, JSON)
        return parts()

    return app


def writes(environ: Any, start: Any) -> Any:
    start(OK, JSON)(b"{")
    return [b"}"]


def starts_again(environ: Any, start: Any) -> Any:
    start(OK, JSON)
    try:
        boom()
    except Boom as error:
        start("500 No", JSON, (Boom, error, None))
    return [b"no"]


WSGI = {
    "a list": (returns(lambda: [b"{}"]), 200, b"{}"),
    "a list of two": (returns(lambda: [b"{", b"}"]), 200, b"{}"),
    "with a length": (returns(lambda: Parts(b"{}")), 200, b"{}"),
    "a generator": (returns(lambda: (part for part in (b"{", b"}"))), 200, b"{}"),
    "written": (writes, 200, b"{}"),
    "refused": (returns(lambda: [b"no"], "401 No"), 401, b"no"),
    "started again": (starts_again, 500, b"no"),
    "raises after it started": (returns(boom), None, b""),
    "raises before the first part": (returns(lambda: Parts(fails=True)), None, b""),
    "raises after a part": (returns(lambda: Parts(b"{", fails=True)), None, b""),
}


def served(app: Any) -> bytes:
    """What the server of the standard library sends, without the date."""
    out = BytesIO()
    environ = {"REQUEST_METHOD": "POST", "PATH_INFO": "/n", "SERVER_NAME": "shop.example", "SERVER_PORT": "80",
               "CONTENT_LENGTH": "2", "HTTP_SIGN": "s", "SERVER_PROTOCOL": "HTTP/1.1"}  # fmt: skip
    handler = SimpleHandler(BytesIO(b"{}"), out, BytesIO(), environ)  # type: ignore[arg-type]  # errors of text or bytes
    handler.log_exception = lambda exc_info: None  # type: ignore[method-assign]  # it would print
    handler.http_version, handler.origin_server = "1.1", True
    handler.run(app)
    return b"\r\n".join(line for line in out.getvalue().split(b"\r\n") if not line.startswith(b"Date:"))


def only(folder: Path) -> Any:
    (record,) = [json.loads(line) for file in folder.glob("*.jsonl") for line in file.read_bytes().splitlines()]
    return record


@pytest.mark.parametrize("name", WSGI)
def test_a_wsgi_application_sends_the_same_and_what_it_sent_is_recorded(name: str, tmp_path: Path) -> None:
    app, status, body = WSGI[name]
    with Recorder(tmp_path, exact=True) as recorder:
        assert served(recorded_wsgi(app, recorder)) == served(app)
    response = only(tmp_path)["response"]
    assert (response and response["status"]) == status
    if response is not None:
        assert b64decode(response["body"]["base64"]) == body


def test_a_response_that_the_server_gave_up_was_not_sent(tmp_path: Path) -> None:
    with Recorder(tmp_path, exact=True) as recorder:
        app = recorded_wsgi(returns(lambda: (part for part in (b"{", b"}"))), recorder)
        parts: Any = app({"REQUEST_METHOD": "POST", "wsgi.input": BytesIO(), "SERVER_NAME": "a", "SERVER_PORT": "80",
                          "wsgi.url_scheme": "http"}, lambda *_: lambda part: None)  # fmt: skip
        next(iter(parts))
        parts.close()
    assert only(tmp_path)["response"] is None


def test_an_environment_that_wsgi_does_not_allow_reaches_the_application(tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder:
        app = recorded_wsgi(lambda environ, start: [b"as before"], recorder)
        assert list(app({}, lambda *given: lambda part: None)) == [b"as before"]
    assert recorder.lost == 1


HEAD = {"type": "http.response.start", "status": 200, "headers": []}
FIRST = {"type": "http.response.body", "body": b"{", "more_body": True}
LAST = {"type": "http.response.body", "body": b"}"}
ASGI = {
    "whole": ((HEAD, FIRST, LAST), None, 200),
    "whole, then an error": ((HEAD, LAST), Boom, 200),
    "raises before the first part": ((HEAD,), Boom, None),
    "raises after a part": ((HEAD, FIRST), Boom, None),
    "cancelled": ((HEAD, FIRST), asyncio.CancelledError, None),
    "nothing": ((), None, None),
}


@pytest.mark.parametrize("name", ASGI)
def test_what_an_asgi_application_sent_is_recorded(name: str, tmp_path: Path) -> None:
    messages, error, status = ASGI[name]
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        for message in messages:
            await send(message)
        if error is not None:
            raise error

    async def receive() -> Any:
        return {"type": "http.request", "body": b"{}"}

    async def send(message: Any) -> None:
        sent.append(message)

    async def run() -> None:
        scope = {"type": "http", "method": "POST", "path": "/n", "headers": []}
        await recorded_asgi(app, recorder)(scope, receive, send)

    with Recorder(tmp_path, exact=True) as recorder, nullcontext() if error is None else pytest.raises(error):
        asyncio.run(run())
    assert sent == list(messages)
    response = only(tmp_path)["response"]
    assert (response and response["status"]) == status


def by_wsgi(recorder: Recorder) -> None:
    list(recorded_wsgi(boom, recorder)({"REQUEST_METHOD": "POST", "HTTP_AUTHORIZATION": SECRET}, boom))


def by_parts(recorder: Recorder) -> None:
    app = recorded_wsgi(lambda environ, start: Parts(SECRET.encode(), fails=True), recorder)
    list(app({"REQUEST_METHOD": "POST", "HTTP_AUTHORIZATION": SECRET}, boom))


def by_asgi(recorder: Recorder) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.body", "body": SECRET.encode()})

    scope = {"type": "http", "method": "POST", "path": "/n", "headers": [(b"authorization", SECRET.encode())]}
    asyncio.run(recorded_asgi(app, recorder)(scope, boom, boom))  # type: ignore[arg-type]  # a coroutine


def by_requests(recorder: Recorder) -> None:
    session = requests.Session()
    session.adapters["http://"].send = boom  # type: ignore[method-assign]
    proxies = {"http": f"http://shop:{SECRET}@proxy.example"}
    recorded_client(session, recorder).post(f"http://a.example/?{SECRET}", data=SECRET, proxies=proxies)


def by_httpx(recorder: Recorder) -> None:
    client = httpx.Client(transport=httpx.MockTransport(boom))
    recorded_client(client, recorder).post(f"http://a.example/?{SECRET}", content=SECRET)


def by_async_httpx(recorder: Recorder) -> None:
    client = httpx.AsyncClient(transport=httpx.MockTransport(boom))
    asyncio.run(recorded_client(client, recorder).post(f"http://a.example/?{SECRET}", content=SECRET))


@pytest.mark.parametrize("call", [by_wsgi, by_parts, by_asgi, by_requests, by_httpx, by_async_httpx])
def test_no_local_of_our_frames_shows_a_secret(call: Callable[[Recorder], None], tmp_path: Path) -> None:
    with Recorder(tmp_path) as recorder, pytest.raises(Boom) as caught:
        call(recorder)
    ours = [
        frame for frame, _ in traceback.walk_tb(caught.value.__traceback__) if "recording" in frame.f_code.co_filename
    ]
    ours = [frame for frame in ours if "tests" not in frame.f_code.co_filename]
    assert ours
    for frame in ours:
        for name, value in frame.f_locals.items():
            assert SECRET not in repr(value), f"{name} of {frame.f_code.co_name}"

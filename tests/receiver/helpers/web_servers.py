"""Receivers behind real frameworks, served over real HTTP on loopback."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from http.client import HTTPConnection
from socketserver import ThreadingMixIn
from types import ModuleType
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from paywright import Receiver

PATH = "/pay/notifications"


class Web:
    """Where a receiver is served."""

    def __init__(self, port: int) -> None:
        self.port = port

    def send(
        self, body: Any, headers: list[tuple[str, str]], *, method: str = "POST", path: str = PATH
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        """Sends exactly this; an iterable body goes in chunks. Header names of what comes back are in lower case."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=600)
        try:
            connection.putrequest(method, path)
            for name, value in headers:
                connection.putheader(name, value)
            if isinstance(body, bytes):
                connection.putheader("Content-Length", str(len(body)))
                connection.endheaders(body)
            else:
                connection.putheader("Transfer-Encoding", "chunked")
                connection.endheaders(body, encode_chunked=True)
            answer = connection.getresponse()
            return answer.status, [(name.lower(), value) for name, value in answer.getheaders()], answer.read()
        finally:
            connection.close()


class _Threaded(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None: ...


@contextmanager
def _served(server: WSGIServer) -> Iterator[Web]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield Web(server.server_port)
    finally:
        server.shutdown()
        thread.join(600)
        server.server_close()


def wsgi_served(app: Any) -> AbstractContextManager[Web]:
    return _served(make_server("127.0.0.1", 0, app, server_class=_Threaded, handler_class=_Quiet))


def flask_served(app: Any) -> AbstractContextManager[Web]:
    from werkzeug.serving import WSGIRequestHandler as Handler
    from werkzeug.serving import make_server as make

    class Silent(Handler):
        def log(self, type: str, message: str, *args: Any) -> None: ...

    return _served(make("127.0.0.1", 0, app, threaded=True, request_handler=Silent))


@contextmanager
def asgi_served(app: Any, lifespan: str = "auto") -> Iterator[Web]:
    import uvicorn

    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, log_level="critical", access_log=False, lifespan=lifespan)  # type: ignore[arg-type]  # a word of theirs
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        until = time.monotonic() + 600
        while not server.started:
            assert thread.is_alive()
            assert time.monotonic() < until
            time.sleep(0.01)
        try:
            yield Web(listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(600)


# The adapters, each in its framework


def wsgi(receiver: Receiver) -> Any:
    return wsgi_served(wsgi_application("wsgi", receiver))


def asgi(receiver: Receiver) -> Any:
    from paywright_receiver import asgi_app

    return asgi_served(asgi_app(receiver), lifespan="on")


def flask(receiver: Receiver) -> Any:
    return flask_served(wsgi_application("flask", receiver))


def starlette(receiver: Receiver) -> Any:
    from starlette.applications import Starlette

    from paywright_receiver.starlette import route

    return asgi_served(Starlette(routes=[route(receiver, PATH)]))


def fastapi(receiver: Receiver) -> Any:
    from fastapi import FastAPI

    from paywright_receiver.fastapi import router

    app = FastAPI()
    app.include_router(router(receiver, PATH))
    return asgi_served(app)


@cache
def django_urls() -> list[Any]:
    """The addresses of the one Django project that a process may have; the first that matches is taken."""
    import django as framework
    from django.conf import settings

    urls = ModuleType("shop_urls")
    urls.urlpatterns = []  # type: ignore[attr-defined]  # what Django looks for
    settings.configure(
        ROOT_URLCONF=urls,
        ALLOWED_HOSTS=["127.0.0.1", "testserver"],
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes"],
        MIDDLEWARE=["django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware"],
        DEBUG=False,
        LOGGING_CONFIG=None,
    )
    framework.setup()
    found: list[Any] = urls.urlpatterns  # type: ignore[attr-defined]  # as above
    return found


def _django_at(receiver: Receiver) -> None:
    from django.urls import clear_url_caches, path

    from paywright_receiver.django import view

    django_urls().insert(0, path(PATH[1:], view(receiver)))
    clear_url_caches()


def django(receiver: Receiver) -> Any:
    return wsgi_served(wsgi_application("django", receiver))


def wsgi_application(name: str, receiver: Receiver) -> Any:
    """The receiver as an application of this framework, or by itself for `wsgi`."""
    if name == "wsgi":
        from paywright_receiver import wsgi_app

        return wsgi_app(receiver)
    if name == "flask":
        from flask import Flask

        from paywright_receiver.flask import blueprint

        app = Flask("shop")
        app.register_blueprint(blueprint(receiver, PATH))
        return app
    from django.core.handlers.wsgi import WSGIHandler

    _django_at(receiver)
    return WSGIHandler()


def chunks_handed_on(name: str, receiver: Receiver) -> Any:
    """Served by a server that hands bodies in chunks on."""
    return flask_served(wsgi_application(name, receiver))


def django_asgi(receiver: Receiver) -> Any:
    from django.core.handlers.asgi import ASGIHandler

    _django_at(receiver)
    return asgi_served(ASGIHandler(), lifespan="off")


ADAPTERS: dict[str, Callable[[Receiver], Any]] = {
    "wsgi": wsgi, "asgi": asgi, "flask": flask, "django": django, "django_asgi": django_asgi, "fastapi": fastapi,
    "starlette": starlette,
}  # fmt: skip

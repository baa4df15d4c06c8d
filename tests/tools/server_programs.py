"""The receiver under a server or in a framework: `python -m tests.tools.server_programs NAME PORT`, in the tools' own environment.

Each function is a row of docs/servers.md. A function with `_` serves what we have; the others are code of a merchant's own, around
`receiver.receive`, in a framework for which there is no adapter.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from paywright import Event, Receiver
from paywright_receiver import SqliteLedger, asgi_app, wsgi_app

PATH = "/pay"
receiver = Receiver.from_env(SqliteLedger(os.environ["SHOP_LEDGER"]))


@receiver.on_receive
def credit(event: Event[Any]) -> None:
    event.transaction.execute("INSERT INTO effects (number) VALUES (?)", (event.data.request_no,))


def wsgi_wsgiref(port: int) -> None:
    from wsgiref.simple_server import make_server

    make_server("127.0.0.1", port, wsgi_app(receiver)).serve_forever()


def wsgi_werkzeug(port: int) -> None:
    from werkzeug.serving import run_simple

    run_simple("127.0.0.1", port, wsgi_app(receiver), threaded=True)


def wsgi_gunicorn(port: int) -> None:
    from gunicorn.app.base import BaseApplication

    class Application(BaseApplication):  # type: ignore[misc]
        def load_config(self) -> None:
            self.cfg.set("bind", f"127.0.0.1:{port}")

        def load(self) -> Any:
            return wsgi_app(receiver)

    Application().run()


def wsgi_waitress(port: int) -> None:
    from waitress import serve

    serve(wsgi_app(receiver), host="127.0.0.1", port=port)


def wsgi_cheroot(port: int) -> None:
    from cheroot.wsgi import Server

    Server(("127.0.0.1", port), wsgi_app(receiver)).start()


def wsgi_gevent(port: int) -> None:
    from gevent.pywsgi import WSGIServer

    WSGIServer(("127.0.0.1", port), wsgi_app(receiver)).serve_forever()


def wsgi_tornado(port: int) -> None:
    from tornado.httpserver import HTTPServer
    from tornado.ioloop import IOLoop
    from tornado.wsgi import WSGIContainer

    HTTPServer(WSGIContainer(wsgi_app(receiver))).listen(port, "127.0.0.1")
    IOLoop.current().start()


def wsgi_hypercorn(port: int) -> None:
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    config = Config()
    config.bind = [f"127.0.0.1:{port}"]
    asyncio.run(serve(wsgi_app(receiver), config, mode="wsgi"))  # type: ignore[arg-type]


def asgi_hypercorn(port: int) -> None:
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    config = Config()
    config.bind = [f"127.0.0.1:{port}"]
    asyncio.run(serve(asgi_app(receiver), config))  # type: ignore[arg-type]


def asgi_uvicorn(port: int) -> None:
    import uvicorn

    uvicorn.run(asgi_app(receiver), port=port)  # type: ignore[arg-type]


def asgi_daphne(port: int) -> None:
    from daphne.server import Server

    Server(asgi_app(receiver), [f"tcp:{port}:interface=127.0.0.1"]).run()


def asgi_granian(port: int) -> None:
    from granian.server.embed import Server

    asyncio.run(Server(asgi_app(receiver), address="127.0.0.1", port=port, interface="asgi").serve())


def aiohttp(port: int) -> None:
    from aiohttp import web

    async def pay(request: Any) -> Any:
        reply = await asyncio.to_thread(receiver.receive, await request.read(), list(request.headers.items()))
        return web.Response(status=reply.status, body=reply.body, headers=dict(reply.headers))

    app = web.Application()
    app.add_routes([web.post(PATH, pay)])
    web.run_app(app, host="127.0.0.1", port=port)


def sanic(port: int) -> None:
    from sanic import Sanic
    from sanic.response import raw

    app = Sanic("shop")

    @app.post(PATH)
    async def pay(request: Any) -> Any:
        reply = await asyncio.to_thread(receiver.receive, request.body, list(request.headers.items()))
        return raw(reply.body, reply.status, dict(reply.headers))

    app.run("127.0.0.1", port, single_process=True)


def tornado(port: int) -> None:
    from tornado.ioloop import IOLoop
    from tornado.web import Application, RequestHandler

    class Pay(RequestHandler):  # type: ignore[misc]
        async def post(self) -> None:
            headers = list(self.request.headers.get_all())
            reply = await asyncio.to_thread(receiver.receive, self.request.body, headers)
            self.set_status(reply.status)
            for name, value in reply.headers:
                self.set_header(name, value)
            self.finish(reply.body)

    Application([(PATH, Pay)]).listen(port, "127.0.0.1")
    IOLoop.current().start()


def falcon(port: int) -> None:
    from falcon import App
    from waitress import serve

    class Pay:
        def on_post(self, request: Any, response: Any) -> None:
            reply = receiver.receive(request.stream.read(), request.headers)
            response.status, response.data = reply.status, reply.body

    app = App()
    app.add_route(PATH, Pay())
    serve(app, host="127.0.0.1", port=port)


def bottle(port: int) -> None:
    from bottle import HTTPResponse, post, request, run

    @post(PATH)
    def pay() -> Any:
        reply = receiver.receive(request.body.read(), request.headers)
        return HTTPResponse(reply.body, reply.status, dict(reply.headers))

    run(host="127.0.0.1", port=port)


def quart(port: int) -> None:
    from quart import Quart, Response, request

    app = Quart("shop")

    @app.post(PATH)
    async def pay() -> Any:
        raw = await request.get_data()
        reply = await asyncio.to_thread(receiver.receive, raw, list(request.headers.items()))
        return Response(reply.body, reply.status, list(reply.headers))

    app.run(port=port)


def litestar(port: int) -> None:
    import uvicorn
    from litestar import Litestar, Request, Response, post

    @post(PATH)
    async def pay(request: Request[Any, Any, Any]) -> Response[bytes]:
        raw = await request.body()
        reply = await asyncio.to_thread(receiver.receive, raw, list(request.headers.items()))
        return Response(reply.body, status_code=reply.status, headers=dict(reply.headers))

    pay.fn.__annotations__.update(request=Request, **{"return": Response[bytes]})
    uvicorn.run(Litestar([pay]), port=port)


def blacksheep(port: int) -> None:
    import uvicorn
    from blacksheep import Application, Content, Request, Response, post

    app = Application()

    async def pay(request: Request) -> Response:
        raw = await request.read()
        reply = await asyncio.to_thread(receiver.receive, raw or b"", list(request.headers))
        return Response(reply.status, content=Content(b"application/json", reply.body))

    pay.__annotations__.update(request=Request, **{"return": Response})
    post(PATH)(pay)
    uvicorn.run(app, port=port)


def robyn(port: int) -> None:
    from robyn import Request, Response, Robyn

    app = Robyn(__file__)

    @app.post(PATH)
    def pay(request: Request) -> Response:
        body = request.body
        raw = body.encode() if isinstance(body, str) else bytes(body)  # JSON comes as text
        headers = [(name, one) for name, values in request.headers.get_headers().items() for one in values]
        reply = receiver.receive(raw, headers)
        return Response(reply.status, dict(reply.headers), reply.body)

    pay.__annotations__.update(request=Request, **{"return": Response})
    app.start(host="127.0.0.1", port=port)


if __name__ == "__main__":
    globals()[sys.argv[1]](int(sys.argv[2]))

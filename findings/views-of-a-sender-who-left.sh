#!/usr/bin/env bash
# sanic 25.12.1, quart 0.22.0, Django 5.2.19, starlette 1.10.0, litestar 2.25.0 and aiohttp 3.14.5, on uvicorn 0.54.0 and hypercorn 0.18.0,
# seen on 2026-11-30.
# One would guess: the view that answers a webhook runs to its end, whether or not the sender still waits.
# What happens: so in Starlette, Litestar and aiohttp. Sanic, Quart and Django's awaited views cancel it at its next `await` when the sender
# closes the connection. What runs in a thread (`asyncio.to_thread`) goes on to its end; what stands behind it in the view does not run.
# Why it matters: the sender's time runs out on a slow day, and the goods are shipped but not noted, or half of the changes are made.
# Known to: [Servers, proxies and frameworks](../docs/servers.md): our receiver runs in a thread, and in one transaction.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet sanic==25.12.1 quart==0.22.0 django==5.2.19 starlette==1.10.0 litestar==2.25.0 aiohttp==3.14.5 uvicorn==0.54.0 \
  hypercorn==0.18.0 || exit 2
cat >serve.py <<'PY'
import asyncio
import sys
import time

name, port = sys.argv[1], int(sys.argv[2])


def say(word):
    print(word, flush=True)


async def work():
    try:
        await asyncio.to_thread(lambda: (say("begun"), time.sleep(1.5), say("thread")))
        say("after")
    except asyncio.CancelledError:
        say("cancelled")
        raise


def serve_asgi(app):
    import uvicorn

    uvicorn.run(app, host="127.0.0.1", port=port, log_level="critical")


if name == "sanic":
    from sanic import Sanic, text

    app = Sanic("shop")

    @app.post("/")
    async def view(request):
        await work()
        return text("success")

    app.run("127.0.0.1", port, single_process=True, motd=False, access_log=False)
elif name.startswith("quart"):
    from quart import Quart

    app = Quart("shop")

    @app.post("/")
    async def view():
        await work()
        return "success"

    if name == "quart, hypercorn":
        from hypercorn.asyncio import serve
        from hypercorn.config import Config

        config = Config()
        config.bind = [f"127.0.0.1:{port}"]
        asyncio.run(serve(app, config))
    else:
        serve_asgi(app)
elif name.startswith("django"):
    import django
    from django.conf import settings
    from django.core.asgi import get_asgi_application
    from django.http import HttpResponse
    from django.urls import path

    settings.configure(ROOT_URLCONF="__main__", SECRET_KEY="x", ALLOWED_HOSTS=["*"], MIDDLEWARE=[])
    django.setup()

    async def view(request):
        await work()
        return HttpResponse("success")

    urlpatterns = [path("", view)]
    serve_asgi(get_asgi_application())
elif name == "starlette":
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    async def view(request):
        await request.body()
        await work()
        return PlainTextResponse("success")

    serve_asgi(Starlette(routes=[Route("/", view, methods=["POST"])]))
elif name == "litestar":
    from litestar import Litestar, Request, post

    @post("/")
    async def view(request: Request) -> str:
        await request.body()
        await work()
        return "success"

    serve_asgi(Litestar([view]))
else:
    from aiohttp import web

    async def view(request):
        await request.read()
        await work()
        return web.Response(text="success")

    app = web.Application()
    app.router.add_post("/", view)
    web.run_app(app, host="127.0.0.1", port=port, print=None)
PY
cat >run.py <<'PY'
import socket
import subprocess
import sys
import time

REQUEST = b"POST / HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
seen = {}
for name in ("sanic", "quart, uvicorn", "quart, hypercorn", "django", "starlette", "litestar", "aiohttp"):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "serve.py", name, str(port)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        for _ in range(600):
            assert server.poll() is None, f"{name} did not start"
            try:
                sender = socket.create_connection(("127.0.0.1", port))
                break
            except ConnectionRefusedError:
                time.sleep(0.1)
        sender.sendall(REQUEST)
        lines = (line.strip() for line in server.stdout)
        words = (line for line in lines if line in {"begun", "thread", "after", "cancelled"})
        seen[name] = next(words)
        sender.close()
        seen[name] += f" {next(words)} {next(words)}"
    finally:
        server.kill()
        server.communicate()
for case in seen.items():
    print(*case, sep=": ")
stopped, whole = "begun cancelled thread", "begun thread after"
assert seen == {
    "sanic": stopped, "quart, uvicorn": stopped, "quart, hypercorn": stopped, "django": stopped,
    "starlette": whole, "litestar": whole, "aiohttp": whole,
}, "this has changed"
PY
venv/bin/python run.py

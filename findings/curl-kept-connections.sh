#!/usr/bin/env bash
# pycurl 7.49.0 and curl_cffi 0.17.0, beside requests 2.34.2, httpx 0.28.1 and aiohttp 3.14.5, seen on 2026-12-01.
# One would guess: without any option for retries a POST is sent once; if the server closes the connection without an answer, the caller has
# an error, as a POST is not idempotent.
# What happens: on a connection that was used before, libcurl sends the POST again, the whole body, over a new one, though the server had
# read all of the first. Both packages answer 200, and the server has two orders; requests, httpx and aiohttp raise.
# Why it matters: a gateway that is restarted, or whose proxy drops a connection, has the payment twice, and no log of the client says so.
# Known to: docs/outcomes.md: the order number is the key.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet pycurl==7.49.0 curl_cffi==0.17.0 requests==2.34.2 httpx==0.28.1 aiohttp==3.14.5 || exit 2
venv/bin/python - <<'PY'
import asyncio
import socket
import threading

import aiohttp
import curl_cffi.requests
import httpx
import pycurl
import requests


def serve():
    """A server that closes one connection once it has read the first order on it; all other requests are answered."""
    listener, seen = socket.create_server(("127.0.0.1", 0)), []

    def handle(connection):
        reader = connection.makefile("rb")
        while line := reader.readline():
            headers = {}
            while (header := reader.readline().strip()) != b"":
                name, _, value = header.partition(b":")
                headers[name.lower()] = value
            body = reader.read(int(headers[b"content-length"])).decode()
            seen.append(f"{line.split()[0].decode()} {body}")
            if seen.count("POST order") == 1 and body == "order":
                break
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        reader.close()
        connection.close()

    def accept():
        while True:
            threading.Thread(target=handle, args=[listener.accept()[0]], daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}/", seen


def with_pycurl(url):
    curl = pycurl.Curl()
    curl.setopt(curl.URL, url)
    curl.setopt(curl.WRITEFUNCTION, lambda data: None)
    for body in ("login", "order"):
        curl.setopt(curl.POSTFIELDS, body)
        curl.perform()
    return curl.getinfo(curl.RESPONSE_CODE)


def with_session(session):
    def run(url):
        session.post(url, data=b"login")
        return session.post(url, data=b"order").status_code

    return run


def with_httpx(url):
    with httpx.Client() as client:
        client.post(url, content=b"login")
        return client.post(url, content=b"order").status_code


def with_aiohttp(url):
    async def run():
        async with aiohttp.ClientSession() as session:
            for body in (b"login", b"order"):
                async with session.post(url, data=body) as answer:
                    await answer.read()
            return answer.status

    return asyncio.run(run())


def seen_of(call):
    url, seen = serve()
    try:
        answer = call(url)
    except Exception as error:
        answer = type(error).__name__
    return seen.count("POST order"), answer


clients = {
    "pycurl": with_pycurl,
    "curl_cffi": with_session(curl_cffi.requests.Session()),
    "requests": with_session(requests.Session()),
    "httpx": with_httpx,
    "aiohttp": with_aiohttp,
}
seen = {name: seen_of(call) for name, call in clients.items()}
print(seen)
assert seen == {
    "pycurl": (2, 200),
    "curl_cffi": (2, 200),
    "requests": (1, "ConnectionError"),
    "httpx": (1, "RemoteProtocolError"),
    "aiohttp": (1, "ServerDisconnectedError"),
}, "this has changed"
PY

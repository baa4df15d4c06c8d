"""A receiver of notifications (webhooks) as a WSGI application: for any server, or mounted beside an application of yours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from http.client import responses
from typing import TYPE_CHECKING, Any

from paywright_receiver.raw_bodies import no_length, not_post

if TYPE_CHECKING:
    from wsgiref.types import InputStream, StartResponse, WSGIApplication, WSGIEnvironment

    from paywright_receiver.webhooks.receiver import BaseReceiver

_CHUNK = 64 * 1024


def wsgi_app(receiver: BaseReceiver) -> WSGIApplication:
    """Make a WSGI application that passes every path to the receiver. Route only the receiver's paths to it."""

    def app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        method = environ["REQUEST_METHOD"]
        if method != "POST":
            reply = not_post(receiver)
        elif endless(environ):
            reply = no_length(receiver)
        else:
            reply = receiver.receive(body(environ, receiver.max_bytes), list(headers(environ)))
        pairs = [*reply.headers, ("Content-Length", str(len(reply.body)))]
        start_response(f"{reply.status} {responses[reply.status]}", pairs)
        return [b"" if method == "HEAD" else reply.body]

    return app


def headers(environ: WSGIEnvironment) -> Iterator[tuple[str, str]]:
    """Yield the headers of a request, by name and value."""
    for name, value in environ.items():
        if name.startswith("HTTP_"):
            yield name[5:].replace("_", "-"), value
        elif name == "CONTENT_LENGTH" and value:
            yield "Content-Length", value


def endless(environ: WSGIEnvironment) -> bool:
    """Return whether nothing says where the body ends: it came in chunks, or in HTTP/2, and reading could block for ever.

    Servers that hand over a file or a buffer with the whole body do not all say so: then it is noted in the environment.
    """
    if environ.get("CONTENT_LENGTH") or environ.get("wsgi.input_terminated"):
        return False
    seekable = getattr(environ["wsgi.input"], "seekable", None)  # no part of a connection is
    environ["wsgi.input_terminated"] = seekable is not None and seekable()
    return not environ["wsgi.input_terminated"]


def length_of(environ: Mapping[str, Any]) -> int | None:
    """Return the length that a request says that its body has; None if it says none."""
    text = environ.get("CONTENT_LENGTH") or ""
    digits = text.lstrip("0")[:16] or text[:1]  # Python converts no text of thousands of digits; no body is so long
    return int(digits) if text.isascii() and text.isdigit() else None


def body(environ: WSGIEnvironment, most: int) -> bytes:
    """Return the body, cut to `most` + 1 bytes if it is longer."""
    stream: InputStream = environ["wsgi.input"]
    length = length_of(environ)
    if length is None:  # reading what has no end could block for ever
        length = 2 * most + 2 if environ.get("wsgi.input_terminated") else 0
    found = read(stream, min(length, most + 1))
    if len(found) > most:
        # Read the rest, at most as much again, so that the client gets the reply.
        read(stream, min(length - len(found), most + 1))
    return found


def read(stream: InputStream, size: int) -> bytes:
    """Return at most `size` bytes of a stream, fewer only at its end."""
    parts: list[bytes] = []
    while size > 0:
        part = stream.read(min(size, _CHUNK))
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)

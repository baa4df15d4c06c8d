"""What the adapters of web frameworks share: what a body must be, and the two answers that need none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from paywright_runtime.delivery_log import log
from paywright_runtime.errors import ConfigurationError, InvalidArgument
from paywright_runtime.reply import Reply

if TYPE_CHECKING:
    from paywright_runtime.receiver import BaseReceiver

__all__ = ["NOT_POST", "consumed", "no_length", "raw_body", "too_large"]

NOT_POST: Final = Reply(
    405,
    (("Allow", "POST"), ("Content-Type", "application/json")),
    b'{"msg":"Not taken: notifications and questions come by POST.","code":"NOT_POST"}',
    "not_post",
    why="Not taken: notifications and questions come by POST.",
)
"""The answer to another method than POST."""


_NO_LENGTH: Final = Reply(
    411,
    (("Content-Type", "application/json"),),
    b'{"msg":"Not taken: it came in chunks. Send it with its length.","code":"NO_LENGTH"}',
    "no_length",
    why="Not taken: it came in chunks, which this server does not hand on.",
)


def no_length() -> Reply:
    """The answer to a body in chunks where the server does not hand those on, and nobody can tell where it ends."""
    log(
        "error",
        "no_length",
        None,
        "a delivery came in chunks, and this WSGI server does not hand those on (it sets no wsgi.input_terminated): use one "
        "that does, such as gunicorn, or a proxy before it that sends Content-Length",
    )
    return _NO_LENGTH


def raw_body(body: object, accessor: str) -> bytes:
    """The body, if it is the raw one. Raises `InvalidArgument`, which names the framework's `accessor` for that."""
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise InvalidArgument(
            f"The body was given as {type(body).__name__}. The signature covers the raw bytes, which no parsed body and no "
            f"text gives back: pass {accessor}."
        )
    return bytes(body)


def consumed(accessor: str) -> NoReturn:
    """Raise: something has read the body before and kept nothing of it."""
    raise ConfigurationError(
        f"The body of the request is gone: something before this receiver has read or parsed it. Read {accessor} first, "
        "which keeps the raw bytes, or exempt the receiver's address."
    )


def too_large(receiver: BaseReceiver) -> Reply:
    """The receiver's own answer to a body above its `max_bytes`, where it is clear that it is, before it is read."""
    return receiver.receive(bytes(receiver.max_bytes + 1), ())

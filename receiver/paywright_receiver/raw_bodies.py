"""Answer a request that brings no raw body which the receiver could read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from paywright_receiver.webhooks.reply import Outcome, Reply

if TYPE_CHECKING:
    from paywright_receiver.webhooks.receiver import BaseReceiver


def _refusal(status: int, outcome: Outcome, words: str, *more: tuple[str, str]) -> Reply:
    body = f'{{"msg":"{words}","code":"{outcome.upper()}"}}'.encode()
    return Reply(status, (*more, ("Content-Type", "application/json")), body, outcome, why=words)


_NOT_POST: Final = _refusal(405, "not_post", "Not taken: notifications and questions come by POST.", ("Allow", "POST"))
_NO_LENGTH: Final = _refusal(411, "no_length", "Not taken: it came without its length. Send it with Content-Length.")
_TOO_LARGE: Final = _refusal(413, "too_large", "Not taken: the application takes no body of this length.")


def not_post(receiver: BaseReceiver) -> Reply:
    """Log another method than POST, and return its reply, 405."""
    receiver.refusals.log("not_post", "another method than POST; a redirect on the way makes a GET of a delivery")
    return _NOT_POST


def beyond_the_application(receiver: BaseReceiver, setting: str) -> Reply:
    """Log a body that is longer than the application's own limit, a `setting`, and return its reply, 413."""
    why = f"a delivery is longer than {setting} of the application allows: raise that to max_bytes of the receiver"
    receiver.refusals.log("too_large", why, "error")
    return _TOO_LARGE


def no_length(receiver: BaseReceiver) -> Reply:
    """Log a body without a length, in chunks or in HTTP/2, whose end the WSGI server does not tell; return its reply, 411."""
    why = (
        "a delivery came without Content-Length, and this WSGI server does not say where such a body ends (it sets no "
        "wsgi.input_terminated): use one that does, such as gunicorn, or a proxy before it that sends Content-Length"
    )
    receiver.refusals.log("no_length", why, "error")
    return _NO_LENGTH


def too_large(receiver: BaseReceiver) -> Reply:
    """Return the receiver's reply to a body longer than its `max_bytes`, without reading the body."""
    return receiver.receive(bytes(receiver.max_bytes + 1), ())

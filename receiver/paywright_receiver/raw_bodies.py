"""Answer a request that brings no raw body which the receiver could read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_receiver.webhooks.reply import STATUS, Outcome, Reply

if TYPE_CHECKING:
    from paywright_receiver.webhooks.receiver import BaseReceiver


def _refused(
    receiver: BaseReceiver, outcome: Outcome, why: str, words: str, *, level: str = "error", headers: tuple[tuple[str, str], ...] = (),
) -> Reply:  # fmt: skip
    receiver.refusals.log(outcome, why, level)
    body = f'{{"msg":"{words}","code":"{outcome.upper()}"}}'.encode()
    return Reply(STATUS[outcome], (*headers, ("Content-Type", "application/json")), body, outcome, why=words)


def not_post(receiver: BaseReceiver) -> Reply:
    """Log another method than POST, and return its reply, 405."""
    why = "another method than POST; a redirect on the way makes a GET of a delivery"
    words = "Not taken: notifications and questions come by POST."
    return _refused(receiver, "not_post", why, words, level="warning", headers=(("Allow", "POST"),))


def beyond_the_application(receiver: BaseReceiver, setting: str) -> Reply:
    """Log a body that is longer than the application's own limit, a `setting`, and return its reply, 413."""
    why = f"a delivery is longer than {setting} of the application allows: raise that to max_bytes of the receiver"
    return _refused(receiver, "too_large", why, "Not taken: the application takes no body of this length.")


def no_length(receiver: BaseReceiver) -> Reply:
    """Log a body without a length, in chunks or in HTTP/2, whose end the WSGI server does not tell; return its reply, 411."""
    why = (
        "a delivery came without Content-Length, and this WSGI server does not say where such a body ends (it sets no "
        "wsgi.input_terminated): use one that does, such as gunicorn, or a proxy before it that sends Content-Length"
    )
    return _refused(receiver, "no_length", why, "Not taken: it came without its length. Send it with Content-Length.")


def too_large(receiver: BaseReceiver) -> Reply:
    """Return the receiver's reply to a body longer than its `max_bytes`, without reading the body."""
    return receiver.receive(bytes(receiver.max_bytes + 1), ())

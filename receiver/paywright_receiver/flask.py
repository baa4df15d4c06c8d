"""A receiver of notifications (webhooks) in a Flask application.

app.register_blueprint(blueprint(receiver, "/paywright"))
"""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, Response, request
from werkzeug.exceptions import RequestEntityTooLarge

from paywright_receiver import wsgi
from paywright_receiver.raw_bodies import beyond_the_application, no_length, not_post, too_large
from paywright_receiver.webhooks.receiver import BaseReceiver
from paywright_receiver.webhooks.reply import Reply

__all__ = ["blueprint", "view"]


def blueprint(receiver: BaseReceiver, *paths: str, name: str = "paywright") -> Blueprint:
    """Make a blueprint with the receiver at these paths."""
    made = Blueprint(name, __name__)
    for path in paths:
        made.add_url_rule(path, "receive", view(receiver), methods=["POST"], provide_automatic_options=False)
    return made


def view(receiver: BaseReceiver) -> Callable[[], Response]:
    """Make a view function, for a path of your choice.

    app.add_url_rule("/paywright", view_func=view(receiver), methods=["POST"])
    """

    def receive() -> Response:
        if request.method != "POST":
            return _response(not_post(receiver))
        if wsgi.endless(request.environ):
            return _response(no_length(receiver))
        length = request.content_length
        try:
            if length is None:
                # What was read before, and kept, is not in the stream any more.
                raw = wsgi.read(request.stream, receiver.max_bytes + 1) or request.get_data(cache=True)
            elif length <= receiver.max_bytes:
                raw = request.get_data(cache=True)
            else:
                return _response(too_large(receiver))
        except RequestEntityTooLarge:
            return _response(beyond_the_application(receiver, "MAX_CONTENT_LENGTH"))
        return _response(receiver.receive(raw, request.headers))

    return receive


def _response(reply: Reply) -> Response:
    return Response(reply.body, reply.status, list(reply.headers))

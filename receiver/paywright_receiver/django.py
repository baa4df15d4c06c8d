"""A receiver of notifications (webhooks) in a Django project.

urlpatterns = [path("paywright", view(receiver))]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import connections, transaction
from django.http import HttpRequest, HttpResponse
from django.http.request import RawPostDataException
from django.views.decorators.csrf import csrf_exempt

from paywright_receiver import wsgi
from paywright_receiver.raw_bodies import beyond_the_application, no_length, not_post, too_large
from paywright_receiver.webhooks.receiver import BaseReceiver
from paywright_receiver.webhooks.reply import Reply

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

__all__ = ["view"]


def view(receiver: BaseReceiver) -> Callable[[HttpRequest], HttpResponse]:
    """Make a view, exempt from logins and the CSRF check: the signature says who sends. Under ASGI, Django runs it in a thread.

    It is exempt from ATOMIC_REQUESTS too. A handler's writes through Django's own connection are committed at once, or at the
    end of a `transaction.atomic(durable=True)` in the handler: before the ledger's record is done and the gateway gets its
    answer.
    """

    def receive(request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            return _response(not_post(receiver))
        length = wsgi.length_of(request.META)
        # Under WSGI, Django reads up to Content-Length, and treats a request without one as empty. Under ASGI it does not.
        environ: WSGIEnvironment | None = getattr(request, "environ", None)
        if environ is not None and wsgi.endless(environ):
            return _response(no_length(receiver))
        try:
            if length is None and environ is not None:
                raw = wsgi.body(environ, receiver.max_bytes)
            elif length is None:
                raw = cast(bytes, request.read(receiver.max_bytes + 1))
            elif length <= receiver.max_bytes:
                raw = request.body
            else:
                return _response(too_large(receiver))
        except RequestDataTooBig:
            return _response(beyond_the_application(receiver, "DATA_UPLOAD_MAX_MEMORY_SIZE"))
        except RawPostDataException:
            raw = b""  # it is gone, which the receiver says
        return _response(receiver.receive(raw, list(wsgi.headers(request.META))))

    view = csrf_exempt(receive)
    setattr(view, "login_required", False)  # noqa: B010 -- as LoginRequiredMiddleware of Django 5.1 asks
    # With ATOMIC_REQUESTS the ledger would be done before the view's transaction is committed. A program that imports its views
    # alone, such as one that follows, has no settings.
    for alias in connections if settings.configured else ():
        view = transaction.non_atomic_requests(using=alias)(view)
    return cast("Callable[[HttpRequest], HttpResponse]", view)


def _response(reply: Reply) -> HttpResponse:
    return HttpResponse(reply.body, status=reply.status, headers=dict(reply.headers))

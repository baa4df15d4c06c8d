"""Recording around clients: the SDK's own, and those of httpx and requests.

A client is recorded where it stands, with its settings and connections: its transport or its adapters pass each exchange on as it is.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from paywright_audit.input.errors import AuditSetupError
from paywright_audit.recording.captured import Captured, Pairs, pairs
from paywright_audit.recording.recorder import Recorder, checked_recorder
from paywright_runtime.client.client import ClientCore
from paywright_runtime.transport.api import Phase, RawAnswer, SignedRequest

C = TypeVar("C")


def recorded_client(client: C, recorder: Recorder) -> C:
    """Record every call of a client from now on, and return the client: `recorded_client(Client.from_env(), recorder)`.

    `client` is a `paywright.Client` or `paywright.aio.Client`, a client of httpx, blocking or awaited, or a session of requests with all
    its adapters. httpx and requests then get each response when all of it has arrived. A response of requests with `stream=True` is
    recorded without its body. Raises `AuditSetupError` for anything else, and for a client that is recorded already.
    """
    checked_recorder(recorder)
    other: Any = client
    if isinstance(client, ClientCore):
        around: Callable[..., object] = _send_awaited if client._awaited else _send
        _put("send", [client._transport], around, recorder, client._base_url.rstrip("/"))
    elif hasattr(client, "_mounts"):  # httpx
        awaited = hasattr(client, "aclose")
        name, around = ("handle_async_request", _handle_awaited) if awaited else ("handle_request", _handle)
        _put(name, [other._transport, *filter(None, other._mounts.values())], around, recorder)
    elif hasattr(client, "adapters"):  # requests
        _put("send", other.adapters.values(), _adapt, recorder)
    else:
        raise AuditSetupError(
            "Clients of paywright and httpx and sessions of requests can be recorded, and this is none."
        )
    return client


def _put(name: str, owners: Iterable[object], around: Callable[..., object], *given: object) -> None:
    methods = {id(owner): (owner, getattr(owner, name)) for owner in owners}
    if any(getattr(method, "func", None) is around for _, method in methods.values()):
        raise AuditSetupError("This client is recorded already: each exchange would be there twice.")
    for owner, method in methods.values():
        setattr(owner, name, partial(around, method, *given))


class _ClientCall(Captured):
    """A call of the SDK, which tells how far it comes."""

    def __init__(self, recorder: Recorder, base_url: str, request: SignedRequest) -> None:
        super().__init__(recorder, "call", lambda: ("POST", base_url + request.path, request.headers, request.body))
        self.request: SignedRequest = request._replace(reach=partial(self._reach, request.reach))

    def _reach(self, reach: Callable[[Phase], None], phase: Phase) -> None:
        self.sent = phase not in (Phase.CONNECTING, Phase.SENDING)
        reach(phase)

    def came(self, answer: RawAnswer) -> RawAnswer:
        self.answered(answer.status, answer.headers, answer.body)
        return answer


def _send(inner: Any, recorder: Recorder, base_url: str, request: SignedRequest, deadline: float) -> RawAnswer:
    with _ClientCall(recorder, base_url, request) as call:
        return call.came(inner(call.request, deadline))


async def _send_awaited(
    inner: Any, recorder: Recorder, base_url: str, request: SignedRequest, deadline: float
) -> RawAnswer:
    with _ClientCall(recorder, base_url, request) as call:
        return call.came(await inner(call.request, deadline))


def _handle(inner: Any, recorder: Recorder, request: Any) -> Any:
    try:
        request.read()
        with Captured(recorder, "call", partial(_of_httpx, request)) as call:
            response = inner(request)
            stream = response.stream
            try:
                return _whole(call, response, b"".join(stream))
            finally:
                stream.close()
    except BaseException:
        del request  # trackers print its address, with the query
        raise


async def _handle_awaited(inner: Any, recorder: Recorder, request: Any) -> Any:
    try:
        await request.aread()
        with Captured(recorder, "call", partial(_of_httpx, request)) as call:
            response = await inner(request)
            stream = response.stream
            try:
                return _whole(call, response, b"".join([part async for part in stream]))
            finally:
                await stream.aclose()
    except BaseException:
        del request  # as above
        raise


def _of_httpx(request: Any) -> tuple[str, str, Pairs, bytes]:
    return request.method, str(request.url), pairs(request.headers.raw), request.content


def _whole(call: Captured, response: Any, body: bytes) -> Any:
    from httpx import ByteStream

    response.stream = ByteStream(body)
    call.answered(response.status_code, pairs(response.headers.raw), body)
    return response


def _adapt(inner: Any, recorder: Recorder, request: Any, stream: bool = False, **options: Any) -> Any:
    try:
        with Captured(recorder, "call", partial(_of_requests, request)) as call:
            try:
                response = inner(request, stream=stream, **options)
            except Exception:
                adapter = getattr(inner, "__self__", None)
                if getattr(getattr(adapter, "max_retries", None), "total", 0):
                    call.end()  # the error is the last attempt's: an earlier one may have sent something
                raise
            headers = getattr(response.raw, "headers", response.headers)  # the latter merge equal names
            body = None if stream or response.is_redirect else response.content  # which requests reads next
            call.answered(response.status_code, pairs(headers.items()), body)
            return response
    except BaseException:
        del options  # a proxy's password
        raise


def _of_requests(request: Any) -> tuple[str, str, Pairs, bytes | None]:
    raw = request.body.encode() if isinstance(request.body, str) else request.body or b""
    return request.method, request.url, pairs(request.headers.items()), raw if isinstance(raw, bytes) else None

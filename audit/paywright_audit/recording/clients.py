"""Recording around clients: the SDK's own, blocking or awaited, and those of any program that uses httpx or requests.

What is sent and received stays the same, byte for byte, and so do errors.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any, cast

from paywright_audit.recording.captured import Captured, CapturedMessage, Pairs
from paywright_audit.recording.recorder import Recorder, checked_recorder
from paywright_runtime.transport.api import RawAnswer, SignedRequest, Transport

if TYPE_CHECKING:
    import httpx
    from requests.adapters import BaseAdapter

    from paywright_runtime.transport.api import AsyncTransport

__all__ = ["AsyncRecorded", "Recorded", "recorded_async_httpx", "recorded_httpx", "recorded_requests"]


def _now() -> datetime:
    return datetime.now(UTC)


class _Exchange:
    """An exchange under way: begun when it is made, recorded at its end."""

    __slots__ = ("_at", "_begun", "_recorder")

    def __init__(
        self, recorder: Recorder, method: str, url: str, headers: Iterable[tuple[str, str]], body: object
    ) -> None:
        self._recorder = recorder
        self._begun = method, url, CapturedMessage(tuple(headers), body if isinstance(body, bytes) else None)
        self._at = _now()

    def answered(self, status: int, headers: Pairs, body: bytes | None) -> None:
        method, url, request = self._begun
        self._recorder.record(
            Captured("call", method, url, request, CapturedMessage(headers, body, status), self._at, _now())
        )

    def failed(self, *, sent: bool = True) -> None:
        method, url, request = self._begun
        self._recorder.record(Captured("call", method, url, request, None, self._at, _now(), sent))


class Recorded:
    """A transport for `Client(transport=...)` that records: `Recorded(recorder, "https://gateway.example")`.

    `base_url` is that of the client. `transport` is the one to record, the SDK's own by default; give your own for a proxy or
    other certificates.
    """

    def __init__(self, recorder: Recorder, base_url: str, transport: Transport | None = None) -> None:
        if transport is None:
            from paywright_runtime.transport.blocking import HttpTransport  # an awaited client needs none

            transport = HttpTransport(base_url)
        self._recorder, self._base_url, self._inner = checked_recorder(recorder), base_url.rstrip("/"), transport

    def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """Make one exchange, and record it; see `paywright_runtime.transport.api.Transport`."""
        exchange = _of_ours(self._recorder, self._base_url, request)
        try:
            answer = self._inner.send(request, deadline)
        except BaseException as failure:
            exchange.failed(sent=getattr(failure, "body_started", True))
            raise
        exchange.answered(answer.status, answer.headers, answer.body)
        return answer

    def close(self) -> None:
        """Close the transport; the recorder stays open."""
        self._inner.close()

    def __repr__(self) -> str:
        return f"<Recorded {self._inner!r}>"


class AsyncRecorded:
    """The same for `paywright.aio.Client(transport=...)`."""

    def __init__(self, recorder: Recorder, base_url: str, transport: AsyncTransport | None = None) -> None:
        if transport is None:
            from paywright_runtime.transport.aio.transport import AsyncHttpTransport  # an extra

            transport = AsyncHttpTransport(base_url)
        self._recorder, self._base_url, self._inner = checked_recorder(recorder), base_url.rstrip("/"), transport

    async def send(self, request: SignedRequest, deadline: float) -> RawAnswer:
        """Make one exchange, and record it; see `paywright_runtime.transport.api.AsyncTransport`."""
        exchange = _of_ours(self._recorder, self._base_url, request)
        try:
            answer = await self._inner.send(request, deadline)
        except BaseException as failure:
            exchange.failed(sent=getattr(failure, "body_started", True))
            raise
        exchange.answered(answer.status, answer.headers, answer.body)
        return answer

    async def aclose(self) -> None:
        """Close the transport; the recorder stays open."""
        await self._inner.aclose()

    def __repr__(self) -> str:
        return f"<AsyncRecorded {self._inner!r}>"


def _of_ours(recorder: Recorder, base_url: str, request: SignedRequest) -> _Exchange:
    return _Exchange(recorder, "POST", base_url + request.path, request.headers, request.body)


def recorded_httpx(recorder: Recorder, transport: httpx.BaseTransport | None = None) -> httpx.BaseTransport:
    """Return a transport for `httpx.Client(transport=...)` that records. A response is read whole before it is handed over.

    `transport` is the one to record, by default `httpx.HTTPTransport()`.
    """
    return cast("httpx.BaseTransport", _RecordedHttpx(recorder, transport))


def recorded_async_httpx(
    recorder: Recorder, transport: httpx.AsyncBaseTransport | None = None
) -> httpx.AsyncBaseTransport:
    """Return the same for `httpx.AsyncClient(transport=...)`, by default of `httpx.AsyncHTTPTransport()`."""
    return cast("httpx.AsyncBaseTransport", _AsyncRecordedHttpx(recorder, transport))


class _RecordedHttpx:

    def __init__(self, recorder: Recorder, transport: Any = None) -> None:
        self._recorder, self._httpx = checked_recorder(recorder), import_module("httpx")
        self._inner = self._httpx.HTTPTransport() if transport is None else transport

    def handle_request(self, request: Any) -> Any:
        exchange = _of_httpx(self._recorder, request, request.read())
        try:
            response = self._inner.handle_request(request)
            try:
                body = b"".join(response.stream)
            finally:
                response.close()
        except BaseException as failure:
            exchange.failed(sent=not isinstance(failure, (self._httpx.ConnectError, self._httpx.ConnectTimeout)))
            raise
        return _httpx_answer(exchange, self._httpx, response, body)

    def close(self) -> None:
        self._inner.close()

    def __enter__(self) -> _RecordedHttpx:
        self._inner.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        self._inner.__exit__(*raised)


class _AsyncRecordedHttpx:
    def __init__(self, recorder: Recorder, transport: Any = None) -> None:
        self._recorder, self._httpx = checked_recorder(recorder), import_module("httpx")
        self._inner = self._httpx.AsyncHTTPTransport() if transport is None else transport

    async def handle_async_request(self, request: Any) -> Any:
        exchange = _of_httpx(self._recorder, request, await request.aread())
        try:
            response = await self._inner.handle_async_request(request)
            try:
                body = b"".join([part async for part in response.stream])
            finally:
                await response.aclose()
        except BaseException as failure:
            exchange.failed(sent=not isinstance(failure, (self._httpx.ConnectError, self._httpx.ConnectTimeout)))
            raise
        return _httpx_answer(exchange, self._httpx, response, body)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> _AsyncRecordedHttpx:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self._inner.__aexit__(*raised)


def _of_httpx(recorder: Recorder, request: Any, body: bytes) -> _Exchange:
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw]
    return _Exchange(recorder, request.method, str(request.url), headers, body)


def _httpx_answer(exchange: _Exchange, httpx: Any, response: Any, body: bytes) -> Any:
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw]
    exchange.answered(response.status_code, headers, body)
    return httpx.Response(
        response.status_code, headers=response.headers, stream=httpx.ByteStream(body), extensions=response.extensions
    )


def recorded_requests(recorder: Recorder, adapter: BaseAdapter | None = None) -> BaseAdapter:
    """Return an adapter for `requests.Session.mount("https://gateway.example", ...)` that records.

    A response is read whole before it is handed over; of one that is asked for with `stream=True` no body is recorded.
    `adapter` is the one to record, by default `requests.adapters.HTTPAdapter()`.
    """
    return cast("BaseAdapter", _RecordedRequests(recorder, adapter))


class _RecordedRequests:
    def __init__(self, recorder: Recorder, adapter: Any = None) -> None:
        self._recorder = checked_recorder(recorder)
        self._inner = import_module("requests.adapters").HTTPAdapter() if adapter is None else adapter

    def send(self, request: Any, stream: bool = False, **options: Any) -> Any:
        body = request.body.encode(errors="replace") if isinstance(request.body, str) else request.body or b""
        exchange = _Exchange(self._recorder, request.method, request.url, _texts(request.headers), body)
        try:
            response = self._inner.send(request, stream=stream, **options)
        except BaseException as failure:
            exchange.failed(sent=not isinstance(failure, import_module("requests").exceptions.ConnectTimeout))
            raise
        if stream or not hasattr(response.raw, "decode_content"):  # an answer of no network
            exchange.answered(response.status_code, _texts(response.headers), None)
            return response
        answer = response.raw
        try:
            raw = answer.read(decode_content=False)
        except Exception as failure:
            exchange.failed()
            answer.stream = partial(_fail, failure)  # requests makes its own error of it
            return response
        exchange.answered(response.status_code, _texts(answer.headers), raw)
        response.raw = type(answer)(
            BytesIO(raw), headers=answer.headers, status=answer.status, reason=answer.reason, version=answer.version,
            preload_content=False, original_response=answer._original_response,
        )  # fmt: skip
        return response

    def close(self) -> None:
        self._inner.close()


def _fail(failure: Exception, *given: Any, **more: Any) -> Any:
    raise failure


def _texts(headers: Any) -> list[tuple[str, str]]:
    """Return headers as text; requests takes them as bytes too."""
    return [(_text(name), _text(value)) for name, value in headers.items()]


def _text(one: str | bytes) -> str:
    return one.decode("latin-1") if isinstance(one, bytes) else one

"""Traces and metrics by OpenTelemetry: `Telemetry` observes clients, followers and receivers. It needs the extra `otel`.

    telemetry = Telemetry()
    client = Client.from_env(observer=telemetry)
    receiver = Receiver.from_env(ledger, observer=telemetry)

No attribute, event or status holds a header, a part of a body, or a value that the contract classes as secret, pan or pii.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextvars import Token
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from paywright_runtime.attempts import REASONS
from paywright_runtime.errors import ConfigurationError, InvalidArgument, PaywrightError
from paywright_runtime.redaction import shown_key
from paywright_runtime.version import VERSION

try:
    from opentelemetry.context import Context, attach, detach
    from opentelemetry.metrics import CallbackOptions, MeterProvider, Observation, get_meter
    from opentelemetry.trace import Span, SpanKind, Status, StatusCode, TracerProvider, get_tracer, set_span_in_context
except ImportError:
    raise ConfigurationError("Traces and metrics need an extra: pip install 'paywright[otel]'.") from None

if TYPE_CHECKING:
    from paywright_receiver.ledgers.sql.sql_ledger import Ledger
    from paywright_receiver.webhooks.reply import DeliveryEvent
    from paywright_runtime.client.attempt_events import AttemptEvent
    from paywright_runtime.contract.operation import Operation

__all__ = ["Telemetry"]

_SCHEMA: Final = "https://opentelemetry.io/schemas/1.30.0"
_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_EVERY: Final = 1.0
"""Seconds between two measurements of the clocks, which differ little from one call to the next."""
_ERROR: Final = Status(StatusCode.ERROR)
_PROCESS: Final = {
    "messaging.system": "paywright",
    "messaging.operation.name": "process",
    "messaging.operation.type": "process",
}
_MEASURED: Final = {name: _PROCESS[name] for name in ("messaging.system", "messaging.operation.name")}


class Telemetry:
    """Observer that makes spans and metrics of calls, deliveries and followed items. Threads and tasks may share it.

    Give it to a client and to a receiver; a `Follower` has that of its client. Make it after the SDK of OpenTelemetry is set
    up: then the counter of unknown outcomes begins with 0, and an alarm sees the first of them.

    Args:
        tracer_provider: the provider of the tracer; the global one by default.
        meter_provider: the provider of the meter; the global one by default.

    Raises `InvalidArgument`.
    """

    def __init__(
        self, tracer_provider: TracerProvider | None = None, meter_provider: MeterProvider | None = None
    ) -> None:
        if not isinstance(tracer_provider, (TracerProvider, type(None))):
            raise InvalidArgument("tracer_provider is a TracerProvider of OpenTelemetry, or None for the global one.")
        if not isinstance(meter_provider, (MeterProvider, type(None))):
            raise InvalidArgument("meter_provider is a MeterProvider of OpenTelemetry, or None for the global one.")
        self._tracer = get_tracer("paywright", VERSION, tracer_provider, _SCHEMA)
        self._meter = meter = get_meter("paywright", VERSION, meter_provider, _SCHEMA)
        self._durations = meter.create_histogram(
            "paywright.call.duration", "s", "Duration of calls.", explicit_bucket_boundaries_advisory=_SECONDS
        )
        self._unknown = meter.create_counter("paywright.call.unknown", "{call}", "Writes whose outcome is unknown.")
        self._skew = meter.create_gauge(
            "paywright.clock.skew", "s", "How far the gateway's clock is ahead of this machine's, by its Date."
        )
        self._deliveries = meter.create_histogram(
            "messaging.process.duration", "s", "Duration of deliveries.", explicit_bucket_boundaries_advisory=_SECONDS
        )
        self._unknown.add(0)
        self._skew_at = -_EVERY

    def watch_items(self, ledger: Ledger) -> None:
        """Measure how many items are open in a ledger. They are counted whenever metrics are collected; call it once a ledger.

        All processes with one ledger count the same items. Raises `InvalidArgument` for a ledger that keeps none.
        """
        if not hasattr(ledger, "book"):
            raise InvalidArgument("ledger is a ledger that keeps open items, such as SqliteLedger or PostgresLedger.")
        book = ledger.book

        def count(options: CallbackOptions) -> Iterable[Observation]:
            return [Observation(book.counts().get("open", 0))]

        self._meter.create_observable_gauge("paywright.items.open", [count], "{item}", "Items without a last state.")

    def call(self, operation: Operation, url: str, key: Callable[[], str | None]) -> _Call:
        """Begin the span of a call; for the client."""
        return _Call(self, operation, url, key)

    def item(self, kind: str, key: str | None) -> Callable[[BaseException | None], None]:
        """Begin the span of a followed item; for the follower."""
        span = self._tracer.start_span(f"follow {kind}", attributes={"paywright.item.kind": kind})
        if key is not None and span.is_recording():
            span.set_attribute("paywright.key", shown_key(key))
        token = _made_current(span)

        def end(error: BaseException | None) -> None:
            _end(span, token, {}, None if error is None else type(error).__name__)

        return end

    def delivery(self, kinds: Collection[str]) -> Callable[[DeliveryEvent | None], None]:
        """Begin the span of a delivery; for the receiver."""
        span = self._tracer.start_span("process", kind=SpanKind.CONSUMER, attributes=_PROCESS)
        token = _made_current(span)

        def end(event: DeliveryEvent | None) -> None:
            if event is None:
                _end(span, token, {}, "interrupted")
                return
            found: dict[str, str | int] = {"paywright.answer": event.outcome}
            if event.kind is not None:
                kind = found["messaging.destination.name"] = event.kind if event.kind in kinds else "other"
                span.update_name(f"process {kind}")
            wrong = None if event.acknowledged else event.outcome if event.error is None else type(event.error).__name__
            error = {} if wrong is None else {"error.type": wrong}
            self._deliveries.record(event.seconds, {**_MEASURED, **found, **error})
            _end(span, token, found, wrong)

        return end


class _Call:
    """A call under way."""

    __slots__ = ("_begun", "_found", "_operation", "_span", "_telemetry", "_token")

    def __init__(self, telemetry: Telemetry, operation: Operation, url: str, key: Callable[[], str | None]) -> None:
        self._telemetry = telemetry
        self._operation = operation
        self._begun = perf_counter()
        self._span = span = telemetry._tracer.start_span(
            f"POST {operation.name}", kind=SpanKind.CLIENT, attributes=_of_call(operation.name, url)
        )
        self._found: dict[str, str | int] = {}
        if span.is_recording() and (shown := key()) is not None:
            self._found["paywright.key"] = shown_key(shown)
        self._token = _made_current(span)

    def attempt(self, event: AttemptEvent) -> None:
        """Add the event of an attempt."""
        of, now = self._telemetry, perf_counter()
        if now - of._skew_at >= _EVERY and (skew := event.clock_skew) is not None:
            of._skew_at = now
            of._skew.set(skew)
        if not self._span.is_recording():
            return
        attempt, found = event.attempt, self._found
        seen = {"paywright.attempt.outcome": event.outcome}
        if attempt.reason != "answered":
            seen["paywright.attempt.phase"] = str(attempt.phase)
            seen["paywright.attempt.reason"] = attempt.reason if attempt.reason in REASONS else "other"
        if attempt.number > 1:
            found["http.request.resend_count"] = attempt.number - 1
            found.pop("http.response.status_code", None)
        if attempt.status is not None:
            found["http.response.status_code"] = attempt.status
        self._span.add_event("paywright.attempt", seen)

    def end(self, error: BaseException | None) -> None:
        """End the span, and measure the call."""
        seconds, wrong, outcome = perf_counter() - self._begun, None, "confirmed"
        measured = {"paywright.operation": self._operation.name}
        if error is not None:
            wrong = measured["error.type"] = type(error).__name__
            unknown = isinstance(error, PaywrightError) and error.call_may_have_moved_money
            outcome = "unknown" if unknown else "failed"
            if unknown:
                self._telemetry._unknown.add(1)
            code = getattr(error, "code", None)
            of = self._operation  # any other code is a text of the answer
            known = of.refusal_codes | of.duplicate_codes | of.not_found_codes | of.clock_codes
            if isinstance(code, str) and code in known:
                self._found["paywright.code"] = code
        measured["paywright.outcome"] = self._found["paywright.outcome"] = outcome
        self._telemetry._durations.record(seconds, measured)
        _end(self._span, self._token, self._found, wrong)


def _made_current(span: Span) -> Token[Context] | None:
    """Make a span the current one. One without an identity, which the API makes without the SDK, has nothing to pass on."""
    return attach(set_span_in_context(span)) if span.get_span_context().is_valid else None


def _end(span: Span, token: Token[Context] | None, found: Mapping[str, str | int], wrong: str | None) -> None:
    """End a span that is current. `wrong` is its `error.type`, None if all went well."""
    try:
        if span.is_recording():
            span.set_attributes(found if wrong is None else {**found, "error.type": wrong})
            if wrong is not None:
                span.set_status(_ERROR)
            span.end()
    finally:
        if token is not None:
            detach(token)


@lru_cache(maxsize=256)
def _of_call(operation: str, url: str) -> Mapping[str, str | int]:
    """Return the attributes that all calls of an operation have."""
    parts = urlsplit(url)
    address = parts.netloc.rpartition("@")[2]
    return {
        "paywright.operation": operation,
        "http.request.method": "POST",
        "url.full": f"{parts.scheme}://{address}{parts.path}",
        "server.address": parts.hostname or "",
        "server.port": parts.port or (80 if parts.scheme == "http" else 443),
    }

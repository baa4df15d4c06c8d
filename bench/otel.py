"""Traces and metrics of a whole signed call, against the same call without: the API of OpenTelemetry alone, and its SDK.

The three take turns, a short batch each. CPU time of the thread counts, and of all batches the tenth that was fastest, which other
programs disturb least. The SDK has a processor that exports in a thread of its own, to nowhere, and a reader that
nobody asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import quantiles
from typing import Final

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from bench.call import Sides, by_client
from bench.canned import canned
from bench.figures import Figure, Timings, turns
from paywright import Client
from paywright_receiver.otel import Telemetry

_MOST: Final = 70.0
"""Microseconds."""


class _Nowhere(SpanExporter):
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return SpanExportResult.SUCCESS


def run(*, quick: bool = False) -> Timings:
    """Seconds of CPU a call, per round: without an observer, with the API alone, and with the SDK."""
    sides = Sides()
    tracers, meters = TracerProvider(), MeterProvider([InMemoryMetricReader()])
    tracers.add_span_processor(BatchSpanProcessor(_Nowhere()))
    observers = {"off": None, "api": Telemetry(), "sdk": Telemetry(tracers, meters)}
    with canned(([*sides.headers, ("Date", "Sun, 01 Jun 2025 04:00:00 GMT")], sides.answer)) as port:
        base = f"http://127.0.0.1:{port}"
        clients = {
            name: Client(base_url=base, merchant=sides.merchant, observer=one) for name, one in observers.items()
        }
        calls = {name: partial(by_client, client) for name, client in clients.items()}
        found = turns(calls, batches=40 if quick else 800, batch=5)
        for client in clients.values():
            client.close()
    tracers.shutdown()
    meters.shutdown()
    return found


def figures(*, quick: bool = False) -> list[Figure]:
    """Return the lines of the table."""
    timings = run(quick=quick)
    off, api, sdk = (quantiles(timings[name], n=10)[0] for name in ("off", "api", "sdk"))
    more = (sdk - off) * 1e6
    return [
        Figure("a call, the API alone", "the call without telemetry", api / off, 1.03),
        Figure("what the SDK adds to a call", f"{_MOST:g} microseconds", more / _MOST, 1.0, f"{more:.0f} microseconds"),
    ]

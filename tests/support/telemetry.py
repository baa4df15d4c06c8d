"""Traces and metrics as the SDK of OpenTelemetry keeps them in memory."""

from __future__ import annotations

from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from paywright_receiver.otel import Telemetry


class Watched:
    """A `Telemetry` and all that it made."""

    def __init__(self) -> None:
        self._spans, self._metrics = InMemorySpanExporter(), InMemoryMetricReader()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self.telemetry = Telemetry(self.tracers, MeterProvider([self._metrics]))

    def spans(self) -> list[ReadableSpan]:
        """Return the spans that have ended, in the order of their ends."""
        return list(self._spans.get_finished_spans())

    def named(self, name: str) -> ReadableSpan:
        (found,) = [span for span in self.spans() if span.name == name]
        return found

    def points(self) -> dict[str, list[Any]]:
        """Return the data points of each metric."""
        data = self._metrics.get_metrics_data()
        scopes = [scope for resource in data.resource_metrics for scope in resource.scope_metrics] if data else []
        return {metric.name: list(metric.data.data_points) for scope in scopes for metric in scope.metrics}

    def text(self) -> str:
        """Return everything that an exporter would get."""
        return "\n".join([*(span.to_json() for span in self.spans()), *map(str, self.points().items())])


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def events(span: ReadableSpan) -> list[dict[str, object]]:
    assert {event.name for event in span.events} <= {"paywright.attempt"}
    return [dict(event.attributes or {}) for event in span.events]

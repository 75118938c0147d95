"""Prometheus metrics: the requests of this process, and statistics from the database.

Each process counts its own requests. Processes that share a folder in `PROMETHEUS_MULTIPROC_DIR` report their sum.
"""

import os
from collections.abc import Iterable
from typing import Final

from flask import Request, Response
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from service.context import AppContext
from service.games.statistics import ServerStats, read_server_stats

TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"
_NO_ENDPOINT: Final = "none"
_SECONDS: Final = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class RequestCounts:
    """Requests by endpoint, never by URL, because URLs contain tokens."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "marrakech_requests",
            "Requests that were answered.",
            ["endpoint", "method", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "marrakech_request_seconds",
            "How long the answers took.",
            ["endpoint"],
            buckets=_SECONDS,
            registry=self._registry,
        )

    def count(self, request: Request, response: Response, seconds: float) -> None:
        """Count one response."""
        # Without a route, the method may be any word, and each would become a time series of its own.
        method = request.method if request.url_rule else "any"
        endpoint = request.endpoint or _NO_ENDPOINT
        self._requests.labels(endpoint, method, str(response.status_code)).inc()
        self._seconds.labels(endpoint).observe(seconds)

    def to_text(self) -> bytes:
        """The counts in Prometheus' text format: of all processes that share a folder, or of this one."""
        registry = self._registry
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


class _StatisticsCollector(Collector):
    """The statistics from the database as metrics."""

    def __init__(self, stats: ServerStats) -> None:
        self._stats = stats

    def collect(self) -> Iterable[Metric]:
        stats = self._stats
        games = GaugeMetricFamily("marrakech_games", "Games by game and status.", labels=["game", "status"])
        for (game, status), number in stats.games.items():
            games.add_metric([game, status], number)
        letters = GaugeMetricFamily("marrakech_letters", "Letters by status.", labels=["status"])
        for status, number in stats.letters.items():
            letters.add_metric([status], number)
        yield games
        yield letters
        yield GaugeMetricFamily("marrakech_players", "Players.", stats.players)
        yield CounterMetricFamily("marrakech_events", "Events of all games.", stats.events)
        yield GaugeMetricFamily(
            "marrakech_outbox_age_seconds", "Age of the oldest letter in the outbox.", stats.outbox_age
        )
        lag = float("inf") if stats.worker_lag is None else stats.worker_lag
        yield GaugeMetricFamily("marrakech_worker_lag_seconds", "Time since the last heartbeat of any worker.", lag)


def metrics_text(ctx: AppContext, counts: RequestCounts) -> bytes:
    """All metrics in Prometheus' text format."""
    registry = CollectorRegistry()
    registry.register(_StatisticsCollector(read_server_stats(ctx)))
    return generate_latest(registry) + counts.to_text()

"""Figures for a monitor: what this process has answered, and how the house stands according to the database.

Requests are counted by each process for itself. Where `PROMETHEUS_MULTIPROC_DIR` names a folder, processes that share
it add their counts up, whichever of them is asked; the figures out of the database are the same in every process.
"""

import os
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from flask import Request, Response
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from service.context import AppContext
from service.server_stats import ServerStats, read_server_stats

TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"
_NO_SUCH_PAGE: Final = "none"
_SECONDS: Final = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class RequestCounts:
    """What the application has answered, by the name of the page or call and never by its address: that has tokens."""

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

        # There are only so many pages and verbs, and looking a series up takes longer than counting.
        self._series = lru_cache(maxsize=1024)(self._find_series)

    def count(self, asked: Request, answer: Response, seconds: float) -> None:
        """Count one answer."""
        # A verb may be any word at all, and each would become a series of its own.
        method = asked.method if asked.url_rule else "any"
        requests, times = self._series(asked.endpoint or _NO_SUCH_PAGE, method, answer.status_code)
        requests.inc()
        times.observe(seconds)

    def _find_series(self, endpoint: str, method: str, status: int) -> tuple[Counter, Histogram]:
        return self._requests.labels(endpoint, method, str(status)), self._seconds.labels(endpoint)

    def written(self) -> bytes:
        """The counts as text: those of every process where they share a folder, else those of this one."""
        registry = self._registry
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


class _House(Collector):
    """The figures out of the database."""

    def __init__(self, standing: ServerStats) -> None:
        self._standing = standing

    def collect(self) -> Iterable[Metric]:
        """One after the other."""
        standing = self._standing
        games = GaugeMetricFamily("marrakech_games", "Tables, by how far they are.", labels=["status"])
        for status, number in standing.games.items():
            games.add_metric([status], number)
        letters = GaugeMetricFamily("marrakech_letters", "Letters, by what became of them.", labels=["status"])
        for status, number in standing.letters.items():
            letters.add_metric([status], number)
        yield games
        yield letters
        yield GaugeMetricFamily("marrakech_players", "People who are known here.", standing.players)
        yield CounterMetricFamily("marrakech_events", "What has happened in all games together.", standing.events)
        yield GaugeMetricFamily(
            "marrakech_outbox_age_seconds", "How long the oldest letter waits to be sent.", standing.outbox_age
        )
        lag = float("inf") if standing.worker_lag is None else standing.worker_lag
        yield GaugeMetricFamily("marrakech_worker_lag_seconds", "For how long no worker has been at work.", lag)


def metrics_text(ctx: AppContext, counts: RequestCounts) -> bytes:
    """All figures, in the text form that Prometheus reads."""
    house = CollectorRegistry()
    house.register(_House(read_server_stats(ctx)))
    return generate_latest(house) + counts.written()

"""Routes for monitoring: whether the server runs, whether it can work, and its metrics."""

import hmac
from threading import Lock
from typing import Final

from cachetools import TTLCache, cached
from flask import Blueprint, Response, jsonify, request
from flask.typing import ResponseReturnValue
from peewee import InterfaceError, OperationalError

from service.db.connection import NewerDatabase, check_writable, pending_migrations
from service.errors import Forbidden, Unauthorised
from service.games.statistics import find_health_problems
from service.metrics import TEXT, RequestCounts, metrics_text
from service.routes.current import current_context, is_local_request

_SECONDS_BETWEEN_WRITES: Final = 10


def create_ops_blueprint(counts: RequestCounts) -> Blueprint:
    """The routes `/healthz`, `/readyz` and `/metrics`; `counts` are the application's own."""
    ops = Blueprint("ops", __name__)

    # Anyone can send this request, and each check writes to the disk.
    @cached(TTLCache(maxsize=1, ttl=_SECONDS_BETWEEN_WRITES), lock=Lock())
    def can_write() -> bool:
        try:
            check_writable(current_context().database)
        except (OperationalError, OSError):
            return False
        return True

    @ops.get("/healthz")
    def healthz() -> Response:
        return jsonify({"status": "alive"})

    @ops.get("/readyz")
    def readyz() -> ResponseReturnValue:
        ctx = current_context()
        try:
            if pending_migrations(ctx.database):
                return jsonify({"status": "not ready", "database": "not up to date"}), 503
            if not can_write():
                return jsonify({"status": "not ready", "database": "cannot be written; the disk may be full"}), 503
            found = find_health_problems(ctx)
        except (NewerDatabase, OperationalError, InterfaceError):
            return jsonify({"status": "not ready", "database": "cannot be used"}), 503
        # Still 200: taking the pages away because mail is stuck would turn a mail delay into an outage.
        return jsonify({"status": "degraded" if found else "ready", "database": "up to date", **found})

    @ops.get("/metrics")
    def metrics() -> Response:
        ctx = current_context()
        _check_reader(ctx.settings.metrics_token)
        return Response(metrics_text(ctx, counts), content_type=TEXT, headers={"Cache-Control": "no-store"})

    return ops


def _check_reader(token: str) -> None:
    """Refuse strangers: the metrics reveal how much is played here."""
    if not token:
        if not is_local_request():
            raise Forbidden(
                "The metrics can only be read on this machine. Set METRICS_TOKEN to read them from elsewhere."
            )
        return
    given = request.headers.get("Authorization", "")
    if not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        raise Unauthorised("The metrics need a token. Send METRICS_TOKEN as a bearer token.")

"""What a machine asks the server: whether it lives, whether it can work, and its figures."""

import hmac

from flask import Blueprint, Response, jsonify, request
from peewee import InterfaceError, OperationalError

from service.config_values import is_loopback
from service.context import AppContext
from service.db.connection import NewerDatabase, pending_migrations
from service.errors import Forbidden, Unauthorised
from service.metrics import TEXT, RequestCounts, metrics_text
from service.routes.pages.mailbox import asked_from_here
from service.server_stats import complaints


def operations_pages(ctx: AppContext, counts: RequestCounts) -> Blueprint:
    """The addresses `/healthz`, `/readyz` and `/metrics`."""
    blueprint = Blueprint("ops", __name__)

    @blueprint.get("/healthz")
    def healthz() -> Response:
        return jsonify({"status": "alive"})

    @blueprint.get("/readyz")
    def readyz() -> tuple[Response, int]:
        try:
            pending = pending_migrations(ctx.database)
            if pending:
                return jsonify({"status": "not ready", "database": "not up to date"}), 503
            found = complaints(ctx)
        except (NewerDatabase, OperationalError, InterfaceError):
            return jsonify({"status": "not ready", "database": "cannot be used"}), 503
        # Pages that work are not taken away because letters wait: that would only add to the trouble.
        return jsonify({"status": "degraded" if found else "ready", "database": "up to date", **found}), 200

    @blueprint.get("/metrics")
    def metrics() -> Response:
        _check_reader(ctx.settings.metrics_token)
        return Response(metrics_text(ctx, counts), content_type=TEXT, headers={"Cache-Control": "no-store"})

    return blueprint


def _check_reader(token: str) -> None:
    """Refuse whoever may not see the figures: they tell strangers how much is played here."""
    if not token:
        if not (is_loopback(request.remote_addr or "") and asked_from_here()):
            raise Forbidden("The figures are for this machine only; set METRICS_TOKEN to read them from elsewhere.")
        return
    given = request.headers.get("Authorization", "")
    if not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        raise Unauthorised("The figures are for whoever sends METRICS_TOKEN as a bearer token.")

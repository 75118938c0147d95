"""What a machine asks the server: whether it lives, and whether it can work."""

from flask import Blueprint, Response, jsonify
from peewee import InterfaceError, OperationalError

from service.database import NewerDatabase, pending_migrations
from service.office import Office


def operations_pages(office: Office) -> Blueprint:
    """The addresses `/healthz` and `/readyz`."""
    blueprint = Blueprint("ops", __name__)

    @blueprint.get("/healthz")
    def healthz() -> Response:
        return jsonify({"status": "alive"})

    @blueprint.get("/readyz")
    def readyz() -> tuple[Response, int]:
        try:
            pending = pending_migrations(office.database)
        except (NewerDatabase, OperationalError, InterfaceError):
            return jsonify({"status": "not ready", "database": "cannot be used"}), 503
        if pending:
            return jsonify({"status": "not ready", "database": "not up to date"}), 503
        return jsonify({"status": "ready", "database": "up to date"}), 200

    return blueprint

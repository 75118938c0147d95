"""The application to compare with: Flask with one durable INSERT per request."""

import os
import sys

from flask import Flask
from flask.typing import ResponseReturnValue
from waitress import serve

from service.db.connection import open_database, transaction
from service.server import WAITRESS_SETTINGS


def application() -> Flask:
    """A Flask application on the database in the server's settings."""
    app, database = Flask(__name__), open_database(os.environ["MARRAKECH_DATABASE_URL"])
    with database:
        database.execute_sql("create table if not exists bare (body text)")

    @app.post("/")
    def insert() -> ResponseReturnValue:
        database.connect(reuse_if_open=True)
        with transaction(database):
            database.execute_sql("insert into bare (body) values ('one row')")
        return {"inserted": True}

    @app.get("/readyz")
    def ready() -> ResponseReturnValue:
        return {}

    return app


if __name__ == "__main__":
    serve(application(), host="127.0.0.1", port=int(sys.argv[1]), **WAITRESS_SETTINGS)

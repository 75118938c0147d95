"""Wiring only: the application context and the Flask application."""

import logging
import time
from gettext import NullTranslations
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from flask import Flask, Response, g, jsonify, request
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix

from service import paths
from service.auth.tokens import TokenSigner
from service.clocks.turn_clock import advance_clock
from service.config import Settings
from service.context import AppContext, Clock
from service.db.connection import Database, migrate, open_database
from service.db.database_errors import database_problem
from service.engine.errors import IllegalAction, Malformed
from service.errors import Problem, problem_of
from service.logs import configure_logging, log_request, request_id
from service.metrics import RequestCounts
from service.notify.sender import send
from service.routes.api import api, openapi
from service.routes.current import current_context, current_reader, set_context
from service.routes.ops import create_ops_blueprint
from service.routes.pages import (
    analysis,
    channels,
    finished,
    game,
    group,
    guest,
    home,
    host,
    lobby,
    login,
    new_game,
    replay,
    rules,
    settings,
    unsubscribe,
)
from service.routes.pages import mailbox as mailbox_page
from service.routes.pages.responses import add_security_headers, prepare_templates, problem_page, wants_page
from service.routes.pictures import set_picture_cache

PAGES: Final = (
    *(
        analysis,
        channels,
        finished,
        game,
        group,
        guest,
        home,
        host,
        lobby,
        login,
        new_game,
        replay,
        rules,
        settings,
        unsubscribe,
    ),
)
LARGEST_BODY: Final = 64 * 1024


def create_context(settings: Settings, clock: Clock) -> AppContext:
    """Open the database, bring it up to date, and return the context."""
    database = open_database(settings.database_url)
    migrate(database)
    return build_context(settings, database, clock)


def build_context(settings: Settings, database: Database, clock: Clock) -> AppContext:
    """The context for a database that is already open."""
    return AppContext(settings, database, TokenSigner(settings.secret_keys), clock, advance_clock, send)


def create_app(ctx: AppContext, *, mailbox: bool = False) -> Flask:
    """The application. It holds no state that another process needs. The mailbox page shows everybody's letters."""
    templates = paths.templates()
    app = Flask("service", template_folder=str(templates / "pages"), static_folder=str(templates / "static"))
    if ctx.settings.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=ctx.settings.proxies, x_proto=0)  # type: ignore[method-assign]
    metrics = RequestCounts()
    observe_requests(app, metrics)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    prepare_templates(app)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    set_context(app, ctx)
    set_picture_cache(app)
    app.register_blueprint(api)
    app.register_blueprint(openapi)
    app.register_blueprint(create_ops_blueprint(metrics))
    for module in PAGES:
        app.register_blueprint(module.pages)
    if mailbox:
        app.register_blueprint(mailbox_page.pages)
    _manage_connections(app)
    _make_redirects_relative(app)
    _handle_errors(app)
    return app


def observe_requests(app: Flask, metrics: RequestCounts) -> None:
    """Give every request an id, and log, time and count it. Called first, so that its hooks wrap all others."""
    configure_logging()

    @app.before_request
    def start_timer() -> None:
        g.started = time.perf_counter()

    @app.after_request
    def record_request(response: Response) -> Response:
        seconds = time.perf_counter() - g.started if "started" in g else None
        response.headers["X-Request-Id"] = request_id()
        response.headers["X-Content-Type-Options"] = "nosniff"
        log_request(request, response, seconds)
        metrics.count(request, response, seconds or 0.0)
        return response


def _manage_connections(app: Flask) -> None:
    """Connect each thread once. It keeps its connection for later requests unless that is broken."""

    @app.before_request
    def connect() -> None:
        current_context().database.connect(reuse_if_open=True)

    @app.teardown_request
    def drop_broken_connection(_error: BaseException | None) -> None:
        database = current_context().database
        if not database.is_connection_usable():
            database.close()


def _make_redirects_relative(app: Flask) -> None:
    """Redirect to paths only, because Werkzeug's redirects (/a//b to /a/b) repeat the Host header."""

    @app.after_request
    def make_relative(response: Response) -> Response:
        if response.location is not None:
            parts = urlsplit(response.location)
            response.location = urlunsplit(("", "", "/" + parts.path.lstrip("/"), parts.query, parts.fragment))
        return response


def _handle_errors(app: Flask) -> None:
    def handle(error: Exception) -> Any:
        if isinstance(error, HTTPException) and error.code and error.code < 400:
            return error
        problem = database_problem(error)
        if problem is not None:
            current_context().database.close()  # it may be broken, so the next request must not use it
        else:
            problem = problem_of(error)
        if problem.status >= 500:
            logging.getLogger("service").error("unexpected error", exc_info=error)
        if wants_page():
            return add_security_headers(problem_page(problem))
        # The database may have failed, so don't look up the reader of an unexpected error.
        translations = NullTranslations() if problem.status >= 500 else current_reader().translations
        response = jsonify(problem.to_json(translations))
        response.status_code = problem.status
        response.mimetype = "application/problem+json"
        response.headers.update(problem.headers)
        return response

    kinds: tuple[Any, ...] = (Problem, Malformed, IllegalAction, HTTPException, Exception)
    for kind in kinds:
        app.register_error_handler(kind, handle)

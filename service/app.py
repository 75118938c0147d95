"""Wiring only: the Flask application out of the settings."""

import logging
from typing import Any, Final

from flask import Flask, Response, jsonify
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix

from service import paths
from service.attendance import attend
from service.commits_on_sqlite import SharingSqlite
from service.context import AppContext
from service.db.database_errors import database_problem
from service.engine.errors import IllegalAction, Malformed
from service.errors import Problem, problem_of
from service.house import House
from service.metrics import RequestCounts
from service.routes.api import api, openapi
from service.routes.current import set_context
from service.routes.ops import operations_pages
from service.routes.pages import home, host, lobby, login, settings, unsubscribe
from service.routes.pages.finished import over_pages
from service.routes.pages.game import game_pages
from service.routes.pages.mailbox import mailbox_pages
from service.routes.pages.replay import replay_pages
from service.routes.pages.responses import add_security_headers, prepare_templates, problem_page, wants_page
from service.routes.pages.rules import rules_pages
from service.routes.pages.turn import turn_pages

LARGEST_BODY: Final = 64 * 1024


def create_app(ctx: AppContext, *, mailbox: bool = False) -> Flask:
    """The application; it keeps nothing that another process would need. The mailbox shows people's letters."""
    templates = paths.templates()
    app = House("service", template_folder=str(templates / "pages"), static_folder=str(templates / "static"))
    if ctx.settings.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=ctx.settings.proxies, x_proto=0)  # type: ignore[method-assign]
    metrics = RequestCounts()
    attend(app, metrics)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    prepare_templates(app)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    set_context(app, ctx)
    app.register_blueprint(api)
    app.register_blueprint(openapi)
    app.register_blueprint(operations_pages(ctx, metrics))
    app.register_blueprint(turn_pages(ctx))
    app.register_blueprint(game_pages(ctx))
    app.register_blueprint(replay_pages(ctx))
    app.register_blueprint(over_pages(ctx))
    app.register_blueprint(rules_pages(ctx))
    for module in (home, host, lobby, login, settings, unsubscribe):
        app.register_blueprint(module.pages)
    if mailbox:
        app.register_blueprint(mailbox_pages(ctx))
    app.gathering = ctx.database.gathering
    _connect(app, ctx)
    _explain_errors(app, ctx)
    return app


def _connect(app: Flask, ctx: AppContext) -> None:
    """Every thread keeps its connection from one request to the next."""

    @app.before_request
    def connect() -> None:
        ctx.database.connect(reuse_if_open=True)

    if isinstance(ctx.database, SharingSqlite):
        return  # a file does not hang up

    # Not by the error: whoever explains an error to people has taken it by now, and the connection knows itself.
    @app.after_request
    def drop_what_broke(response: Response) -> Response:
        connected = response.status_code >= 500 and not ctx.database.is_closed()
        if connected and getattr(ctx.database.connection(), "closed", False):
            ctx.database.close()
        return response


def _explain_errors(app: Flask, ctx: AppContext) -> None:
    def explain(error: Exception) -> Any:
        if isinstance(error, HTTPException) and error.code and error.code < 400:
            return error
        trouble = database_problem(error)
        if trouble is not None:
            ctx.database.close()  # it may be broken, and the next request must not have it
        problem = trouble or problem_of(error)
        if problem.status >= 500:
            logging.getLogger("service").error("unexpected error", exc_info=error)
        if wants_page():
            return add_security_headers(problem_page(problem))
        response = jsonify(problem.to_json())
        response.status_code = problem.status
        response.mimetype = "application/problem+json"
        response.headers.update(problem.headers)
        return response

    kinds: tuple[Any, ...] = (Problem, Malformed, IllegalAction, HTTPException, Exception)
    for kind in kinds:
        app.register_error_handler(kind, explain)

"""Wiring only: the Flask application out of the settings."""

import logging
from functools import cache
from typing import Any

from flask import Blueprint, Flask, Response, jsonify
from werkzeug.exceptions import HTTPException
from werkzeug.middleware.proxy_fix import ProxyFix

from service import places
from service.attendance import attend
from service.commits_on_sqlite import SharingSqlite
from service.engine.errors import IllegalAction, Malformed
from service.errors import Problem, problem_of
from service.house import House
from service.metrics import RequestCounts
from service.office import Office
from service.routes.api_account import account_calls
from service.routes.api_board import board_calls
from service.routes.api_clocks import clock_calls
from service.routes.api_games import game_calls, play_calls
from service.routes.description import describe
from service.routes.game import game_pages
from service.routes.host import host_pages
from service.routes.join import join_pages
from service.routes.mailbox import mailbox_pages
from service.routes.manifest import manifest_pages
from service.routes.operations import LARGEST_BODY, Api
from service.routes.ops import operations_pages
from service.routes.over import over_pages
from service.routes.pages import pages
from service.routes.problems import problem_page, wants_page
from service.routes.replay import replay_pages
from service.routes.rules import rules_pages
from service.routes.sealing import seal
from service.routes.settings_page import settings_pages
from service.routes.sign_in import sign_in_pages
from service.routes.speaking import speak
from service.routes.tables import table_pages
from service.routes.turn import turn_pages
from service.routes.unsubscribe import unsubscribe_pages
from service.trouble import database_trouble

API = "/api/v1"


def create_app(office: Office, *, mailbox: bool = False) -> Flask:
    """The application; it keeps nothing that another process would need. The mailbox shows people's letters."""
    templates = places.templates()
    app = House("service", template_folder=str(templates / "pages"), static_folder=str(templates / "static"))
    if office.settings.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=office.settings.proxies, x_proto=0)  # type: ignore[method-assign]
    metrics = RequestCounts()
    attend(app, metrics)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    speak(app, office)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.register_blueprint(_api(office))
    app.register_blueprint(operations_pages(office, metrics))
    app.register_blueprint(pages(office, mailbox=mailbox))
    app.register_blueprint(turn_pages(office))
    app.register_blueprint(game_pages(office))
    app.register_blueprint(replay_pages(office))
    app.register_blueprint(over_pages(office))
    app.register_blueprint(sign_in_pages(office))
    app.register_blueprint(join_pages(office))
    app.register_blueprint(table_pages(office))
    app.register_blueprint(settings_pages(office))
    app.register_blueprint(rules_pages(office))
    app.register_blueprint(manifest_pages())
    app.register_blueprint(host_pages(office))
    app.register_blueprint(unsubscribe_pages(office))
    if mailbox:
        app.register_blueprint(mailbox_pages(office))
    app.gathering = office.database.gathering
    _connect(app, office)
    _explain_errors(app, office)
    return app


def _api(office: Office) -> Blueprint:
    blueprint = Blueprint("api", __name__, url_prefix=API)
    api = Api(office, blueprint)
    account_calls(api)
    game_calls(api)
    play_calls(api)
    board_calls(api)
    clock_calls(api)
    description = cache(lambda: describe(api.operations, API))  # when it is asked for: the server starts sooner
    blueprint.add_url_rule("/openapi.json", "openapi", lambda: jsonify(description()))
    return blueprint


def _connect(app: Flask, office: Office) -> None:
    """Every thread keeps its connection from one request to the next."""

    @app.before_request
    def connect() -> None:
        office.database.connect(reuse_if_open=True)

    if isinstance(office.database, SharingSqlite):
        return  # a file does not hang up

    # Not by the error: whoever explains an error to people has taken it by now, and the connection knows itself.
    @app.after_request
    def drop_what_broke(response: Response) -> Response:
        connected = response.status_code >= 500 and not office.database.is_closed()
        if connected and getattr(office.database.connection(), "closed", False):
            office.database.close()
        return response


def _explain_errors(app: Flask, office: Office) -> None:
    def explain(error: Exception) -> Any:
        if isinstance(error, HTTPException) and error.code and error.code < 400:
            return error
        trouble = database_trouble(error)
        if trouble is not None:
            office.database.close()  # it may be broken, and the next request must not have it
        problem = trouble or problem_of(error)
        if problem.status >= 500:
            logging.getLogger("service").error("unexpected error", exc_info=error)
        if wants_page():
            return seal(problem_page(problem))
        response = jsonify(problem.to_json())
        response.status_code = problem.status
        response.mimetype = "application/problem+json"
        response.headers.update(problem.headers)
        return response

    kinds: tuple[Any, ...] = (Problem, Malformed, IllegalAction, HTTPException, Exception)
    for kind in kinds:
        app.register_error_handler(kind, explain)

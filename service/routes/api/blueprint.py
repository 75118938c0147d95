"""The blueprint of the API: authentication, validation, and the OpenAPI description of each call."""

import mimetypes
from collections.abc import Callable
from functools import wraps
from importlib.metadata import version
from typing import Any, Final, TypeVar

from flask import Blueprint, g, jsonify, make_response, request
from flask.typing import ResponseReturnValue
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json
from spectree import Response, SecurityScheme, SpecTree
from spectree.config import License
from spectree.models import SecureType, SecuritySchemeData, Server

from service.auth.access import Principal, identify_principal
from service.auth.rate_limits import check_call
from service.engine.json_reader import Json
from service.errors import BadRequest, Unauthorised, UnsupportedMediaType
from service.games.presence import record_presence
from service.games.store import StoredGame
from service.games.views import get_open_game
from service.routes.api.schemas import Accepted, NoQuery, ProblemView
from service.routes.current import current_context, has_game_open, set_reader

PREFIX: Final = "/api/v1"
_JSON: Final = "application/json"
_PROBLEM: Final = "application/problem+json"
_CODES: Final = {
    202: "still being computed",
    204: "no game waits for you",
    304: "nothing has changed since the ETag",
    400: "bad_request",
    401: "unauthorised",
    403: "forbidden",
    404: "not_found",
    409: "stale, not_your_turn or game_over",
    413: "too_large",
    415: "unsupported_media_type",
    422: "illegal_action",
    429: "rate_limited",
}

_Model = TypeVar("_Model", bound=BaseModel)
_View = Callable[..., ResponseReturnValue]

api = Blueprint("api", __name__, url_prefix=PREFIX)
openapi = Blueprint("openapi", __name__, url_prefix=PREFIX)
spec = SpecTree(
    "flask",
    title="Marrakech by Mail",
    version=version("marrakech-by-mail"),
    description="Play Marrakech by e-mail, in the browser or with a program of your own.",
    license=License(name="MIT"),
    servers=[Server(url=PREFIX)],
    security_schemes=[SecurityScheme(name="bearer", data=SecuritySchemeData(type=SecureType.HTTP, scheme="bearer"))],
    mode="strict",
    annotations=False,
    validation_error_status=400,
    validation_error_model=ProblemView,
    naming_strategy=lambda model: model.__name__,
    nested_naming_strategy=lambda _parent, child: child,
)


@api.before_request
def identify_caller() -> None:
    """Identify the caller and count the call: for the player or seat of a valid token, otherwise by network."""
    ctx = current_context()
    try:
        g.principal = identify_principal(ctx, request.headers.get("Authorization"))
    except Unauthorised:
        check_call(ctx, None, request.remote_addr)
        raise
    check_call(ctx, g.principal.subject, request.remote_addr)
    set_reader(g.principal.player)


@api.url_value_preprocessor
def rename_game_id(_endpoint: str | None, values: dict[str, Any] | None) -> None:
    """Pass `{id}` of the description on as `game_id`: in Python, `id` is a function."""
    if values and "id" in values:
        values["game_id"] = values.pop("id")


def current_principal() -> Principal:
    """The caller."""
    principal: Principal = g.principal
    return principal


def get_played_game(game_id: str) -> StoredGame:
    """The game; stores that the caller has it open if the request says so."""
    ctx = current_context()
    game = get_open_game(ctx, game_id)
    if has_game_open():
        record_presence(ctx, game_id, current_principal().find_seat_in(game))
    return game


def call(
    response: type[BaseModel] | None = None,
    *,
    status: int = 200,
    body: type[BaseModel] | None = None,
    query: type[BaseModel] | None = None,
    also: tuple[int, ...] = (),
    signed_in: bool = True,
) -> Callable[[_View], _View]:
    """Describe a view in openapi.json, and pass it the `body` and the `query` of the request, validated.

    Without a `response`, the file extension in the path determines the media type.
    """
    others = sorted({*also, 400, 401, 429, *((413, 415) if body else ())})
    responses = Response(
        **{f"HTTP_{status}": (response, "done")},
        **{f"HTTP_{each}": (_body_of(each), _CODES[each]) for each in others},
    )
    security: list[dict[str, list[str]]] = [{"bearer": []}] if signed_in else [{}, {"bearer": []}]
    describe = spec.validate(query=query, json=body, resp=responses, security=security, skip_validation=True)

    def decorate(view: _View) -> _View:
        @wraps(view)
        def validate(**arguments: Any) -> ResponseReturnValue:
            if signed_in:
                current_principal().require_player()
            asked = read_query(query or NoQuery)
            if query is not None:
                arguments["query"] = asked
            if body is not None:
                arguments["body"] = read_body(body)
            # Not a dictionary: spectree would search all of it for models, even though it validates nothing.
            return make_response(view(**arguments))

        described: _View = describe(validate)
        return described

    return decorate


def _body_of(status: int) -> type[BaseModel] | None:
    """The body of a response that is not the usual one."""
    if status >= 400:
        return ProblemView
    return Accepted if status == 202 else None


def read_query(model: type[_Model]) -> _Model:
    """The query of the request; raises `BadRequest`."""
    return _validate(model, request.args.to_dict(), "query")


def read_body(model: type[_Model]) -> _Model:
    """The JSON body of the request; raises `UnsupportedMediaType` or `BadRequest`."""
    if request.mimetype != _JSON:
        raise UnsupportedMediaType("Send the body as JSON, with the header Content-Type: application/json.")
    try:
        # Not `request.json`: the standard library fails on deep nesting and accepts half of a surrogate pair.
        value = from_json(request.get_data())
    except ValueError:
        raise BadRequest("The body isn't valid JSON. Send an object as described in /api/v1/openapi.json.") from None
    return _validate(model, value, "body")


def _validate(model: type[_Model], value: object, where: str) -> _Model:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(str(part) for part in (where, *first["loc"]))
        raise BadRequest(f"{field}: {first['msg'].removeprefix('Value error, ')}.") from None


@openapi.get("/openapi.json")
def show_description() -> ResponseReturnValue:
    """The description of the API as OpenAPI 3.1."""
    paths = {path.removeprefix(PREFIX): _complete(path, methods) for path, methods in spec.spec["paths"].items()}
    return jsonify({**spec.spec, "paths": paths})


def _complete(path: str, methods: Json) -> Json:
    """Add what spectree doesn't support: an id for each operation, and media types other than JSON."""
    words = path.removeprefix(PREFIX).replace("{", "").replace("}", "").replace(".", "/").split("/")
    completed = {}
    for method, operation in methods.items():
        responses = {status: _with_media_type(path, status, each) for status, each in operation["responses"].items()}
        name = "_".join([method, *filter(None, words)])
        completed[method] = {**operation, "operationId": name, "responses": responses}
    return completed


def _with_media_type(path: str, status: str, response: Json) -> Json:
    media_type, _ = mimetypes.guess_type(path)
    if status >= "400":
        return {**response, "content": {_PROBLEM: response["content"][_JSON]}}
    if status == "200" and media_type:
        return {**response, "content": {media_type: {"schema": {"type": "string"}}}}
    return response

"""One decorator for every call of the API: it reads the request, finds out who asks, and writes the description."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, NamedTuple, TypeAlias

from flask import Blueprint, Request, Response
from flask.globals import request_ctx
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json, to_json

from service.auth.access import Principal, find_seat_access, identify_principal
from service.auth.rate_limits import check_call
from service.context import AppContext
from service.engine.errors import IllegalAction, Malformed
from service.errors import BadRequest, Problem, Unauthorised, UnsupportedMediaType
from service.recall import Recall

Handler: TypeAlias = Callable[..., Any]

LARGEST_BODY: Final = 64 * 1024
_JSON: Final = "application/json"
_BODY: Final = "marrakech.body"
_ERRORS: Final = {
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


class Operation(NamedTuple):
    """One call: all that the description needs to know of it."""

    method: str
    path: str
    summary: str
    body: type[BaseModel] | None
    query: type[BaseModel] | None
    answer: type[BaseModel] | str
    """A model, or the media type of an answer that is not JSON."""
    status: int
    errors: tuple[int, ...]
    signed_in: bool


class Api:
    """The calls under one prefix, and their description."""

    def __init__(self, ctx: AppContext, blueprint: Blueprint) -> None:
        self.ctx = ctx
        self.blueprint = blueprint
        self.operations: list[Operation] = []
        self.recall = Recall()

    def call(
        self,
        method: str,
        path: str,
        *,
        answer: type[BaseModel] | str,
        body: type[BaseModel] | None = None,
        query: type[BaseModel] | None = None,
        status: int = 200,
        errors: tuple[int, ...] = (),
        signed_in: bool = True,
        sitting: bool = False,
    ) -> Callable[[Handler], Handler]:
        """Make a function answer a call: it gets `caller`, then `body` and `query` where there are such.

        What only those who sit in the game may do gets `sitting` instead of the caller and the game's id.
        """

        def register(handler: Handler) -> Handler:
            always = (400, 429, *((401,) if signed_in else ()), *((413, 415) if body else ()))
            declared = tuple(sorted({*errors, *always, *((401,) if not signed_in else ())}))
            summary = (handler.__doc__ or "").strip()
            self.operations.append(Operation(method, path, summary, body, query, answer, status, declared, signed_in))

            @wraps(handler)
            def view(**places: Any) -> Any:
                asked = request_ctx.request  # not `request`, which stands for it and looks it up at every word

                def act(**who: Any) -> Any:
                    return handler(**who, **_brought(asked, query, body), **places)

                if sitting:
                    return _answer(self._at_table(asked, places.pop("id_"), act), status)
                return _answer(act(caller=self._caller(asked, signed_in=signed_in)), status)

            rule = path.replace("{id}", "<id_>").replace("{seat}", "<int:seat>")
            endpoint = f"{method.lower()}_{handler.__name__}"
            self.blueprint.add_url_rule(rule, endpoint=endpoint, view_func=view, methods=[method])
            return handler

        return register

    def _caller(self, asked: Request, *, signed_in: bool) -> Principal:
        caller: Principal = _counted(self.ctx, asked, lambda header: identify_principal(self.ctx, header))
        if signed_in:
            caller.known()
        return caller

    def _at_table(self, asked: Request, game_id: str, act: Callable[..., Any]) -> Any:
        """What comes of acting at a table as it is remembered; where that is refused, as it really is."""
        ctx, known = self.ctx, self.recall.game(game_id)
        sitting = _counted(ctx, asked, lambda header: find_seat_access(ctx, header, game_id, known))
        if sitting.game.remembered:
            try:
                return act(sitting=sitting)
            except (Problem, IllegalAction, Malformed):
                self.recall.forget(game_id)
                sitting = find_seat_access(ctx, asked.environ["HTTP_AUTHORIZATION"], game_id)
        return act(sitting=sitting)


def _counted(ctx: AppContext, asked: Request, ask: Callable[[str | None], Any]) -> Any:
    """What comes of asking who calls; it counts against the token where that is a good one, and else the network."""
    header: str | None = asked.environ.get("HTTP_AUTHORIZATION")
    good = header
    try:
        return ask(header)
    except Unauthorised:
        good = None
        raise
    finally:
        check_call(ctx, good, asked.remote_addr)


class _Nothing(BaseModel):
    """No query at all."""

    model_config = {"extra": "forbid"}


class _Written(Response):
    """An answer of ours, whose headers go out as they are: it sends nobody anywhere, and its length is known."""

    def get_wsgi_headers(self, environ: Any) -> Any:
        """The headers; werkzeug would copy them to see what else they need."""
        return self.headers


def _answer(answer: Any, status: int) -> Response:
    if isinstance(answer, Response):
        return answer
    return _Written(to_json(answer), status, content_type=_JSON)


def _brought(asked: Request, query: type[BaseModel] | None, body: type[BaseModel] | None) -> dict[str, Any]:
    """What the request has brought along, where the call takes it; what it does not take is refused."""
    brought = {}
    if query is not None or asked.query_string:
        questions = _read(query or _Nothing, asked.args.to_dict(), "query")
        if query is not None:
            brought["query"] = questions
    if body is not None:
        brought["body"] = _read(body, _json(asked), "body")
    return brought


def _json(asked: Request) -> object:
    """The body as JSON; raises a problem that says what is wrong with it."""
    if asked.environ.get("CONTENT_TYPE") != _JSON and asked.mimetype != _JSON:
        raise UnsupportedMediaType("Send the body as JSON, with the header Content-Type: application/json.")
    try:
        return from_json(_bytes(asked))
    except ValueError:
        raise BadRequest(
            "The body is not JSON; send an object such as the description at /api/v1/openapi.json shows."
        ) from None


def _bytes(asked: Request) -> bytes:
    """The body as it came, also when it is asked for again; Flask refuses one that is too long."""
    environ = asked.environ
    if _BODY not in environ:
        length = environ.get("CONTENT_LENGTH", "")
        # The server itself ends the body there, so nothing need count along while it is read.
        at_once = length.isdecimal() and int(length) <= LARGEST_BODY
        environ[_BODY] = environ["wsgi.input"].read(int(length)) if at_once else asked.get_data(cache=False)
    body: bytes = environ[_BODY]
    return body


def _read(model: type[BaseModel], value: object, where: str) -> Any:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(str(part) for part in (where, *first["loc"]))
        raise BadRequest(f"{field}: {first['msg'].removeprefix('Value error, ')}.") from None


def problem_of_status(status: int) -> str:
    """What the codes of this status are called in the description."""
    return _ERRORS[status]

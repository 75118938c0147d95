"""One decorator for every call of the API: it reads the request, finds out who asks, and writes the description."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, NamedTuple, TypeAlias

from flask import Blueprint, Request, Response
from flask.globals import request_ctx
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json, to_json

from service.callers import Caller, caller_of, sitting_of
from service.errors import BadRequest, Unauthorised, UnsupportedMediaType
from service.limits import check_call
from service.office import Office

Handler: TypeAlias = Callable[..., Any]

LARGEST_BODY: Final = 64 * 1024
_JSON: Final = "application/json"
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

    def __init__(self, office: Office, blueprint: Blueprint) -> None:
        self.office = office
        self.blueprint = blueprint
        self.operations: list[Operation] = []

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
                given = self._asker(asked, places, signed_in=signed_in, sitting=sitting)
                if query is not None or asked.query_string:
                    questions = _read(query or _Nothing, asked.args.to_dict(), "query")
                    if query is not None:
                        given["query"] = questions
                if body is not None:
                    given["body"] = _read(body, _json(asked), "body")
                return _answer(handler(**given, **places), status)

            rule = path.replace("{id}", "<id_>").replace("{seat}", "<int:seat>")
            endpoint = f"{method.lower()}_{handler.__name__}"
            self.blueprint.add_url_rule(rule, endpoint=endpoint, view_func=view, methods=[method])
            return handler

        return register

    def _asker(self, asked: Request, places: dict[str, Any], *, signed_in: bool, sitting: bool) -> dict[str, Any]:
        """Who asks, as the function wants to know it."""
        if sitting:
            game_id = places.pop("id_")
            return {"sitting": _counted(self.office, asked, lambda header: sitting_of(self.office, header, game_id))}
        caller: Caller = _counted(self.office, asked, lambda header: caller_of(self.office, header))
        if signed_in:
            caller.known()
        return {"caller": caller}


def _counted(office: Office, asked: Request, ask: Callable[[str | None], Any]) -> Any:
    """What comes of asking who calls; it counts against the token where that is a good one, and else the network."""
    header: str | None = asked.environ.get("HTTP_AUTHORIZATION")
    good = header
    try:
        return ask(header)
    except Unauthorised:
        good = None
        raise
    finally:
        check_call(office, good, asked.remote_addr)


class _Nothing(BaseModel):
    """No query at all."""

    model_config = {"extra": "forbid"}


def _answer(answer: Any, status: int) -> Response:
    if isinstance(answer, Response):
        return answer
    return Response(to_json(answer), status, content_type=_JSON)


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
    """The body as it came; Flask refuses one that is too long."""
    length = asked.environ.get("CONTENT_LENGTH", "")
    if length.isdecimal() and int(length) <= LARGEST_BODY:
        # The server itself ends the body there, so nothing need count along while it is read.
        body: bytes = asked.environ["wsgi.input"].read(int(length))
        return body
    return asked.get_data(cache=False)


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

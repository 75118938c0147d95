"""The description of the API as OpenAPI 3.1, made from the very table that the calls are made from."""

from importlib.metadata import version
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from service.engine.json_reader import Json
from service.routes.api import responses
from service.routes.api.operations import Operation, problem_of_status

_REFERENCE: Final = "#/components/schemas/{model}"


def describe(operations: list[Operation], prefix: str) -> Json:
    """The whole description."""
    models: set[type[BaseModel]] = {responses.ProblemView}
    for operation in operations:
        models |= {model for model in (operation.body, operation.query) if model}
        if not isinstance(operation.answer, str):
            models.add(operation.answer)
    both: list[tuple[type[BaseModel], Any]] = [
        (model, "validation") for model in sorted(models, key=lambda m: m.__name__)
    ]
    _, schemas = models_json_schema(both, ref_template=_REFERENCE)
    paths: Json = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Marrakech by Mail",
            "version": version("marrakech-by-mail"),
            "description": "Play Marrakech by e-mail, in the browser or with a program of your own.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": prefix}],
        "paths": paths,
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation) -> Json:
    good: Json = {"description": "done", "content": _content(operation.answer)}
    by_status = {str(operation.status): good}
    if operation.path == "/games/{id}" and operation.method == "GET":
        by_status["304"] = {"description": "nothing has changed since the ETag"}
    for status in operation.errors:
        problem = {"application/problem+json": {"schema": {"$ref": _ref(responses.ProblemView)}}}
        by_status[str(status)] = {"description": problem_of_status(status), "content": problem}
    described: Json = {
        "summary": operation.summary,
        "operationId": _name(operation),
        "parameters": [*_places(operation.path), *_queries(operation.query)],
        "responses": by_status,
        "security": [{"bearer": []}] if operation.signed_in else [{}, {"bearer": []}],
    }
    if operation.body is not None:
        described["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": _ref(operation.body)}}},
        }
    return described


def _ref(model: type[BaseModel]) -> str:
    return _REFERENCE.format(model=model.__name__)


def _name(operation: Operation) -> str:
    words = operation.path.replace("{", "").replace("}", "").replace(".", "/").split("/")
    return "_".join([operation.method.lower(), *filter(None, words)])


def _content(answer: type[BaseModel] | str) -> Json:
    if isinstance(answer, str):
        return {answer: {"schema": {"type": "string"}}}
    return {"application/json": {"schema": {"$ref": _ref(answer)}}}


def _places(path: str) -> list[Json]:
    places: list[Json] = []
    if "{id}" in path:
        places.append({"name": "id", "in": "path", "required": True, "schema": {"type": "string"}})
    if "{seat}" in path:
        seat = {"type": "integer", "minimum": 0, "maximum": 99}
        places.append({"name": "seat", "in": "path", "required": True, "schema": seat})
    return places


def _queries(query: type[BaseModel] | None) -> list[Json]:
    properties = query.model_json_schema()["properties"] if query else {}
    return [{"name": name, "in": "query", "required": False, "schema": schema} for name, schema in properties.items()]

"""Random requests to every address cause no server error, and rejected ones change nothing."""

import re
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import psycopg
import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.app import create_app, create_context
from service.auth.login import find_or_create_player
from service.config import load_settings
from service.context import AppContext
from service.games.store import StoredGame
from service.routes.current import SESSION_COOKIE as COOKIE
from service.routes.pages.session import FORM_FIELD, make_form_token
from tests.fuzz.nasty import DEEP, FORM_FIELDS, MANY, json_body, piece
from tests.support.tables import database_contents, start_game

READING = {"GET", "HEAD", "OPTIONS"}
COUNTED = {"rate_bucket", "sign_in_code"}
"""These tables count failed attempts."""


class Address(NamedTuple):
    """A rule of the URL map."""

    path: str
    methods: set[str]


class Site(NamedTuple):
    """The server with a running game, and every token that a stranger could have."""

    ctx: AppContext
    app: Flask
    rules: list[Address]
    game: StoredGame
    keys: dict[str, str]
    contents: dict[str, Any]
    """The contents of its database."""


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def ctx(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppContext]:
    folder: Path = tmp_path_factory.mktemp("fuzz")
    environ = {"MARRAKECH_DATA_DIR": str(folder / "var"), "MARRAKECH_RATE_LIMITS": "off"}
    if request.param == "postgresql":
        environ["MARRAKECH_DATABASE_URL"] = url = str(request.getfixturevalue("postgres").get_uri())
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("drop schema public cascade")
            connection.execute("create schema public")
    opened = create_context(load_settings(environ, folder), time.time)
    yield opened
    opened.database.close()


class Sites:
    """The site. After a request that was allowed to change something, the next one gets a new game."""

    def __init__(self, ctx: AppContext) -> None:
        self.ctx, self.app = ctx, create_app(ctx, mailbox=True)
        self.now = site_of(ctx, self.app)

    def rebuild(self) -> None:
        self.now = site_of(self.ctx, self.app)


@pytest.fixture(scope="module")
def sites(ctx: AppContext) -> Sites:
    return Sites(ctx)


def site_of(ctx: AppContext, app: Flask) -> Site:
    ann, bo = (find_or_create_player(ctx, f"{name}@example.org") for name in ("ann", "bo"))
    game = start_game(ctx, [ann, bo], pace=24 * 3600)
    links = ctx.tokens
    session = links.session(ann.id, ann.token_version, ctx.clock())
    keys = {
        "game": game.id,
        "turn": links.turn(game.id, 0, game.turn, 0),
        "seat": links.seat(game.id, 1, 0),
        "api": links.api(ann.id, ann.token_version),
        "session": session,
        "invitation": links.invitation(game.id, game.invitation_version),
        "unsubscribe": links.unsubscribe(bo.id, "talk"),
        "sign-in": links.sign_in(1, "secret", ctx.clock()),
        "form": make_form_token(ctx.settings.secret_keys[0], session),
    }
    rules = sorted(Address(rule.rule, set(rule.methods or ())) for rule in app.url_map.iter_rules())
    return Site(ctx, app, rules, game, keys, settled(ctx))


class Sent(NamedTuple):
    """A request, with placeholders for keys."""

    rule: int
    """The index of its address, modulo their number."""
    method: str
    """Empty: a method of the address, preferably one that changes something."""
    places: list[str]
    query: dict[str, str]
    headers: dict[str, str]
    kind: str
    body: bytes
    form: dict[str, str]


KEY = st.sampled_from(["game", "turn", "seat", "api", "session", "invitation", "unsubscribe", "sign-in"]).map(
    "<{}>".format
)
header_text = st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=60)
HEADERS = {
    "Authorization": st.one_of(KEY.map("Bearer {}".format), header_text, piece.map(lambda text: f"Bearer {text}")),
    "Cookie": st.one_of(
        st.just(f"{COOKIE}=<session>"),
        header_text,
        KEY.map(f"{COOKIE}={{}}".format),
        st.just(f'{COOKIE}="\\377\\400"'),
    ),
    "Accept-Language": st.one_of(header_text, piece),
    "Accept": st.one_of(header_text, st.sampled_from(["text/html", "application/json", "*/*;q=nan", "image/png"])),
    "If-None-Match": st.one_of(header_text, st.sampled_from(["*", 'W/"', '"x"'])),
    "If-Modified-Since": header_text,
    "Range": st.one_of(header_text, st.sampled_from(["bytes=0-", "bytes=-1", "bytes=9-1"])),
    "X-Forwarded-For": st.one_of(header_text, piece),
    "Origin": header_text,
    "Referer": header_text,
    "Host": st.one_of(header_text, st.sampled_from(["localhost", "[", "a:b", "x:99999", "evil.example.org"])),
}
QUERY = ["after", "cursor", "status", "do", "next", "before", "at", "seat", "lang", "size"]
CONTENT = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "text/plain"]

request_sent = st.builds(
    Sent,
    rule=st.integers(0, 200),
    method=st.sampled_from(["", "", "", "GET", "GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS"]),
    places=st.lists(st.one_of(KEY, KEY, piece), min_size=3, max_size=3),
    query=st.dictionaries(st.one_of(st.sampled_from(QUERY), piece), piece, max_size=3),
    headers=st.one_of(
        st.sampled_from([{"Authorization": f"Bearer <{key}>"} for key in ("api", "turn", "seat")]),
        st.just({"Cookie": f"{COOKIE}=<session>"}),
        st.fixed_dictionaries({}, optional=HEADERS),
    ),
    kind=st.sampled_from(["", "", "", *CONTENT]),
    body=json_body,
    form=st.builds(
        lambda sound, fields: fields | ({FORM_FIELD: "<form>"} if sound else {}),
        st.booleans(),
        st.dictionaries(st.sampled_from(FORM_FIELDS), piece, max_size=6),
    ),
)


def filled(text: str, keys: dict[str, str]) -> str:
    for name, key in keys.items():
        text = text.replace(f"<{name}>", key)
    return text


def address_of(rule: Address, places: list[str]) -> str:
    """The address with its variables filled in, quoted as a browser would."""
    words = iter(places)
    return re.sub("<[^>]+>", lambda _: quote(next(words, ""), safe=""), rule.path)


def method_of(rule: Address, sent: Sent) -> str:
    changing = sorted(rule.methods - READING)
    return sent.method or (changing[0] if changing else "GET")


def ask(site: Site, sent: Sent) -> Any:
    rule = site.rules[sent.rule % len(site.rules)]
    method = method_of(rule, sent)
    kind = sent.kind or (CONTENT[0] if rule.path.startswith("/api") else CONTENT[1])
    form = {name: filled(value, site.keys) for name, value in sent.form.items()}
    body = urlencode(form).encode() if "urlencoded" in kind else sent.body
    return site.app.test_client().open(
        address_of(rule, [filled(place, site.keys) for place in sent.places]),
        method=method,
        query_string=urlencode({name: filled(value, site.keys) for name, value in sent.query.items()}),
        headers={name: _sendable(filled(value, site.keys)) for name, value in sent.headers.items()},
        content_type=kind,
        data=None if method in READING else body,
    )


def _sendable(text: str) -> str:
    """A header as HTTP can carry it: UTF-8 read as Latin-1, on one line."""
    return "".join(char for char in text.encode(errors="replace").decode("latin-1") if char not in "\r\n\0")


def settled(ctx: AppContext) -> dict[str, Any]:
    return {table: rows for table, rows in database_contents(ctx).items() if table not in COUNTED}


def check(sites: Sites, sent: Sent) -> None:
    site = sites.now
    with closing(ask(site, sent)) as answer:
        assert answer.status_code < 500, (sent, answer.data)
        for secret in (site.game.seed, sites.ctx.settings.secret_keys[0]):
            assert secret.encode() not in answer.data
    refused = answer.status_code >= 400 or answer.request.method in READING
    if refused:
        assert settled(sites.ctx) == site.contents, (sent, answer.status_code)
    else:
        sites.rebuild()


# A body may be large, and hypothesis would rather not have to write it out.
@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@settings(MANY, suppress_health_check=list(HealthCheck))
@given(sent=request_sent)
def test_no_request_is_a_fault_and_none_that_is_refused_changes_anything(sites: Sites, sent: Sent) -> None:
    check(sites, sent)


NOTHING = Sent(0, "", ["<game>"] * 3, {}, {}, "", b"", {})


@pytest.mark.parametrize(
    ("rule", "sent"),
    [
        ("/t/<token>", NOTHING._replace(places=["<turn>"], form={"head": "9" * 5000})),
        ("/api/v1/games", NOTHING._replace(method="GET", query={"cursor": "MSAA"})),
        ("/api/v1/games", NOTHING._replace(method="POST", body=DEEP)),
        ("/api/v1/login", NOTHING._replace(method="POST", body=DEEP)),
    ],
    ids=["a number of 5000 digits", "a NUL in a cursor", "JSON too deep to read", "the same from a stranger"],
)
def test_what_was_once_a_fault_is_none_any_more(sites: Sites, rule: str, sent: Sent) -> None:
    headers = {"Authorization": "Bearer <api>"} if rule == "/api/v1/games" else {}
    number = [each.path for each in sites.now.rules].index(rule)
    check(sites, sent._replace(rule=number, headers=headers))

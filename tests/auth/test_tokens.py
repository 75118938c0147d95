"""A token is valid only for its own purpose and on its own server."""

import hashlib
import string
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from itsdangerous import URLSafeSerializer

from service.auth.tokens import (
    _SALTS,
    SESSION_SECONDS,
    ApiToken,
    BadLink,
    Invitation,
    SeatLink,
    Session,
    SignInLink,
    TokenSigner,
    TurnLink,
    Unsubscribe,
)

OLD, NEW, FOREIGN = "the-old-key-of-the-house", "the-new-key-of-the-house", "the-key-of-another-server"
NOW = 1_800_000_000.25
MINUTE = 60.0
LINKS = TokenSigner([NEW])
ALPHABET = string.ascii_letters + string.digits + "-_."

Sign = Callable[[TokenSigner], str]
Read = Callable[[TokenSigner, str], tuple[Any, ...]]
PURPOSES: dict[str, tuple[Sign, Read, tuple[Any, ...]]] = {
    "turn": (lambda links: links.turn("g7", 2, 5, 0), TokenSigner.read_turn, TurnLink("g7", 2, 5, 0)),
    "seat": (lambda links: links.seat("g7", 2, 1), TokenSigner.read_seat, SeatLink("g7", 2, 1)),
    "sign_in": (
        lambda links: links.sign_in(7, "camel", NOW),
        lambda links, token: links.read_sign_in(token, NOW),
        SignInLink(7, "camel"),
    ),
    "api": (lambda links: links.api(7, 3), TokenSigner.read_api, ApiToken(7, 3)),
    "session": (
        lambda links: links.session(7, 3, NOW),
        lambda links, token: links.read_session(token, NOW),
        Session(7, 3, int(NOW) + SESSION_SECONDS),
    ),
    "invitation": (lambda links: links.invitation("g7", 4), TokenSigner.read_invitation, Invitation("g7", 4)),
    "unsubscribe": (lambda links: links.unsubscribe(7, "turns"), TokenSigner.read_unsubscribe, Unsubscribe(7, "turns")),
}
each_purpose = pytest.mark.parametrize("purpose", PURPOSES)


def signed(purpose: str, links: TokenSigner = LINKS) -> str:
    return PURPOSES[purpose][0](links)


def read(purpose: str, token: str, links: TokenSigner = LINKS) -> tuple[Any, ...]:
    return PURPOSES[purpose][1](links, token)


def refused(purpose: str, token: str, links: TokenSigner = LINKS) -> BadLink:
    with pytest.raises(BadLink) as caught:
        read(purpose, token, links)
    return caught.value


def serializer_of(purpose: str) -> URLSafeSerializer:
    return next(LINKS._serializers[kind] for kind, salt in _SALTS.items() if salt.endswith(purpose.replace("_", "-")))


def forge(purpose: str, payload: object) -> str:
    """Sign any payload like `TokenSigner` does."""
    return serializer_of(purpose).dumps(payload)


@each_purpose
def test_a_signed_token_is_read_back(purpose: str) -> None:
    found = read(purpose, signed(purpose))
    assert found == PURPOSES[purpose][2]
    assert type(found) is type(PURPOSES[purpose][2])


@each_purpose
def test_a_token_is_short_and_needs_no_quoting_in_a_url(purpose: str) -> None:
    token = signed(purpose)
    assert set(token) <= set(ALPHABET)
    assert len(token) < 100


@pytest.mark.parametrize("reader", PURPOSES)
@each_purpose
def test_no_token_is_accepted_for_another_purpose(purpose: str, reader: str) -> None:
    token = signed(purpose)
    if purpose == reader:
        assert read(reader, token) == PURPOSES[purpose][2]
    else:
        refused(reader, token)


def test_no_two_purposes_share_a_salt() -> None:
    assert len(set(_SALTS.values())) == len(_SALTS) == len(PURPOSES)


@each_purpose
def test_changing_any_character_of_a_token_is_detected(purpose: str) -> None:
    token = signed(purpose)
    for place, letter in enumerate(token):
        for other in set(ALPHABET) - {letter}:
            refused(purpose, token[:place] + other + token[place + 1 :])


@each_purpose
def test_a_truncated_or_extended_token_is_refused(purpose: str) -> None:
    token = signed(purpose)
    for length in range(len(token)):
        refused(purpose, token[:length])
        refused(purpose, token[len(token) - length :])
    for place in range(len(token) + 1):
        for more in ("A", "=", ".", " ", "\n", "!", "%", "é"):
            refused(purpose, token[:place] + more + token[place:])


@each_purpose
def test_a_token_of_another_server_is_refused(purpose: str) -> None:
    refused(purpose, signed(purpose, TokenSigner([FOREIGN])))


@each_purpose
def test_tokens_of_older_keys_stay_valid_after_rotation(purpose: str) -> None:
    before, between, after = TokenSigner([OLD]), TokenSigner([NEW, OLD]), TokenSigner([NEW])
    old = signed(purpose, before)
    assert read(purpose, old, between) == PURPOSES[purpose][2]
    new = signed(purpose, between)
    assert read(purpose, new, after) == PURPOSES[purpose][2]
    refused(purpose, new, before)
    refused(purpose, old, after)


@pytest.mark.parametrize("keys", [[], [""], [NEW, ""], NEW])
def test_links_need_a_list_of_keys(keys: Any) -> None:
    with pytest.raises(ValueError, match="list of secret keys"):
        TokenSigner(keys)


WRONG: dict[str, list[object]] = {
    "turn": [
        ["g7", 2, 5],
        ["g7", 2, 5, 0, 0],
        [7, 2, 5, 0],
        ["g7", "2", 5, 0],
        ["g7", True, 5, 0],
        ["g7", 2, 5.0, 0],
        ["g7", -1, 5, 0],
        ["g7", 2, -5, 0],
        ["g7", 2, 5, -1],
        ["g7", 2, 5, None],
        [["g7"], 2, 5, 0],
    ],
    "seat": [["g7", 2], ["g7", 2, 1, 1], ["g7", 2, "1"], [None, 2, 1], ["g7", False, 1]],
    "sign_in": [
        [7, "camel"],
        ["7", "camel", 2_000_000_000],
        [7, 8, 2_000_000_000],
        [7, "camel", "2000000000"],
        [7, "camel", None],
        [7, "camel", 2e9],
    ],
    "api": [[7], [7, 3, 3], ["7", 3], [7, None], [True, 3], [-7, 3]],
    "invitation": [["g7"], ["g7", 4, 4], [7, 4], ["g7", "4"]],
    "unsubscribe": [[7], [7, "turns", 1], ["7", "turns"], [7, 7], [7, None]],
}


@pytest.mark.parametrize(("purpose", "payload"), [(purpose, each) for purpose in WRONG for each in WRONG[purpose]])
def test_a_payload_of_other_types_is_refused_even_with_our_signature(purpose: str, payload: object) -> None:
    refused(purpose, forge(purpose, payload))


@pytest.mark.parametrize("payload", [None, True, 7, "g7", "abcd", [], {}, {"game": "g7", "seat": 2, "version": 1}])
@each_purpose
def test_a_payload_that_is_not_a_list_is_refused_even_with_our_signature(purpose: str, payload: object) -> None:
    refused(purpose, forge(purpose, payload))


@each_purpose
def test_the_forged_tokens_of_these_tests_are_made_like_real_ones(purpose: str) -> None:
    """Otherwise the two tests above would prove nothing about `TokenSigner`."""
    payload = list(PURPOSES[purpose][2])
    if purpose == "sign_in":
        payload.append(int(NOW) + 900)
    assert forge(purpose, payload) == signed(purpose)


@each_purpose
def test_a_signed_payload_that_is_not_json_is_refused(purpose: str) -> None:
    for payload in (b"", b"bm90IGpzb24", b".bm90IHppcA", b"_w"):
        refused(purpose, serializer_of(purpose).make_signer().sign(payload).decode())


def test_tokens_longer_than_512_characters_are_neither_signed_nor_read() -> None:
    random_text = "".join(hashlib.sha256(bytes([n])).hexdigest() for n in range(20))
    tokens = [forge("unsubscribe", [7, random_text[:size]]) for size in range(len(random_text))]
    fitting = [token for token in tokens if len(token) <= 512]
    assert len(fitting[-1]) in range(508, 513)
    assert LINKS.read_unsubscribe(fitting[-1]).kind == random_text[: len(fitting) - 1]
    refused("unsubscribe", tokens[len(fitting)])
    with pytest.raises(ValueError, match="too long"):
        LINKS.unsubscribe(7, random_text[: len(fitting)])


def test_a_login_link_is_valid_for_fifteen_minutes() -> None:
    signed_at = 1_800_000_000.0
    token = LINKS.sign_in(7, "camel", signed_at)
    assert LINKS.read_sign_in(token, signed_at) == SignInLink(7, "camel")
    assert LINKS.read_sign_in(token, signed_at + 15 * MINUTE - 0.001) == SignInLink(7, "camel")
    for late in (0.0, 0.001, 3600.0):
        with pytest.raises(BadLink, match="sign-in link has expired"):
            LINKS.read_sign_in(token, signed_at + 15 * MINUTE + late)


def test_identify_returns_what_a_bearer_token_stands_for() -> None:
    for purpose in ("api", "turn", "seat"):
        found = LINKS.identify(signed(purpose))
        assert (type(found), found) == (type(PURPOSES[purpose][2]), PURPOSES[purpose][2])


@pytest.mark.parametrize("purpose", ["sign_in", "invitation", "unsubscribe"])
def test_no_other_token_is_accepted_as_a_bearer_token(purpose: str) -> None:
    with pytest.raises(BadLink):
        LINKS.identify(signed(purpose))


@pytest.mark.parametrize("junk", ["", ".", "..", "a.b", "Bearer x", "\x00", "é.é", "\ud800", "A" * 100_000])
def test_junk_is_refused_by_every_reader(junk: str) -> None:
    for purpose in PURPOSES:
        refused(purpose, junk)
    with pytest.raises(BadLink):
        LINKS.identify(junk)


@given(st.one_of(st.text(), st.text(ALPHABET), st.from_regex(r"\A\.?[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\Z")))
def test_any_text_is_read_or_raises_bad_link(junk: str) -> None:
    for purpose in PURPOSES:
        refused(purpose, junk)
    with pytest.raises(BadLink):
        LINKS.identify(junk)


@given(st.text(ALPHABET, min_size=1, max_size=32), *[st.integers(0, 2**31)] * 3)
def test_any_turn_link_is_read_back(game: str, seat: int, turn: int, version: int) -> None:
    assert LINKS.read_turn(LINKS.turn(game, seat, turn, version)) == TurnLink(game, seat, turn, version)


def test_a_bad_link_responds_with_401_and_says_what_to_do() -> None:
    problem = refused("turn", "junk")
    assert (problem.status, problem.code) == (401, "unauthorised")
    assert problem.headers == {"WWW-Authenticate": "Bearer"}
    assert "sign in again" in problem.detail

"""The token of a reply's address: short, in one case, and good for its own turn on its own server."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.auth.tokens import BadLink, ReplyLink, TokenSigner

OLD, NEW = "the-old-key-of-the-house", "the-new-key-of-the-house"
LINKS = TokenSigner([NEW])
GAME = "aZ09bY18cX27"
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"  # pragma: allowlist secret
IDS = st.text(string.ascii_letters + string.digits, min_size=12, max_size=12)


def refused(token: str, links: TokenSigner = LINKS) -> None:
    with pytest.raises(BadLink):
        links.read_reply(token)


@given(IDS, st.integers(0, 255), st.integers(0, 65_535), st.integers(0, 2**24 - 1))
def test_what_is_signed_is_read_again_and_fits_a_local_part(game: str, seat: int, turn: int, version: int) -> None:
    token = LINKS.reply(game, seat, turn, version)
    assert len(f"play+{token}") <= 64
    assert set(token) <= set(LETTERS)
    assert LINKS.read_reply(token) == ReplyLink(game, seat, turn, version)


@pytest.mark.parametrize("game", ["0" * 12, "Z" * 12, "z" * 12, "9" * 12])
def test_the_first_and_the_last_ids_fit(game: str) -> None:
    assert LINKS.read_reply(LINKS.reply(game, 0, 0, 0)).game == game


def test_mail_systems_may_change_the_case() -> None:
    token = LINKS.reply(GAME, 2, 5, 1)
    mixed = "".join(letter.upper() if place % 3 else letter for place, letter in enumerate(token))
    assert LINKS.read_reply(token.upper()) == LINKS.read_reply(mixed) == ReplyLink(GAME, 2, 5, 1)


def test_changing_any_character_of_a_token_is_detected() -> None:
    token = LINKS.reply(GAME, 2, 5, 1)
    for place, letter in enumerate(token):
        for other in set(LETTERS) - {letter}:
            refused(token[:place] + other + token[place + 1 :])


def test_a_truncated_or_extended_token_is_refused() -> None:
    token = LINKS.reply(GAME, 2, 5, 1)
    for length in range(len(token)):
        refused(token[:length])
    for place in range(len(token) + 1):
        for more in ("a", "=", " ", "\n", "1", "é"):
            refused(token[:place] + more + token[place:])
    refused(token.replace("k", "\u212a") if "k" in token else token[:-1] + "\u212a")


def test_tokens_of_older_keys_stay_valid_after_rotation() -> None:
    before, between, after = TokenSigner([OLD]), TokenSigner([NEW, OLD]), TokenSigner([NEW])
    old, new = before.reply(GAME, 2, 5, 1), between.reply(GAME, 2, 5, 1)
    assert between.read_reply(old) == after.read_reply(new) == ReplyLink(GAME, 2, 5, 1)
    refused(new, before)
    refused(old, after)


def test_no_other_token_passes_as_a_reply_and_a_reply_as_no_other() -> None:
    reply = LINKS.reply(GAME, 2, 5, 1)
    for other in (LINKS.turn(GAME, 2, 5, 1), LINKS.seat(GAME, 2, 1), LINKS.api(7, 3), LINKS.invitation(GAME, 4)):
        refused(other)
    for read in (LINKS.read_turn, LINKS.read_seat, LINKS.read_api, LINKS.read_invitation, LINKS.identify):
        with pytest.raises(BadLink):
            read(reply)


@pytest.mark.parametrize("game", ["", "short", "a" * 13, "aZ09bY18cX2-", "aZ09bY18cX2é", "sim-7-0"])
def test_an_id_that_does_not_fit_is_refused_with_a_sentence(game: str) -> None:
    with pytest.raises(ValueError, match="12 letters and digits"):
        LINKS.reply(game, 0, 0, 0)


@pytest.mark.parametrize("numbers", [(256, 0, 0), (0, 65_536, 0), (0, 0, 2**24), (-1, 0, 0)])
def test_numbers_that_do_not_fit_are_refused_with_a_sentence(numbers: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="no room"):
        LINKS.reply(GAME, *numbers)


@given(st.one_of(st.text(), st.text(LETTERS, min_size=48, max_size=48)))
def test_junk_is_refused(junk: str) -> None:
    refused(junk)

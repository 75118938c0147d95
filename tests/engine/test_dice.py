"""Verifiable dice: the published rule, implemented again here without the engine."""

import hashlib
import hmac
from collections import Counter
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine.dice import Chance, Dice, commitment
from service.engine.errors import Malformed
from service.engine.marrakech.board import FACES
from service.engine.marrakech.game import MARRAKECH
from service.engine.match import new_heading, start_match
from service.engine.records import RecordPlayer

SEED = bytes(range(32))

# Worked out once with `openssl dgst -sha256 -mac HMAC`; see docs/dice.md.
KNOWN_COMMITMENT = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"  # pragma: allowlist secret
KNOWN_ROLLS = [(0, "", 2), (1, "", 2), (2, "", 4), (3, "a/b", 4), (47, "lantern", 3), (5, "épice", 4)]


def stream(seed: bytes, label: str) -> list[int]:
    """The first bytes of a label, as docs/dice.md describes them."""
    return [byte for k in range(40) for byte in hmac.new(seed, f"{label}/{k}".encode(), hashlib.sha256).digest()]


def published_roll(game: str, seed: bytes, number: int, salt: str) -> int:
    for k in count():
        for byte in hmac.new(seed, f"{game}/roll/{number}/{salt}/{k}".encode(), hashlib.sha256).digest():
            if byte < 252:
                return (1, 2, 2, 3, 3, 4)[byte % 6]
    raise AssertionError


def published_shuffle(game: str, seed: bytes, label: str, items: list[int]) -> list[int]:
    numbers = iter(stream(seed, f"{game}/shuffle/{label}"))
    for last in range(len(items) - 1, 0, -1):
        bound = last + 1
        byte = next(byte for byte in numbers if byte < 256 - 256 % bound)
        items[last], items[byte % bound] = items[byte % bound], items[last]
    return items


def test_the_commitment_is_the_sha256_of_the_seed() -> None:
    assert commitment(SEED) == KNOWN_COMMITMENT


@pytest.mark.parametrize(("number", "salt", "die"), KNOWN_ROLLS)
def test_known_rolls_of_a_fixed_seed(number: int, salt: str, die: int) -> None:
    assert FACES[Dice("souk", SEED, salt).roll(number)] == die


@given(st.binary(min_size=32, max_size=32), st.integers(0, 200), st.text(st.characters(codec="utf-8"), max_size=64))
def test_every_roll_follows_the_published_rule(seed: bytes, number: int, salt: str) -> None:
    assert FACES[Dice("a-game", seed, salt).roll(number)] == published_roll("a-game", seed, number, salt)


def test_bytes_from_252_on_are_skipped() -> None:
    label = next(f"label-{number}" for number in count() if stream(SEED, f"label-{number}")[0] >= 252)
    assert Chance(SEED, label).below(6) == next(byte for byte in stream(SEED, label) if byte < 252) % 6


def test_a_long_shuffle_continues_with_the_next_block() -> None:
    shuffled = Dice("souk", SEED).chance("deck").shuffled(range(200))
    assert list(shuffled) == published_shuffle("souk", SEED, "deck", list(range(200)))


class HashOf255s:
    """A hash whose every byte is 255, so that no byte of a block counts; real blocks like this are too rare to find."""

    def copy(self) -> "HashOf255s":
        return self

    def update(self, _: bytes) -> None:
        pass

    def digest(self) -> bytes:
        return bytes([255] * 32)


def test_a_roll_continues_with_the_next_block_if_all_bytes_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = Dice("a", SEED)
    monkeypatch.setattr(dice, "_outer", HashOf255s())
    assert FACES[dice.roll(3)] == published_roll("a", SEED, 3, "")


def test_sixty_thousand_rolls_are_fair() -> None:
    """Chi-square over the four values, three degrees of freedom: 16.27 is passed by one fair die in a thousand."""
    dice = Dice("fair", SEED)
    rolls = Counter(FACES[dice.roll(number)] for number in range(60_000))
    expected = {1: 10_000, 2: 20_000, 3: 20_000, 4: 10_000}
    assert sum((rolls[die] - due) ** 2 / due for die, due in expected.items()) < 16.27


def test_sixty_thousand_faces_are_fair() -> None:
    """The same for the six places, five degrees of freedom, with a salt that changes every time."""
    places = Counter(Dice("fair", SEED, f"salt {number}").roll(number) for number in range(60_000))
    assert sum((places[place] - 10_000) ** 2 / 10_000 for place in range(6)) < 20.52


def test_rolls_depend_on_salt_number_game_and_seed() -> None:
    def rolls(game: str, seed: bytes, salt: str, first: int) -> list[int]:
        return [Dice(game, seed, salt).roll(first + number) for number in range(40)]

    plain = rolls("a", SEED, "", 0)
    assert rolls("a", SEED, "", 0) == plain
    others = [rolls("b", SEED, "", 0), rolls("a", SEED[::-1], "", 0), rolls("a", SEED, "x", 0), rolls("a", SEED, "", 1)]
    assert plain not in others


def test_a_salt_that_is_too_long_or_not_text_is_refused() -> None:
    assert Dice("a", SEED, "x" * 64).salt == "x" * 64
    with pytest.raises(Malformed, match="salt must be text of at most 64 characters, not 65"):
        Dice("a", SEED, "x" * 65)
    with pytest.raises(Malformed, match="salt must be text that can be written as UTF-8"):
        Dice("a", SEED, "\ud800")


def test_a_seed_has_32_bytes() -> None:
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        Dice("a", SEED[1:])


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_seed_decides_the_first_player_and_the_piles(seats: int) -> None:
    heading = new_heading(MARRAKECH, "souk", "A game", {}, [RecordPlayer("")] * seats, SEED)
    started = MARRAKECH.events.write(start_match(heading, "2026-11-16T09:30:00Z").entries[0].event)
    fair = 256 - 256 % seats
    assert started["first"] == next(byte for byte in stream(SEED, "souk/shuffle/first") if byte < fair) % seats
    if seats == 2:
        colours = {0: "red", 1: "blue", 2: "yellow", 3: "green"}
        for seat in range(2):
            pile = published_shuffle("souk", SEED, f"pile-{seat}", [seat, seat + 2] * 12)
            assert started["piles"][seat] == [colours[colour] for colour in pile]
    else:
        assert "piles" not in started


def test_shuffles_are_fair() -> None:
    """All six orders of three things, five degrees of freedom."""
    orders = Counter(Dice("fair", SEED).chance(f"deck-{deal}").shuffled("abc") for deal in range(6_000))
    assert len(orders) == 6
    assert sum((found - 1_000) ** 2 / 1_000 for found in orders.values()) < 20.52


def test_every_seat_begins_equally_often() -> None:
    firsts = Counter(Dice(f"game-{number}", SEED).chance("first").below(3) for number in range(6_000))
    assert sum((firsts[seat] - 2_000) ** 2 / 2_000 for seat in range(3)) < 13.82

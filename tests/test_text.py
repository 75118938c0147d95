"""Lines of a fixed width, lengths of time, lists of names, and names without tricks."""

import pytest

from service.i18n import translations_for
from service.text import clean, format_duration, join_names, pad_or_truncate, sanitize, wrap


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "1 minute"),
        (90, "2 minutes"),
        (1800, "30 minutes"),
        (3600, "1 hour"),
        (5000, "83 minutes"),
        (7200, "2 hours"),
        (86_400, "1 day"),
        (36 * 3600, "36 hours"),
        (2 * 86_400, "2 days"),
        (2 * 86_400 + 3600, "2 days and 1 hour"),
        (14 * 86_400, "14 days"),
    ],
)
def test_a_length_of_time_is_given_as_people_say_it(seconds: float, said: str) -> None:
    assert format_duration(seconds, translations_for("en")) == said


@pytest.mark.parametrize("text", ["word " * 60, "x" * 200, "絨毯" * 60, "a " + "é" * 100 + " b"])
@pytest.mark.parametrize("bullet", ["", "* ", "12. "])
def test_lines_are_wrapped_at_72_columns_and_nothing_is_lost(text: str, bullet: str) -> None:
    lines = wrap(text, bullet).split("\n")
    wide = 2 if "絨" in text else 1
    assert all(wide * len(line) - (wide - 1) * len(bullet) <= 72 for line in lines)
    assert lines[0].startswith(bullet)
    assert "".join(line[len(bullet) :] for line in lines).replace(" ", "") == text.replace(" ", "")


def test_a_line_does_not_begin_with_a_sign_that_french_sets_apart() -> None:
    assert wrap(f"{'x' * 67} ici\u00a0: a \u00a0 b") == f"{'x' * 67}\nici : a b"
    assert wrap(f"{'x' * 70} «\u00a0a\u00a0»") == f"{'x' * 70}\n« a »"


@pytest.mark.parametrize(
    ("names", "joined"),
    [([], ""), (["Ann"], "Ann"), (["Ann", "Bo"], "Ann and Bo"), (["Ann", "Bo", "Cleo"], "Ann, Bo and Cleo")],
)
def test_names_are_joined_as_in_a_sentence(names: list[str], joined: str) -> None:
    assert join_names(names, translations_for("en")) == joined


def test_invisible_characters_are_removed_and_spaces_joined() -> None:
    assert clean(" A\u202e\x00n\u200b n\n\tB\ud800 ") == "An n B"


def test_joiners_stay_between_letters_and_nowhere_else() -> None:
    persian, family = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\U0001f469\u200d\U0001f467"
    assert clean(persian) == persian
    assert clean(f"{family} x") == f"{family} x"
    assert clean("\u200c a\u200c \u200db\u200d") == "a b"
    assert clean("\u200c\u200d") == "", "a name of nothing else is no name"
    assert pad_or_truncate(persian, 8) == f"{persian} "


def test_a_text_from_outside_has_no_link_and_a_limited_width() -> None:
    assert sanitize("see http://evil.example now", 80) == "see http evil.example now"
    assert sanitize("x" * 50, 10) == "xxxxxxxx.."


@pytest.mark.parametrize("text", ["", "Ann", "絨毯絨毯絨毯", "e\u0301" * 20, "x" * 30])
def test_a_padded_text_has_exactly_the_given_width(text: str) -> None:
    padded = pad_or_truncate(text, 9)
    assert sum(0 if character == "\u0301" else 2 if character in "絨毯" else 1 for character in padded) == 9

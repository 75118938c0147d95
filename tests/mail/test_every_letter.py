"""What holds for every kind of letter, in its text and in its HTML, whoever is named in it."""

import re
from dataclasses import replace

import pytest

from service.context import AppContext
from service.db.models import Game, Player
from service.mail.letters import KINDS, Composed
from tests.mail.correspondence import every_letter
from tests.mail.html_reading import Read
from tests.mail.tables import ANN, BO, HOSTILE, footer_links_in, links_in

BIDI = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
ABOUT_THE_BOARD = {"turn", "roll", "reminder", "time-up", "answer", "links", "talk", "over"}
TO_ACT = {"turn", "roll", "reminder", "answer", "links", "talk"}


def check_text(composed: Composed) -> None:
    """What holds for every subject and every text."""
    assert composed.subject.isprintable()
    assert 0 < len(composed.subject) <= 120
    lines, links = composed.text.split("\n"), (*links_in(composed), *footer_links_in(composed))
    assert not [line for line in lines if len(line) > 72 and line not in links]
    assert all(character == "\n" or character.isprintable() for character in composed.text)
    assert not BIDI.search(composed.subject + composed.text)
    assert tuple(line for line in lines if "://" in line) == links
    assert "\n\n\n" not in composed.text
    assert "None" not in composed.text
    assert "\n\n-- \nMarrakech by Mail\n" in composed.text


def check_html(composed: Composed) -> Read:
    """What holds for every HTML part and its pictures."""
    read = Read(composed.html)
    assert set(read.hrefs) == {*links_in(composed), *footer_links_in(composed)}
    assert not BIDI.search(composed.html)
    assert "None" not in composed.html
    assert [picture["src"] for picture in read.pictures] == [f"cid:{picture.cid}" for picture in composed.pictures]
    assert all(re.fullmatch(r"[a-z0-9.]+@[a-z]+", picture.cid) for picture in composed.pictures)
    assert len(composed.html.encode()) < 60_000
    assert sum(len(picture.png) for picture in composed.pictures) < 80_000
    # In a mail pictures grow by a third and a line of HTML by a tenth at most.
    size = len(composed.text.encode()) + len(composed.html.encode()) + sum(len(each.png) for each in composed.pictures)
    assert 1.4 * size < 150_000
    return read


def check(composed: Composed) -> None:
    check_text(composed)
    check_html(composed)


@pytest.fixture
def written(ctx: AppContext) -> dict[str, Composed]:
    return every_letter(ctx)


@pytest.mark.usefixtures("drawn_boards")
def test_every_letter_is_well_formed_and_small_and_both_parts_have_the_same_links(
    written: dict[str, Composed],
) -> None:
    for composed in written.values():
        check(composed)


def test_letters_about_a_position_have_one_picture_and_its_alt_text_says_it_in_words(
    written: dict[str, Composed],
) -> None:
    for kind, composed in written.items():
        pictures = Read(composed.html).pictures
        assert len(pictures) == (kind in ABOUT_THE_BOARD), kind
        for picture in pictures:
            assert re.match(r"Assam is on [a-g][1-7], facing \w+\. ", picture["alt"])
            assert " rugs: " in picture["alt"] or "There are no rugs on the board yet." in picture["alt"]
        assert ("\n     +-------+" in composed.text) == (kind in ABOUT_THE_BOARD), kind


def test_with_pictures_blocked_the_html_still_has_the_standings_and_every_choice(
    written: dict[str, Composed],
) -> None:
    for kind in ABOUT_THE_BOARD - {"over"}:
        said = Read(written[kind].html).said
        for heading in ("Player", "Dirhams", "Squares", "Total", "Rugs left"):
            assert heading in said, kind
        assert re.search(r"Ann .*\d+ \d+ \d+ \d+ .*\d+ \d+ \d+ \d+", said), kind
    for kind in TO_ACT:
        words = {link.partition("?do=")[2]: text for link, text in Read(written[kind].html).links}
        legal = [do for do in words if do]
        assert legal, kind
        for do in legal:
            direction = {"left", "ahead", "right"} & {do}
            assert (f"{do.capitalize()}, facing " in words[do]) if direction else words[do].endswith(do)


def test_html_says_what_the_text_says(written: dict[str, Composed]) -> None:
    """Every sentence of the text that is not drawn stands in the HTML too."""
    for kind, composed in written.items():
        html = Read(composed.html).said
        before_the_board = composed.text.partition("         .-------.")[0]
        for paragraph in before_the_board.split("\n\n"):
            for line in re.split(r"\n?\* ", paragraph):
                words = " ".join(line.split()).rstrip(":")
                if "://" not in line and kind not in {"over"} and not line.startswith("-- "):
                    assert words in html, (kind, words)


def test_a_letter_is_in_a_language_and_looks_right_in_the_dark(written: dict[str, Composed]) -> None:
    for composed in written.values():
        read = Read(composed.html)
        assert read.attributes == {"lang": "en", "dir": "ltr"}
        assert '<meta name="color-scheme" content="light dark">' in composed.html
        assert "@media (prefers-color-scheme: dark)" in composed.html


def test_choices_are_large_enough_for_a_thumb(written: dict[str, Composed]) -> None:
    for kind in TO_ACT:
        for style in re.findall(r'\?do=[^"]*" style="([^"]*)"', written[kind].html):
            padding, line = re.search(r"padding:(\d+)px", style), re.search(r"px/(\d+)px", style)
            assert padding
            assert line
            assert 2 * int(padding[1]) + int(line[1]) >= 44


def test_all_letters_of_a_game_have_the_same_subject(written: dict[str, Composed]) -> None:
    subjects = {kind: composed.subject for kind, composed in written.items()}
    without_game = {kind: subjects.pop(kind) for kind in ("sign-in", "test", "refusals")}
    assert set(subjects.values()) == {"Game: Market day"}
    assert len(set(without_game.values())) == 3


def test_the_line_next_to_the_subject_says_what_it_is_about(written: dict[str, Composed]) -> None:
    begins = {"turn": "It's your turn. You have ", "over": "The game is over. ", "time-up": "Time is up. "}
    for kind, composed in written.items():
        found = re.search('<div style="display:none;max-height:0;overflow:hidden">(.*?)</div>', composed.html)
        assert found, kind
        assert found[1].startswith(begins.get(kind, "")), kind
        assert found[1] or kind in {"test", "refusals"}, "their subject says it all"


def test_nothing_is_written_so_small_that_filters_take_it_for_hidden(written: dict[str, Composed]) -> None:
    for kind, composed in written.items():
        assert min(map(int, re.findall(r"font(?:-size)?:(?:bold )?(\d+)px", composed.html))) >= 12, kind


def test_outlook_finds_its_padding_in_cells(written: dict[str, Composed]) -> None:
    """Outlook for Windows ignores padding elsewhere; only what a finger should hit, and a chip, may have it too."""
    for kind, composed in written.items():
        for tag, style in re.findall(r'<(\w+)[^>]* style="([^"]*)"', composed.html):
            if re.search(r"(?<![a-z-])padding:(?!0[;\"]|0$)", style):
                assert tag in {"td", "th"} or "display:inline-block" in style or "mso-padding-alt:0" in style, (
                    kind,
                    tag,
                )


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_all_that_is_written_can_be_read_on_what_it_is_written_on(written: dict[str, Composed]) -> None:
    pairs = set()
    for composed in written.values():
        for style in re.findall(r'style="([^"]*)"', composed.html):
            ink, ground = re.search(r"(?<![a-z-])color:(#\w{6})", style), re.search(r"background:(#\w{6})", style)
            if ink and not re.search(r"display:none", style):
                pairs.add((ink[1], ground[1] if ground else None))
    assert len(pairs) >= 8
    # What stands on a button has the button's ground, what has no ground of its own the sheet's.
    light = [(text, on or ("#4b1f4f" if text == "#ffffff" else "#fffdf8")) for text, on in pairs]
    dark = [("#f6e9d2", "#2e1c15"), ("#dcc08d", "#2e1c15"), ("#f6e9d2", "#3d281d"), ("#241510", "#f6a821")]
    for text, on in light + dark:
        assert contrast(text, on) >= 4.5, (text, on)


@pytest.mark.parametrize("name", [*HOSTILE, "W" * 80, "𒐫" * 80, '"><img src=x onerror=alert(1)>', "عربي"])
def test_hostile_names_do_no_harm(ctx: AppContext, name: str) -> None:
    for composed in every_letter(ctx, name).values():
        check(composed)


def test_no_letter_has_the_seed_or_an_address_but_that_of_a_host_who_invites(ctx: AppContext) -> None:
    written = every_letter(ctx)
    seeds = [seed for (seed,) in Game.select(Game.seed).tuples().execute(ctx.database)]
    addresses = {email for (email,) in Player.select(Player.email).tuples().execute(ctx.database)}
    assert {ANN, BO} <= addresses
    for kind, composed in written.items():
        everything = composed.subject + composed.text + composed.html
        assert [address for address in addresses if address in everything] == [ANN] * (kind == "invitation"), kind
        assert not [seed for seed in seeds if seed in everything], kind


def test_where_answers_are_read_letters_to_act_say_so(ctx: AppContext) -> None:
    domain = replace(ctx.settings, inbound_domain="reply.example.org")
    for settings in (ctx.settings, domain):
        written = every_letter(ctx._replace(settings=settings))
        for kind in KINDS:
            said = Read(written[kind].html).said
            offers = "Reply with one " in said
            assert offers == (kind in TO_ACT - {"talk"} and settings is domain), kind
            assert offers == ("Reply with one " in written[kind].text), kind

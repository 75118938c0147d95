"""The words of a reply: what is clear is done, and what is not is refused with the reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.engine.json_reader import Json
from service.i18n import translations_for
from service.mail.inbound import commands
from service.mail.inbound.commands import (
    COMMANDS,
    EMPTY,
    LANGUAGES,
    NO_SUCH_NUMBER,
    NOT_ALONE,
    NOT_INVITED,
    NOT_LISTED,
    NOT_UNDERSTOOD,
    WHICH,
    Command,
    ParseFailure,
    vocabulary,
)
from service.routes.current import languages
from service.ui.marrakech.choices import NUMBER_TOO_EARLY
from service.ui.marrakech.game_ui import MARRAKECH_UI
from service.ui.protocol import Step
from service.ui.words import RESIGN_ALONE, SEVERAL
from tests.mail.inbound.test_mime import FACING_EAST, PLACES, parse_reply

ROTATION = {
    "assam": {"at": "d4", "facing": "east"},
    "legal": [{"type": "turn", "direction": direction} for direction in ("left", "right")],
}
ONE_PLACE: Json = {**PLACES, "legal": [{"type": "lay", "squares": ["d5", "e5"]}]}
LEFT = {"type": "face", "direction": "left"}
NOTHING = {"assam": {"at": "d4", "facing": "east"}, "legal": []}


def direction_of(words: str, language: str = "en", view: object = FACING_EAST) -> str:
    wish = parse_reply(words, view, language)  # type: ignore[arg-type]
    assert isinstance(wish, Command), wish
    assert wish.do == "act"
    return str((wish.action or {})["direction"])


def place_of(words: str, language: str = "en") -> str:
    wish = parse_reply(words, PLACES, language)
    assert isinstance(wish, Command), wish
    return "-".join((wish.action or {})["squares"])


def why(words: str, view: object = FACING_EAST, language: str = "en", offered: bool = False) -> str:
    found = parse_reply(words, view, language, offered)  # type: ignore[arg-type]
    assert isinstance(found, ParseFailure), found
    return found.why


@pytest.mark.parametrize(
    "words",
    ["left", "Left", "LEFT!", "left.", " left ", "*left*", '"left"', "left please", "Please go left.", "turn left",
     "to the left", "left\nleft", "Hi,\nleft", "Hello there!\n\nleft\n\nThanks,\nBo", "left\n\nBo", "> left",
     "l\u200beft", "north", "\uff4c\uff45\uff46\uff54"],
)  # fmt: skip
def test_left_in_english(words: str) -> None:
    assert direction_of(words) == "left"


@pytest.mark.parametrize(
    ("language", "left", "ahead", "right"),
    [
        ("de", ["links", "nach links bitte", "Norden"], ["geradeaus", "gerade aus", "Vorwärts"], ["SÜDEN", "sueden"]),
        ("de-CH", ["links", "left"], ["straight on"], ["Rechts!"]),
        ("fr", ["gauche", "à gauche", "a gauche svp"], ["tout droit", "devant", "est"], ["À droite !", "sud"]),
        ("fr_CA", ["gauche"], ["ahead"], ["right"]),
        ("xx", ["left"], ["straight ahead", "forward"], ["south"]),
    ],
)  # fmt: skip
def test_directions_in_the_players_language_and_in_english(
    language: str, left: list[str], ahead: list[str], right: list[str]
) -> None:
    for direction, phrases in (("left", left), ("ahead", ahead), ("right", right)):
        for phrase in phrases:
            assert direction_of(phrase, language) == direction


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("Turn Assam left, facing north:", "en"),
        ("Send Assam left, to face north:", "en"),  # as letters said before
        ("north, left", "en"),
        ("Tourner Assam à gauche, vers le nord :", "fr"),
    ],
)
def test_a_choice_may_be_copied_out_of_the_letter(words: str, language: str) -> None:
    assert direction_of(words, language) == "left"


def test_a_direction_that_contradicts_itself_is_refused() -> None:
    assert why("Turn Assam left, facing south") == NOT_LISTED
    assert why("left north\nright") == SEVERAL
    assert why("left, north, right") == SEVERAL


def test_another_language_is_not_guessed() -> None:
    assert why("links", language="fr") == NOT_UNDERSTOOD


def test_every_direction_is_a_turn_where_assam_is_turned_at_the_end() -> None:
    assert parse_reply("left", ROTATION, "en") == Command("act", "left", {"type": "turn", "direction": "left"})
    assert parse_reply("south", ROTATION, "en") == Command("act", "south", {"type": "turn", "direction": "right"})
    assert why("ahead", ROTATION) == NOT_LISTED


@pytest.mark.parametrize(
    "words",
    ["d5-e5", "e5-d5", "D5-E5", "d5 e5", "d5/e5", "d5,e5", "d5e5", "d5 - e5.", "d5\u2013e5", "E5\u2014D5", "d5\u2212e5",
     "d5 and e5", "lay d5-e5 please", "my rug on d5+e5", "(d5-e5)", "3", "#3", "3.", "3)", "number 3", "03", "\uff13"],
)  # fmt: skip
def test_a_place_however_it_is_written(words: str) -> None:
    assert place_of(words) == "d5-e5"


def test_places_in_other_languages() -> None:
    assert place_of("Teppich auf d5 und e5", "de") == "d5-e5"
    assert place_of("Nr. 1, bitte", "de") == "d3-e3"
    assert place_of("le tapis sur d5 et e5", "fr") == "d5-e5"


@pytest.mark.parametrize("words", ["0", "4", "#40", "999999999999999999999", "0000000003"])
def test_a_number_that_is_not_listed_is_refused(words: str) -> None:
    assert why(words, PLACES) == NO_SUCH_NUMBER


def test_directions_have_no_numbers() -> None:
    assert why("1") == NO_SUCH_NUMBER


@pytest.mark.parametrize("words", ["a1-a2", "d4-d5", "d5-f5", "left", "north"])
def test_what_is_not_among_the_choices_is_refused(words: str) -> None:
    assert why(words, PLACES) == NOT_LISTED
    assert why("left", NOTHING) == NOT_LISTED


# What people write


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("left \U0001f44d", "en"),
        ("left \U0001f44d\U0001f3fd\u2764\ufe0f", "en"),
        ("\u2b05\ufe0f left!!! :-)", "en"),
        ("OK, left", "en"),
        ("ok left", "en"),
        ("Yes: left.", "en"),
        ("Sure, go left please", "en"),
        ("I'd like to go left", "en"),
        ("I choose left", "en"),
        ("My choice: left", "en"),
        ("left \u2026 \u00a7 % @", "en"),
        ("Ja, links bitte \U0001f642", "de"),
        ("Okay, ich möchte nach links", "de"),
        ("Ich wähle links", "de"),
        ("Oui, à gauche", "fr"),
        ("D'accord, je vais à gauche \U0001f44d", "fr"),
        ("Je choisis la gauche", "fr"),
    ],
)
def test_a_direction_as_people_write_it(words: str, language: str) -> None:
    assert direction_of(words, language) == "left"


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("#3 d5-e5", "en"),
        ("3. d5-e5", "en"),
        ("3) d5-e5", "en"),
        ("#3 - lay your rug on d5-e5:", "en"),
        ("Option 3", "en"),
        ("option #3 please", "en"),
        ("3\ufe0f\u20e3", "en"),
        ("On d5-e5", "en"),
        ("On d5-e5 \U0001f44d", "en"),
        ("d5 \u2192 e5", "en"),
        ("Lege d5-e5", "de"),
        ("Option 3", "de"),
        ("Ja, Feld 3", "de"),
        ("Option 3, merci", "fr"),
        ("n\u00b0 3", "fr"),
        ("Pose sur d5-e5", "fr"),
    ],
)
def test_a_place_in_the_words_of_the_letter(words: str, language: str) -> None:
    assert place_of(words, language) == "d5-e5"


@pytest.mark.parametrize("language", sorted(languages()))
@pytest.mark.parametrize("view", [FACING_EAST, PLACES, ROTATION])
def test_every_line_of_a_letter_may_be_copied(language: str, view: Json) -> None:
    for choice in MARRAKECH_UI.choices(view, translations_for(language)):
        for line in (choice.label, f"{choice.label}:", f"{choice.sign}  {choice.key}"):
            wish = parse_reply(line, view, language)
            assert isinstance(wish, Command), (line, wish)
            assert wish.action == choice.action


def test_a_number_and_another_place_contradict_each_other() -> None:
    assert why("#1 d5-e5", PLACES) == SEVERAL
    assert why("2. d5-e5", PLACES) == SEVERAL


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("yes", "en"),
        ("OK!", "en"),
        ("Hi Ann,\nyes\nBo", "en"),
        ("Ja, gerne", "de"),
        ("oui merci", "fr"),
        ("ok \U0001f44d", "fr"),
    ],
)
def test_yes_takes_the_only_choice(words: str, language: str) -> None:
    assert parse_reply(words, ONE_PLACE, language) == Command("act", "d5-e5", ONE_PLACE["legal"][0])
    assert why(words, language=language) == WHICH
    assert why(words, NOTHING, language) == WHICH


@pytest.mark.parametrize(
    "words",
    [
        "yes?",
        "yes but wait",
        "not ok",
        "no",
        "ok\nor not",
        "yes \U0001f914",
        "Hi, hope you are ok",
        "Hi Ann, is all ok with you",
    ],
)
def test_half_a_yes_is_none(words: str) -> None:
    assert isinstance(parse_reply(words, ONE_PLACE, "en"), ParseFailure)


@pytest.mark.parametrize(
    ("words", "word"),
    [
        ("left I guess", "guess"),
        ("not left", "not"),
        ("Perhaps left", "Perhaps"),
        ("left or right", "or"),
        ("left?", "left?"),
        ("left, please?", "please?"),
        ("left\nNo, wait", "No"),
        ("left\nThanks\nNo wait, right", "No"),
        ("nach LÍNKS!", "nach"),
        ("go d5", "d5"),
        ("", ""),
        ("left right", ""),
    ],
)
def test_a_refusal_names_the_word_that_was_not_understood(words: str, word: str) -> None:
    refused = parse_reply(words, FACING_EAST, "en")
    assert isinstance(refused, ParseFailure)
    assert refused.word == word


# A whole turn


def turn_of(words: str, language: str = "en", view: object = FACING_EAST) -> tuple[object, tuple[Step, ...], bool]:
    wish = parse_reply(words, view, language)  # type: ignore[arg-type]
    assert isinstance(wish, Command), wish
    return wish.action, wish.then, wish.auto


@pytest.mark.parametrize(
    "words",
    ["left d5-e5 e5-e6", "Left d5-e5, e5/e6", "left\nd5-e5\ne5-e6",
     "OK, go left. d5 e5, e5 e6 please!", "left: d5-e5; e6-e5", "north d5e5 e5e6"],
)  # fmt: skip
def test_a_direction_and_places_are_a_whole_turn(words: str) -> None:
    assert turn_of(words) == (LEFT, (("d5-e5", "e5-e6"),), False)


@pytest.mark.parametrize(
    ("words", "language"),
    [("left auto", "en"), ("left, automatically", "en"), ("links automatisch", "de"), ("à gauche, auto", "fr")],
)
def test_the_rug_is_left_to_the_stand_in(words: str, language: str) -> None:
    assert turn_of(words, language) == (LEFT, (), True)


def test_places_and_then_the_stand_in() -> None:
    assert turn_of("left d5-e5 auto") == (LEFT, (("d5-e5",),), True)
    assert turn_of("auto") == (None, (), True)
    assert turn_of("auto", view=PLACES) == (None, (), True)
    assert why("auto", NOTHING) == NOT_LISTED


def test_where_assam_is_turned_at_the_end_the_place_comes_first() -> None:
    view = {**PLACES, "options": {"variant": "rotate-after"}}
    assert turn_of("3 left", view=view) == ({"type": "lay", "squares": ["d5", "e5"]}, (("left",),), False)
    assert turn_of("d5-e5\nleft", view=view) == turn_of("3 left", view=view)
    assert turn_of("d5-e5 auto", view=view)[1:] == ((), True)
    assert why("left d5-e5", view) == SEVERAL
    assert why("d5-e5 left") == SEVERAL


@pytest.mark.parametrize("words", ["left\n3", "north 3", "left 1 d5-e5"])
def test_places_have_no_numbers_before_the_roll(words: str) -> None:
    assert why(words) == NUMBER_TOO_EARLY


@pytest.mark.parametrize(
    "words", ["left right d5-e5", "left d5-e5 right", "auto left", "left auto d5-e5", "left help", "left d5-e5\nresign"]
)
def test_what_is_no_turn_in_order_is_refused(words: str) -> None:
    assert why(words) in {SEVERAL, NOT_UNDERSTOOD, RESIGN_ALONE}


@pytest.mark.parametrize(
    "words", ["left, maybe d5-e5", "left d5-e5?", "left d5-e5 or e5-e6", "left d5-e5 if possible", "left d5-e5-e6",
              "left not d5-e5", "left d5-e5\nno wait", "left " + "d5-e5 " * 200]
)  # fmt: skip
def test_a_whole_turn_with_a_doubt_is_refused(words: str) -> None:
    assert isinstance(parse_reply(words, FACING_EAST, "en"), ParseFailure)


def test_after_the_roll_a_direction_is_none_of_the_choices() -> None:
    assert why("left d5-e5", PLACES) == NOT_LISTED


@pytest.mark.parametrize("words", ["left or right", "left\nright", "left right", "left/right", "left\n\nright\n"])
def test_two_directions_are_refused(words: str) -> None:
    assert why(words) == SEVERAL


@pytest.mark.parametrize("words", ["1 or 2", "1\n2", "1, 2", "d5-e5 d5-d6", "d5-e5\nd5-d6", "3.5"])
def test_two_places_are_refused(words: str) -> None:
    assert why(words, PLACES) == SEVERAL


@pytest.mark.parametrize(
    "words",
    ["left?", "not left", "don't go left", "maybe left", "left I guess",
     "leftright", "lefty", "what do you think", "d5", "d5-e5-e6x",
     "left \U0001f44e", "\u274c left", "left \U0001f914", "left\uff1f", "is left ok", "\u0663",
     "\u043d\u0430\u043b\u0435\u0432\u043e", "My name is Bo", "if you like, left", "left = no"],
)  # fmt: skip
def test_what_is_not_clear_is_refused(words: str) -> None:
    assert why(words) == NOT_UNDERSTOOD


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("left\nno wait", "en"),
        ("left\nActually, don't", "en"),
        ("left\nsorry, the other one", "en"),
        ("left\nBo\nACME, 12 Main Street, Springfield", "en"),
        ("left\nBo\n+49 30 12 34 56", "en"),
        ("Right,\nI will have a look at it in the evening.", "en"),
        ("Right.\nI'll play tonight", "en"),
        ("left\nJust kidding!", "en"),
        ("left\nI mean the opposite", "en"),
        ("left\nis what Ann would do", "en"),
        ("left\nHow does that look?", "en"),
        ("left\nThanks?", "en"),
        ("Hi, anywhere except\nleft", "en"),
        ("links\nFalsch, andersrum", "de"),
        ("à gauche\nje réfléchis", "fr"),
    ],
)
def test_what_another_line_puts_off_or_takes_back_is_refused_and_may_be_sent_alone(words: str, language: str) -> None:
    assert why(words, language=language) == NOT_ALONE


def test_tomorrow_is_not_now() -> None:
    assert why("Ich gehe morgen nach links", language="de") == NOT_UNDERSTOOD


@pytest.mark.parametrize(
    "words",
    ["left\nThanks\nNo wait, right", "left\nThanks\nright", "left\nCheers\nBo\nPS: I changed my mind, make that right"],
)
def test_a_second_thought_below_the_closing_is_read(words: str) -> None:
    assert why(words) == SEVERAL


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("left\nHave a nice weekend!\nBo", "en"),
        ("left\nBest regards\nBo West\nTel. 030 12 34", "en"),
        ("left\nBest regards\nBo\nIf you are not the intended recipient, you have no right to read this.", "en"),
        ("Guten Morgen, links bitte", "de"),
        ("Guten Morgen!\nlinks\nBis bald\nBo", "de"),
        ("je vais à gauche\nMerci encore", "fr"),
    ],
)
def test_what_stands_around_a_choice_and_changes_nothing_does_no_harm(words: str, language: str) -> None:
    assert direction_of(words, language) == "left"


def test_a_long_text_is_refused_whatever_it_begins_with() -> None:
    assert direction_of("left\n" + "Bo\n" * 1000) == "left"
    assert why("left\n" + "Bo\n" * 2000) == NOT_UNDERSTOOD


def test_a_refusal_says_what_was_read_on_one_line_that_is_not_too_long() -> None:
    refused = parse_reply("Bo\x00 says\n\u202ehello\x1b[31m " + "x" * 1000, FACING_EAST, "en")
    assert isinstance(refused, ParseFailure)
    assert refused.understood.startswith("Bo says / hello[31m xxx")
    assert len(refused.understood) == 200


@pytest.mark.parametrize(
    ("words", "language"), [("resign", "en"), ("RESIGN!", "en"), ("Ich gebe auf.", "de"), ("j\u2019abandonne", "fr")]
)
def test_resigning_is_said_alone(words: str, language: str) -> None:
    assert parse_reply(words, FACING_EAST, language) == Command("act", "resign", {"type": "resign"})
    assert parse_reply(words, NOTHING, language) == Command("act", "resign", {"type": "resign"})


@pytest.mark.parametrize(
    "words", ["resign please", "I resign", "resign\nBo", "Hi\nresign", "I will not resign", "resign?"]
)
def test_resigning_with_anything_beside_it_is_refused(words: str) -> None:
    assert why(words) == RESIGN_ALONE


def test_resigning_and_playing_is_refused() -> None:
    assert why("left\nresign") == RESIGN_ALONE


@pytest.mark.parametrize(("words", "language"), [("help", "en"), ("Help!", "en"), ("Hilfe", "de"), ("aide svp", "fr")])
def test_help_can_be_asked_for(words: str, language: str) -> None:
    wish = parse_reply(words, NOTHING, language)
    assert isinstance(wish, Command)
    assert wish.do == "help"


@pytest.mark.parametrize(
    ("words", "language", "do"),
    [
        ("accept", "en", "accept"),
        ("I accept, thanks!", "en", "accept"),
        ("Ich nehme an", "de", "accept"),
        ("j'accepte", "fr", "accept"),
        ("decline", "en", "decline"),
        ("absagen", "de", "decline"),
        ("je refuse", "fr", "decline"),
    ],
)
def test_an_invitation_is_answered_where_there_is_one(words: str, language: str, do: str) -> None:
    assert parse_reply(words, NOTHING, language, offered=True) == Command(do, do)  # type: ignore[arg-type]
    assert why(words, NOTHING, language) == NOT_INVITED


def test_an_invitation_is_not_accepted_by_half() -> None:
    assert why("I do not accept", NOTHING, offered=True) == NOT_UNDERSTOOD
    assert why("accept or decline", NOTHING, offered=True) == NOT_UNDERSTOOD


@pytest.mark.parametrize("words", ["", "\n\n", " \t", "\u200b"])
def test_nothing_is_nothing(words: str) -> None:
    assert why(words) == EMPTY


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_no_word_that_may_be_passed_over_means_something(language: str) -> None:
    known = vocabulary(MARRAKECH_UI, language)
    assert not known.words.fillers & known.telling
    assert not known.words.fillers & known.words.meanings.keys()


def test_every_language_knows_every_meaning() -> None:
    for language in LANGUAGES:
        known = vocabulary(MARRAKECH_UI, language)
        assert set(known.words.meanings.values()) == set(vocabulary(MARRAKECH_UI, "en").words.meanings.values())


@given(st.text(), st.sampled_from(["en", "de", "fr", "", "zh-Hant"]), st.booleans())
def test_whatever_is_written_is_a_choice_of_the_list_or_refused(words: str, language: str, offered: bool) -> None:
    for view in (FACING_EAST, PLACES, ROTATION, NOTHING):
        found = parse_reply(words, view, language, offered)
        if isinstance(found, Command) and found.do == "act" and found.action != {"type": "resign"}:
            assert found.action in view["legal"]


@given(
    st.lists(
        st.sampled_from(["left", "right", "not", "d5", "e5", "3", "?", "\n", "resign", "please", "or", "-", "auto"])
    )
)
def test_no_mixture_of_words_plays_against_a_doubt(pieces: list[str]) -> None:
    for view in (FACING_EAST, PLACES):
        found = parse_reply(" ".join(pieces), view, "en")
        if isinstance(found, Command):
            said = {piece for piece in pieces if piece not in {"please", "\n", "-"}}
            assert not said & {"not", "or", "?"}
            assert said - {"auto"} in ({"left"}, {"right"}, {"3"}, {"d5", "e5"}, {"resign"}, set()) or (
                view == FACING_EAST and said - {"auto"} in ({"left", "d5", "e5"}, {"right", "d5", "e5"})
            )


def test_the_sentences_are_all_different() -> None:
    sentences = [
        value
        for name, value in vars(commands).items()
        if name.isupper() and isinstance(value, str) and value.endswith(".")
    ]
    assert len(set(sentences)) == len(sentences) == 9


@pytest.mark.parametrize("language", sorted(languages()))
def test_every_language_of_the_letters_has_words_that_a_reply_can_have(language: str) -> None:
    """A letter says in its reader's language what can be answered, and so must understand it."""
    own = set(MARRAKECH_UI.reply_words("en").meanings.values())
    assert set(vocabulary(MARRAKECH_UI, "en").words.meanings.values()) == COMMANDS | own
    say = translations_for(language).gettext
    for word in COMMANDS | own:
        meant, said = (parse_reply(each, FACING_EAST, language, offered=True) for each in (word, say(word)))
        assert said._replace(understood="") == meant._replace(understood=""), say(word)
        assert isinstance(said, Command) or said.why == NOT_LISTED

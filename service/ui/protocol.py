"""How a game is presented: what every game offers to pages, letters, the API and, through it, the command line.

Only the abstract methods below are required. The others have defaults that work for any game, and a page or letter
that has no template in the game's own folder uses the generic one.
"""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from gettext import NullTranslations
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from service.engine.json_reader import Json
from service.engine.protocol import Rules
from service.engine.records import Record
from service.i18n import translations_for
from service.text import WIDTH
from service.ui.tables import Standings
from service.ui.words import (
    RESIGN,
    SEVERAL,
    NoSuchNumber,
    NotListed,
    NotUnderstood,
    ReplyWords,
    SeveralChoices,
    is_resignation,
    read_fillers,
    read_line,
    read_several,
)

Step: TypeAlias = tuple[str, ...]
"""A step of a turn as a reply names it: choices in the order of preference, of which the first legal one is played."""
_ENGLISH: Final = NullTranslations()


class Choice(NamedTuple):
    """One legal action."""

    key: str
    """How a link, a reply and the API's `do` name it: `left`, `d5-e5`. Not `resign` or another command of a page."""
    label: str
    """What it does; it can be understood without the question."""
    action: Json
    sign: str = ""
    """A sign for it on a button, such as an arrow."""
    number: int | None = None
    """Its number on the board, if the choices are numbered there."""
    aliases: frozenset[str] = frozenset()
    """Other readings of words that mean this choice, as `read_choice` gives them."""
    answer: str = ""
    """A shorter label for a page that shows the question above it."""
    is_listed: bool = True
    """Whether a letter lists it with a link; places of which there may be a hundred are named in a reply."""
    group: str = ""
    """The title of many short choices of one kind, such as cards, which letters show close together."""


class Holdings(NamedTuple):
    """What every player has."""

    title: str
    lines: Sequence[str]


class Question(NamedTuple):
    """The decision that a seat has to make now."""

    legend: str
    button: str
    """The words on the button that plays the choice."""


class FairnessTexts(NamedTuple):
    """How a game speaks about chance that its players can check."""

    title: str
    promise: str
    """Above the fingerprint of the seed."""
    later: str
    """While the game is going on."""
    now: str
    """Once it is over."""
    check: str
    how: str
    """Above the command that checks the record."""


class ReplayTexts(NamedTuple):
    """How a replay calls the parts of a game that it goes through one by one."""

    position: str
    """With `number` and `last`."""
    previous: str
    following: str


class OptionField(NamedTuple):
    """An option of a game, as a group of radio buttons; the first value is the default."""

    name: str
    title: str
    values: tuple[tuple[str, str], ...]
    """Each value and its words."""
    note: str = ""


class OptionText(NamedTuple):
    """An option of a game, in words."""

    title: str
    words: str
    is_default: bool


def _spell_out(choices: Sequence[Choice], known: ReplyWords) -> dict[tuple[str, ...], str]:
    """The keys of the choices by the tokens of their lines in a letter: `#3 - lay your rug on d5-e5`, `3 d5-e5`."""
    labels = [tuple(read_line(choice.label, known).rest) for choice in choices]
    spelled = {label: choice.key for label, choice in zip(labels, choices, strict=True) if labels.count(label) == 1}
    for choice in choices:
        spelled |= {
            tuple(read_line(words, known).rest): choice.key for words in (f"{choice.number} {choice.key}", choice.key)
        }
    spelled.pop((), None)  # a line of politeness is no choice
    return spelled


class GameUi(Protocol):
    """The presentation of one game. Views and events are the JSON that the game's rules show to one seat."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the game in the registry."""

    @property
    def templates(self) -> str:
        """The folder of the game's own templates and scripts, below templates/pages, mail and static."""
        return self.name

    # The game for people who don't know it

    @property
    def title(self) -> str:
        """The name of the game as people write it, in every language."""
        return self.name.replace("-", " ").capitalize()

    def tagline(self, translations: NullTranslations) -> str:
        """The game in one sentence; empty if there is none."""
        return ""

    def credits(self, translations: NullTranslations) -> str:
        """Who made the game and who publishes it, in one sentence; empty if nobody is to be named."""
        return ""

    def picture(self, translations: NullTranslations) -> str:
        """A square picture of a game in progress as SVG; empty if there is none."""
        return ""

    def describe_picture(self, translations: NullTranslations) -> str:
        """The picture in words."""
        return ""

    def describe_length(self, seats: int, translations: NullTranslations) -> str:
        """How long a game with this many players takes; empty if that isn't known."""
        return ""

    # Choices

    @property
    def example_reply(self) -> str:
        """A word that a player can reply with, in English."""
        return "1"

    @abstractmethod
    def choices(self, view: Json, translations: NullTranslations) -> list[Choice]:
        """One choice for each entry of `view["legal"]`, in the same order."""

    def question(self, view: Json, translations: NullTranslations, state: Any = None) -> Question:
        """What the view's seat has to decide now.

        From the state, if it is given, the question may say what the seat knows although it isn't in the view.
        """
        return Question(translations.gettext("Your choice"), translations.gettext("Play it"))

    def explain_unlisted(self, view: Json, unlisted: Sequence[Choice], translations: NullTranslations) -> str:
        """How to write the choices of the view that aren't listed."""
        return translations.gettext("You can also write %(example)s.") % {"example": unlisted[0].key}

    def choice_hints(self, state: Any, names: Sequence[str], translations: NullTranslations) -> Mapping[str, str]:
        """What each choice of the seat to act may lead to, in a few words, by the choice's key."""
        return {}

    def reply_words(self, language: str) -> ReplyWords:
        """The words that the game understands, in English and in this language."""
        return ReplyWords(fillers=read_fillers({}, language))

    def read_choice(self, tokens: Sequence[str], language: str) -> str | None:
        """The choice that the tokens of one line name, in one spelling (`left`, `d5-e5`, `#3`); None if they name none.

        It need not be legal. The spelling can be read again by `parse_choice`.
        """
        if len(tokens) == 1 and tokens[0].isdecimal():
            return f"#{int(tokens[0][:6])}"
        return self.reply_words(language).meanings.get(" ".join(tokens))

    def write_reply(self, key: str, translations: NullTranslations) -> str:
        """How a player writes the choice with this key, in their language."""
        return translations.gettext(key)

    def spell_choices(self, view: Json, language: str) -> dict[tuple[str, ...], str]:
        """The keys of the view's choices by the tokens that spell them out as a letter does."""
        known, languages = self.reply_words(language), (_ENGLISH, translations_for(language))
        return {
            tokens: key
            for translations in languages
            for tokens, key in _spell_out(self.choices(view, translations), known).items()
        }

    def plan_turn(self, readings: Sequence[str], view: Json) -> Sequence[Step]:
        """The steps of a turn that the readings in one reply name in this order; raises `SeveralChoices`.

        The first step has one choice, because the player has seen what is legal. This is for a game with one action in
        a turn.
        """
        if len(readings) > 1:
            raise SeveralChoices
        return [(readings[0],)]

    def describe_whole_turn(self, view: Json, translations: NullTranslations) -> str:
        """How a reply can play the whole turn at once, in a sentence for letters; empty if it can't."""
        return ""

    def explain_several(self, mentioned: Collection[str]) -> str:
        """Why the meanings, notations and numbers in a reply can't be one choice; empty if they can."""
        return SEVERAL if len(mentioned) > 1 else ""

    def parse_choice(self, words: str, view: Json, language: str) -> Json:
        """The legal action that words such as `left`, `d5-e5` or `7` name; raises `NotUnderstood` or `NotListed`."""
        if is_resignation(words, language):
            return {"type": RESIGN}
        return self.find_action(self.read_words(words, view, language), view)

    def read_words(self, words: str, view: Json, language: str) -> str:
        """The choice that words name, in the spelling of `read_choice`, legal or not; raises `NotUnderstood`."""
        line = read_line(words, self.reply_words(language))
        reading = self.read_choice(line.rest, language) or self.spell_choices(view, language).get(tuple(line.rest))
        if reading is None or not line.sound:
            raise NotUnderstood(self.explain_unknown(view))
        return reading

    def split_words(self, words: str, view: Json, language: str) -> list[str]:
        """The choices that a line such as `weave m14-m13 7` names one after the other, each as `read_choice` spells it.

        There are none unless all of the line is understood.
        """
        line, spelled = read_line(words, self.reply_words(language)), self.spell_choices(view, language)
        readings, unread = read_several(
            line.rest, lambda tokens: self.read_choice(tokens, language) or spelled.get(tuple(tokens))
        )
        return readings if line.sound and not unread else []

    def find_action(self, reading: str, view: Json) -> Json:
        """The legal action that a reading of `read_choice` or a key names; raises `NotListed`."""
        for choice in self.choices(view, _ENGLISH):
            if reading in {choice.key, f"#{choice.number}", *choice.aliases}:
                return choice.action
        raise NoSuchNumber if reading.startswith("#") else NotListed(self.build_action(reading, view))

    def explain_unknown(self, view: Json) -> str:
        """What the view's seat can write, for a player whose words name no choice; a sentence to be translated."""
        return NotUnderstood.default_words

    def build_action(self, reading: str, view: Json) -> Json | None:
        """The action that a reading means although it is not legal now; None if that depends on what is legal."""
        return None

    # Sentences

    def describe_step(self, view: Json, table: str, translations: NullTranslations) -> str:
        """What the view's seat has just done in this turn and has to do next."""
        return translations.gettext('It\'s still your turn in "%(table)s".') % {"table": table}

    @abstractmethod
    def narrate(
        self, events: Sequence[Json], names: Sequence[str], translations: NullTranslations, you: int | None = None
    ) -> str:
        """What happened in consecutive events with the same `actor`, best in one sentence.

        The player in the seat `you` is called "you". The events need not be a whole turn.
        """

    def actor(self, event: Json) -> int | None:
        """The seat that caused an event; None if no player did."""
        seat: int | None = event.get("seat")
        return seat

    def is_told_again(self, event: Json, later: Iterable[Json]) -> bool:
        """Whether one of the later events tells the same, so that a summary can leave this one out."""
        return False

    @abstractmethod
    def ending(self, result: Json, names: Sequence[str], translations: NullTranslations) -> str:
        """Why the game is over and who has won; `result` is that of the view."""

    def explain_step(self, view: Json, translations: NullTranslations) -> str:
        """The rules of the current step; empty if the game has no such help."""
        return ""

    def explain_news(
        self, view: Json, earlier: Sequence[Json], new: Sequence[Json], translations: NullTranslations
    ) -> Sequence[str]:
        """What a new player should know now: each rule when it first matters.

        `new` are the events since the player's last action, `earlier` those before.
        """
        return ()

    # Boards and tables. `events` are the latest ones, from which a board may show what has just happened. In a game in
    # which every player has a board, `seat` says whose is shown: by default the reader's, or all if they only watch.

    @property
    def has_own_boards(self) -> bool:
        """Whether every player has a board, which all the others may see."""
        return False

    @abstractmethod
    def standings(self, view: Json, names: Sequence[str], translations: NullTranslations) -> Standings:
        """The standings, seat by seat."""

    def describe_holdings(self, view: Json, names: Sequence[str], translations: NullTranslations) -> Holdings | None:
        """What every player has besides a board, such as cards; None if the standings show it."""
        return None

    def final_standings(
        self, record: Record, result: Json, names: Sequence[str], translations: NullTranslations
    ) -> Standings:
        """The scores of a finished game, the winner first."""
        heading = record.heading
        view = heading.rules.view(record.states()[-1], None)
        view["seats"] = [{"seat": seat, **shown} for seat, shown in enumerate(view["seats"])]
        standings = self.standings(view, names, translations)
        return standings._replace(rows=tuple(standings.rows[seat] for seat in result["ranking"]))

    @abstractmethod
    def board_svg(
        self, view: Json, translations: NullTranslations, events: Iterable[Json] = (), *, seat: int | None = None
    ) -> str:
        """The board as an SVG document with a title; places in `view["legal"]` are numbered on it.

        Once there is a `view["result"]`, it may show what the winners have won with.
        """

    @abstractmethod
    def board_text(
        self,
        view: Json,
        translations: NullTranslations,
        *,
        seat: int | None = None,
        width: int = WIDTH,
        height: int | None = None,
        ansi: bool = False,
    ) -> str:
        """The board and the standings in characters, in so many columns and, if given, lines.

        Plain ASCII apart from names and translations; with `ansi`, Unicode and ANSI colours for a terminal.
        """

    def board_png(
        self, view: Json, translations: NullTranslations, events: Iterable[Json] = (), *, seat: int | None = None
    ) -> bytes:
        """The board as a PNG of 576 points."""
        import resvg_py  # noqa: PLC0415 - the renderer is large, and few requests need it

        svg = self.board_svg(view, translations, events, seat=seat)
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=576))

    def thumbnail(self, view: Json, translations: NullTranslations) -> str:
        """The board as SVG for a list of games, where it is 96 points wide and high."""
        return self.board_svg(view | {"legal": []}, translations)

    def alt_text(self, view: Json, translations: NullTranslations, events: Iterable[Json] = ()) -> str:
        """The position in words, for readers who can't see the picture."""
        return " ".join(self.board_text(view, translations).split())

    def replay_part(self, rules: Rules[Any, Any, Any], before: Any, after: Any) -> int:
        """The number of the part of a replay that an event between two states belongs to: its turn."""
        return rules.turn_of(before, after)

    def replay_texts(self, translations: NullTranslations) -> ReplayTexts:
        """How these parts are called."""
        gettext = translations.gettext
        return ReplayTexts(gettext("Turn %(number)s of %(last)s"), gettext("Previous turn"), gettext("Next turn"))

    @property
    def is_animated(self) -> bool:
        """Whether there is an `animation`."""
        return False

    def animation(self, record: Record, translations: NullTranslations) -> str:
        """The whole game as an animated SVG."""
        return ""

    # Options, and what only this game's own templates use

    def options_form(self, translations: NullTranslations) -> Sequence[OptionField]:
        """The options that the host of a new game can choose."""
        return ()

    def describe_options(self, options: Json, seats: int, translations: NullTranslations) -> Sequence[OptionText]:
        """The options of a game, in words."""
        return ()

    def table_context(self, state: Any, view: Json, names: Sequence[str], language: str) -> Mapping[str, Any]:
        """More variables for the table page; `view` is what its reader may know."""
        return {}

    def finished_context(self, record: Record, names: Sequence[str], translations: NullTranslations) -> dict[str, Any]:
        """More variables for the page of a finished game."""
        return {}

    def high_scores(self, record: Record) -> Mapping[str, Sequence[int]]:
        """Numbers of a finished game that players may want to beat: by their names, one for each seat.

        They are stored once when the game is over, so after a change here a migration must empty that column.
        """
        return {}

    def high_score_titles(self, translations: NullTranslations) -> Mapping[str, str]:
        """What these numbers are, by the same names and in the order in which pages list them."""
        return {}

    def fairness_texts(self, translations: NullTranslations) -> FairnessTexts:
        """How pages and letters speak about chance; this is for a game with dice."""
        gettext = translations.gettext
        return FairnessTexts(
            title=gettext("Dice you can check"),
            promise=gettext("The dice were fixed before the game started. Fingerprint (SHA-256):"),
            later=gettext("When the game is over, you can check every roll."),
            now=gettext("The game is over. Check every roll."),
            check=gettext("Check the dice"),
            how=gettext("To check every roll yourself, download the record and run the command below:"),
        )

    def rules_figure(self, name: str, translations: NullTranslations) -> str | None:
        """A figure of the rules page as SVG; None if there is none of this name."""
        return None

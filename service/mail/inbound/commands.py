"""Parsing a reply: the steps of a turn that can be played now, another command, or a reason why there is none."""

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from itertools import groupby
from typing import Final, Literal, NamedTuple

from service.engine.json_reader import Json
from service.i18n import marked, translations_for
from service.mail.inbound.quoting import LONGEST
from service.text import clean
from service.ui.protocol import GameUi, Step
from service.ui.words import (
    AUTO,
    RESIGN,
    RESIGN_ALONE,
    RESIGN_PHRASES,
    SEVERAL,
    Line,
    NoSuchNumber,
    NotListed,
    NotUnderstood,
    ReplyWords,
    SeveralChoices,
    fold,
    read_affirmations,
    read_line,
    read_meanings,
    read_several,
    split_phrases,
    spoken_languages,
)

LONGEST_UNDERSTOOD: Final = 200
_IN_PASSING: Final = 5
"""The most words of a line that is only a name or a wish; a longer one may say anything."""
_MOST_NUMBERS: Final = 2
"""More in one line are a telephone number."""
_LONGEST_WORD: Final = 40
_ALMOST: Final = 0.82
"""How similar two words are if one is probably the other, mistyped."""
_PUNCTUATION: Final = ".,;:!()\"'*"
_POSTSCRIPTS: Final = frozenset({"ps", "p", "nb", "edit"})

EMPTY: Final = marked("Your reply was empty. Write above the quoted e-mail.")
NOT_UNDERSTOOD: Final = NotUnderstood.default_words
NOT_ALONE: Final = marked("We understood a choice, but not the words next to it. Please send only your choice.")
WHICH: Final = marked("There's more than one choice. Tell us which one you want.")
NOT_LISTED: Final = NotListed.default_words
NO_SUCH_NUMBER: Final = NoSuchNumber.default_words
NOT_INVITED: Final = marked("You have no open invitation to this game.")


BACK: Final = marked("I am back")
"""What a player writes to return from a stand-in: the words of the button, because `back` means more on a page."""
COMMANDS: Final = frozenset({marked(RESIGN), marked("help"), marked("accept"), marked("decline"), marked(AUTO), BACK})
"""What a reply can say besides the game's choices; its translation into a reader's language is understood as well."""
_ALONE: Final = COMMANDS - {AUTO}

# Each command and the phrases for it; they are compared without case and accents.
_PHRASES: Final[dict[str, dict[str, str]]] = {
    "en": {
        **RESIGN_PHRASES["en"],
        "help": "help",
        "accept": "accept",
        "decline": "decline",
        AUTO: "auto | automatic | automatically",
        BACK: "back | i am back | i'm back | im back",
    },
    "de": {
        **RESIGN_PHRASES["de"],
        "help": "hilfe",
        "accept": "annehmen | zusagen | ich nehme an | ich sage zu",
        AUTO: "auto | automatisch",
        "decline": "ablehnen | absagen | ich lehne ab | ich sage ab",
        BACK: "zurück | ich bin zurück | ich bin wieder da",
    },
    "fr": {
        **RESIGN_PHRASES["fr"],
        "help": "aide",
        "accept": "accepter | j'accepte",
        AUTO: "auto | automatique | automatiquement",
        "decline": "refuser | décliner | je refuse | je décline",
        BACK: "retour | de retour | je suis de retour",
    },
}
LANGUAGES: Final = tuple(_PHRASES)
_GREETINGS: Final = {
    "en": "hi hello hey dear good thanks thank",
    "de": "hallo hi guten liebe lieber danke moin servus",
    "fr": "bonjour salut bonsoir cher chère merci coucou",
}
_CLOSINGS: Final = {
    "en": "cheers | best | best regards | kind regards | regards | best wishes | yours | love | thanks | thank you"
    " | bye",
    "de": "grüße | gruß | viele grüße | liebe grüße | lieben gruß | beste grüße | schöne grüße"
    " | mit freundlichen grüßen | mfg | lg | vg | danke | vielen dank | tschüss | bis bald",
    "fr": "cordialement | bien cordialement | amicalement | amitiés | bises | à bientôt | merci | bonne journée",
}
# Words that may take back or postpone a choice in another line.
_DOUBTS: Final = {
    "en": "no not don't dont never wait instead or rather actually sorry undo cancel but if unless except until"
    " kidding joke joking forget scrap ignore mean meant mistake wrong oops hmm opposite other reverse change changed"
    " think thinking maybe perhaps would could should might i'll tonight tomorrow later ask stop hold",
    "de": "nein nicht doch stattdessen oder lieber warte moment quatsch aber wenn falls außer scherz vergiss vergesst"
    " egal falsch fehler ups hm hmm andersrum anders umgekehrt gegenteil ändere überlege überlegen denke glaube"
    " vielleicht würde könnte sollte werde morgen später erst frag stopp halt",
    "fr": "non pas plutôt ou attends attendez sinon mais si sauf blague rigole plaisante oublie oubliez annule annulez"
    " erreur faux oups hum hmm inverse l'inverse contraire autre l'autre change changé pense réfléchis peut pourrais"
    " devrais demain tard demande stop",
}


class Command(NamedTuple):
    """What a reply clearly asks for."""

    do: Literal["act", "help", "accept", "decline", "back"]
    understood: str
    action: Json | None = None
    """The first action of a turn; None if the stand-in plays it."""
    then: tuple[Step, ...] = ()
    """The steps after it, which may be legal or not."""
    auto: bool = False
    """Whether the stand-in plays what is left of the turn after that."""


class ParseFailure(NamedTuple):
    """A reply that nothing is done for, and why: a sentence to be translated."""

    why: str
    understood: str
    word: str = ""
    """The first word that was not understood."""
    line: tuple[int, str] | None = None
    """Its line and the number of that line, if the reply has several."""
    action: Json | None = None
    """What the first choice means although it isn't legal: the rules can explain best why not."""


def parse_reply(
    words: str, ui: GameUi, view: Json, language: str, offered: bool = False, kept: bool = False
) -> Command | ParseFailure:
    """What the words ask for, as far as the view allows it now.

    `offered`: whether an invitation is open; `kept`: whether a stand-in plays for the seat.
    """
    understood = clean(" / ".join(filter(str.strip, words[:LONGEST].splitlines())))[:LONGEST_UNDERSTOOD]
    if len(words) > LONGEST:
        return ParseFailure(NOT_UNDERSTOOD, understood)  # the part that was cut off might have changed everything
    reply = _Reply(words, ui, view, language)
    readings = reply.readings()
    if reply.agrees and not readings and not reply.stumbled_at and (offered or len(view["legal"]) == 1):
        readings = ["accept" if offered else ui.choices(view, translations_for(language))[0].key]
    if not readings:
        why = reply.explain_failure() if understood else EMPTY
        return ParseFailure(why, understood, reply.stumbled_at, reply.stumbled_line)
    *others, last = readings
    if RESIGN in readings and not reply.is_only(RESIGN):
        return ParseFailure(RESIGN_ALONE, understood)
    if others and (AUTO in others or not _ALONE.isdisjoint(readings)):
        return ParseFailure(SEVERAL, understood)
    if last == BACK and kept:
        return Command("back", last)
    match last:
        case "help":
            return Command("help", understood)
        case "accept" | "decline":
            return Command(last, last) if offered else ParseFailure(NOT_INVITED, understood)
    return _plan(readings, ui, view, language, understood)


def _plan(readings: Sequence[str], ui: GameUi, view: Json, language: str, understood: str) -> Command | ParseFailure:
    """The steps of a turn; the first one must be legal now."""
    named = [reading for reading in readings if reading != AUTO]
    try:
        first, *then = ui.plan_turn(named, view) if named else [()]
        action = ui.parse_choice(first[0], view, language) if first else None
    except SeveralChoices as problem:
        return ParseFailure(problem.words, understood)
    except NotListed as problem:
        return ParseFailure(problem.words, understood, action=problem.action)
    except NotUnderstood:
        return ParseFailure(NOT_LISTED, understood)
    if action is None and not view["legal"]:
        return ParseFailure(NOT_LISTED, understood)
    return Command("act", " ".join(readings), action, tuple(then), auto=AUTO in readings)


class _Reply:
    """The lines of a reply to the choices of a view."""

    def __init__(self, words: str, ui: GameUi, view: Json, language: str) -> None:
        self._ui, self._view, self._language = ui, view, language
        self._known: Vocabulary = vocabulary(ui, language)
        self._spelled = ui.spell_choices(view, language)
        self._notation = re.compile(self._known.words.notation or "(?!)")
        self._texts = [clean(line) for line in words.splitlines()]
        self._lines = [read_line(text, self._known.words) for text in self._texts]
        self.agrees = False
        """Whether a line says yes and nothing else."""
        self.stumbled_at = ""
        """The first word that was not understood."""
        self.stumbled_line: tuple[int, str] | None = None
        """Its line and the number of that line, if there are several."""

    def readings(self) -> list[str]:
        """The choices and commands in the lines; none as soon as one line says something that is not understood."""
        readings: list[str] = []
        for number, line in enumerate(self._lines):
            answered = self.agrees or bool(readings)
            if answered and self._closes(line):
                below = enumerate(self._lines[number + 1 :], start=number + 1)
                again = next((at for at, each in below if self._thinks_again(each)), None)
                return _merge(readings) if again is None else self._stumble(again)
            read, rest = self._read(line)
            if read and not rest and line.sound:
                readings += read
            elif not self._is_chatter(line, after=answered):
                return self._stumble(number)
            elif not line.rest and not self._known.affirmations.isdisjoint(line.tokens):
                self.agrees = True
        return _merge(readings)

    def is_only(self, command: str) -> bool:
        """Whether the reply is this command and nothing else."""
        said = [line for line in self._lines if line.tokens or not line.sound]
        return len(said) == 1 and self._known.words.meanings.get(" ".join(said[0].tokens)) == command

    def explain_failure(self) -> str:
        """Why no choice was found: there may have been too many in one line, or too much around one."""
        lines = [line for line in self._lines if not _is_of_an_address(line)]
        meanings = self._known.words.meanings
        meant = [meanings.get(token, token) for line in lines for token in self._mentioned(line)]
        own = set(self._ui.reply_words(self._language).meanings.values())
        mentioned = {token for token in meant if token in own or self._notation.fullmatch(token) or token.isdecimal()}
        several = self._ui.explain_several(mentioned)
        if several:
            return several
        if RESIGN in meant:
            return RESIGN_ALONE
        if self.agrees and not self.stumbled_at:
            return WHICH
        return NOT_ALONE if any(map(self._is_choice, self._lines)) else self._ui.explain_unknown(self._view)

    def _read(self, line: Line) -> tuple[list[str], Sequence[str]]:
        """What the line names one after the other, in one spelling each (`left`, `d5-e5`, `#3`), and its unread end."""
        whole = self._read_one(line.rest, COMMANDS)
        if whole:
            return [whole], []
        if _count_numbers(line) > _MOST_NUMBERS:
            return [], line.rest
        return read_several(line.rest, lambda tokens: self._read_one(tokens, {AUTO}))

    def _read_one(self, tokens: Sequence[str], commands: Collection[str]) -> str:
        """The one choice or command that the tokens name; empty if they name none."""
        meaning = self._known.words.meanings.get(" ".join(tokens), "")
        if meaning in commands:
            return meaning
        return self._ui.read_choice(tokens, self._language) or self._spelled.get(tuple(tokens), "")

    def _is_choice(self, line: Line) -> bool:
        readings, rest = self._read(line)
        return bool(readings) and not rest and line.sound

    def _stumble(self, number: int) -> list[str]:
        """Remember the line and the word that could not be read, as they were written."""
        text, line = self._texts[number], self._lines[number]
        written, unread = text.split(), self._read(line)[1][:1]
        for word in written:
            found = read_line(word, self._known.words)
            is_it = unread[0] in found.tokens if unread else found.asks
            if is_it:
                written = [word]
                break
        self.stumbled_at = written[0][:_LONGEST_WORD].strip(_PUNCTUATION)
        if len(self._lines) > 1:
            self.stumbled_line = (number + 1, text[:LONGEST_UNDERSTOOD])
        return []

    def _is_chatter(self, line: Line, after: bool) -> bool:
        """Whether the line says nothing about the game: politeness before the choice, a name or a wish after it."""
        if not line.rest and line.sound:
            return True
        if line.asks or self._mentioned(line) or self._is_mistyped(line):
            return False
        greets = bool(line.tokens) and line.tokens[0] in self._known.greetings
        return greets or (after and len(line.tokens) <= _IN_PASSING)

    def _is_mistyped(self, line: Line) -> bool:
        """Whether the line begins with almost a word of the game that begins choices."""
        first, openers = line.rest[:1], self._known.words.openers
        return not openers.issuperset(first) and bool(get_close_matches(first[0], openers, 1, _ALMOST))

    def _mentioned(self, line: Line) -> list[str]:
        return [
            token
            for token in line.tokens
            if token in self._known.telling or self._notation.fullmatch(token) or (token.isdecimal() and len(token) < 3)
        ]

    def _closes(self, line: Line) -> bool:
        said = " ".join(line.tokens)
        closes = any(said == closing or said.startswith(f"{closing} ") for closing in self._known.closings)
        return closes and not line.asks and not self._mentioned(line)

    def _thinks_again(self, line: Line) -> bool:
        """Whether a line below "Thanks" changes what is above it; most are a name, an address or a disclaimer."""
        if self._is_choice(line):
            return True
        if len(line.tokens) > _IN_PASSING and line.tokens[0] not in _POSTSCRIPTS:
            return False
        words = self._known.words
        return any(
            token in self._known.telling and words.meanings.get(token) not in words.surnames for token in line.tokens
        )


def _merge(readings: list[str]) -> list[str]:
    """The readings without repetitions."""
    return [reading for reading, _ in groupby(readings)]


def _is_of_an_address(line: Line) -> bool:
    """Whether the numbers in the line are those of a street or a telephone rather than of choices."""
    numbers = _count_numbers(line)
    return numbers > _MOST_NUMBERS or (numbers > 0 and len(line.rest) > 3)


def _count_numbers(line: Line) -> int:
    return sum(token.isdecimal() for token in line.tokens)


class Vocabulary(NamedTuple):
    """The words of one player in one game."""

    words: ReplyWords
    """The phrases of the commands and of the game."""
    greetings: frozenset[str]
    closings: tuple[str, ...]
    affirmations: frozenset[str]
    telling: frozenset[str]
    """Every word that may change what is wanted."""


def vocabulary(ui: GameUi, language: str) -> Vocabulary:
    """The words of a player who reads this language, and English."""
    spoken = [each for each in spoken_languages(language) if each in LANGUAGES]
    game = ui.reply_words(language)
    meanings = {**read_meanings(_PHRASES, language), **game.meanings}
    single = {phrase for phrase in meanings if " " not in phrase}
    return Vocabulary(
        game._replace(meanings=meanings),
        frozenset(word for each in spoken for word in fold(_GREETINGS[each]).split()),
        tuple(phrase for each in spoken for phrase in split_phrases(_CLOSINGS[each])),
        read_affirmations(language),
        frozenset(single.union(*(fold(_DOUBTS[each]).split() for each in spoken))),
    )

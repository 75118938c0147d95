"""From the words of a reply to what its writer wants: one thing that can be done now, or nothing at all."""

import re
from gettext import NullTranslations
from typing import Final, Literal, NamedTuple

from service.engine.json_reader import Json
from service.i18n import marked
from service.mail.inbound.quoting import LONGEST
from service.text import clean
from service.ui.protocol import SEVERAL, GameUi, NoSuchNumber, NotListed, NotUnderstood, spell_keys
from service.ui.words import (
    RESIGN,
    RESIGN_PHRASES,
    Line,
    ReplyWords,
    fold,
    read_line,
    read_meanings,
    split_phrases,
    spoken_languages,
)

LONGEST_UNDERSTOOD: Final = 200
_IN_PASSING: Final = 5
"""How many words a line has at most that says no more than a name or a good wish; a longer one may say anything."""
_POSTSCRIPTS: Final = frozenset({"ps", "p", "nb", "edit"})

EMPTY: Final = marked("There was nothing above the quoted letter that could be read.")
NOT_UNDERSTOOD: Final = NotUnderstood.words
NOT_ALONE: Final = marked(
    "Beside your choice stands something that could not be understood; send the choice alone, with nothing below it."
)
NOT_LISTED: Final = NotListed.default_words
NO_SUCH_NUMBER: Final = NoSuchNumber.default_words
RESIGN_ALONE: Final = marked("To resign, send that one word and nothing else: it cannot be taken back.")
NOT_INVITED: Final = marked("There is no invitation here that waits for your answer.")


BACK: Final = marked("I am back")
"""What a player writes whose seat a stand-in plays: the words of the button, because `back` means more on a page."""
COMMANDS: Final = frozenset({marked(RESIGN), marked("help"), marked("accept"), marked("decline"), BACK})
"""What a reply can say besides a choice; its translation into a reader's language is a word that a reply can have."""

# Each command and the phrases for it; they are compared without case and accents.
_PHRASES: Final[dict[str, dict[str, str]]] = {
    "en": {
        **RESIGN_PHRASES["en"],
        "help": "help",
        "accept": "accept",
        "decline": "decline",
        BACK: "back | i am back | i'm back | im back",
    },
    "de": {
        **RESIGN_PHRASES["de"],
        "help": "hilfe",
        "accept": "annehmen | zusagen | ich nehme an | ich sage zu",
        "decline": "ablehnen | absagen | ich lehne ab | ich sage ab",
        BACK: "zurück | ich bin zurück | ich bin wieder da",
    },
    "fr": {
        **RESIGN_PHRASES["fr"],
        "help": "aide",
        "accept": "accepter | j'accepte",
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
# What may take a choice back that was made in another line, or put it off.
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
    """What the writer clearly wants."""

    do: Literal["act", "help", "accept", "decline", "back"]
    understood: str
    action: Json | None = None


class ParseFailure(NamedTuple):
    """Words that nothing is done for, and why: a sentence that is to be translated."""

    why: str
    understood: str


def parse_reply(
    words: str, ui: GameUi, view: Json, language: str, offered: bool = False, kept: bool = False
) -> Command | ParseFailure:
    """What the words ask for, as far as the view allows it now.

    `offered`: whether an invitation is open; `kept`: whether a stand-in plays for the seat.
    """
    understood = clean(words[:LONGEST])[:LONGEST_UNDERSTOOD]
    if len(words) > LONGEST:
        return ParseFailure(NOT_UNDERSTOOD, understood)  # the part that was cut off might have changed everything
    reply = _Reply(words, ui, view, language)
    choices = reply.choices()
    if not choices:
        return ParseFailure(reply.explain_failure() if understood else EMPTY, understood)
    if len(choices) > 1:
        mentioned = {part.lstrip("#") for choice in choices - COMMANDS for part in re.split("[- ]", choice)}
        return ParseFailure(ui.explain_several(mentioned) or SEVERAL, understood)
    (choice,) = choices
    if choice == RESIGN and not reply.is_only(RESIGN):
        return ParseFailure(RESIGN_ALONE, understood)
    if choice == BACK and kept:
        return Command("back", choice)
    match choice:
        case "help":
            return Command("help", understood)
        case "accept" | "decline":
            return Command(choice, choice) if offered else ParseFailure(NOT_INVITED, understood)
    try:
        return Command("act", choice, ui.parse_choice(choice, view, language))
    except NotListed as problem:
        return ParseFailure(problem.words, understood)
    except NotUnderstood:
        return ParseFailure(NOT_LISTED, understood)


class _Reply:
    """The lines of a reply to the choices of a view."""

    def __init__(self, words: str, ui: GameUi, view: Json, language: str) -> None:
        self._ui, self._language = ui, language
        self._known: Vocabulary = vocabulary(ui, language)
        self._keys = spell_keys(ui.choices(view, NullTranslations()), self._known.words)
        self._notation = re.compile(self._known.words.notation or "(?!)")
        self._lines = [read_line(clean(line), self._known.words) for line in words.splitlines()]

    def choices(self) -> set[str]:
        """The choices and commands in the lines; none as soon as one line says something that is not understood."""
        choices: set[str] = set()
        for number, line in enumerate(self._lines):
            if choices and self._closes(line):
                return set() if any(map(self._thinks_again, self._lines[number + 1 :])) else choices
            choice = self._choice(line)
            if choice:
                choices.add(choice)
            elif not self._is_chatter(line, after=bool(choices)):
                return set()
        return choices

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
        return NOT_ALONE if any(map(self._choice, self._lines)) else NOT_UNDERSTOOD

    def _choice(self, line: Line) -> str | None:
        """The one choice or command that the line is, in one spelling: `left`, `d5-e5`, `#3`."""
        if not line.sound or not line.rest:
            return None
        meaning = self._known.words.meanings.get(" ".join(line.rest), "")
        if meaning in COMMANDS:
            return meaning
        return self._ui.read_choice(line.rest, self._language) or self._keys.get(tuple(line.rest))

    def _is_chatter(self, line: Line, after: bool) -> bool:
        """Whether the line says nothing about the game: politeness before the choice, a name or a wish after it."""
        if not line.rest and line.sound:
            return True
        if line.asks or self._mentioned(line):
            return False
        greets = bool(line.tokens) and line.tokens[0] in self._known.greetings
        return greets or (after and len(line.tokens) <= _IN_PASSING)

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
        """Whether a line below "Thanks" changes what stands above it; most are a name, an address, a disclaimer."""
        if self._choice(line):
            return True
        if len(line.tokens) > _IN_PASSING and line.tokens[0] not in _POSTSCRIPTS:
            return False
        words = self._known.words
        return any(
            token in self._known.telling and words.meanings.get(token) not in words.surnames for token in line.tokens
        )


def _is_of_an_address(line: Line) -> bool:
    """Whether the numbers in the line are those of a street or a telephone rather than of choices."""
    numbers = sum(token.isdecimal() for token in line.tokens)
    return numbers > 2 or (numbers > 0 and len(line.rest) > 3)


class Vocabulary(NamedTuple):
    """The words of one player in one game."""

    words: ReplyWords
    """The phrases of the commands and of the game."""
    greetings: frozenset[str]
    closings: tuple[str, ...]
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
        frozenset(single.union(*(fold(_DOUBTS[each]).split() for each in spoken))),
    )

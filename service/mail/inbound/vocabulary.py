"""The words that a reply can have in every game: English for everybody, and the player's own language."""

from typing import Final, NamedTuple

from service.i18n import marked
from service.ui.protocol import GameUi
from service.ui.words import RESIGN, RESIGN_PHRASES, ReplyWords, fold, read_meanings, split_phrases, spoken_languages

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

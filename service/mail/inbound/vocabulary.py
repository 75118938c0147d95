"""The words in which a reply can say something: English for everybody, and the player's own language."""

import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

from service.i18n import marked

ENGLISH: Final = "en"
BACK: Final = marked("I am back")
"""What somebody says whose seat a stand-in keeps: the words of the button, for `back` has another meaning on a page."""
MEANINGS: Final = frozenset(
    {
        *("left", "ahead", "right", "north", "east", "south", "west"),
        *(marked("resign"), marked("help"), marked("accept"), marked("decline"), BACK),
    }
)
"""All that a reply can say besides a place; in a reader's language each must be a word that a reply can have."""
_DASHES: Final = dict.fromkeys([*range(0x2010, 0x2016), 0x2043, 0x2212, 0xFE63, 0xFF0D], "-")
_QUOTES: Final = dict.fromkeys([0x60, 0xB4, 0x2018, 0x2019], "'")

# Each meaning and the phrases for it; they are compared without case and accents.
_MEANINGS: Final[dict[str, dict[str, str]]] = {
    "en": {
        "left": "left",
        "ahead": "ahead | straight | straight ahead | straight on | forward | forwards",
        "right": "right",
        "north": "north",
        "east": "east",
        "south": "south",
        "west": "west",
        "resign": "resign",
        "help": "help",
        "accept": "accept",
        "decline": "decline",
        BACK: "back | i am back | i'm back | im back",
    },
    "de": {
        "left": "links",
        "ahead": "geradeaus | gerade aus | gradeaus | vorwärts | vorwaerts",
        "right": "rechts",
        "north": "nord | norden",
        "east": "ost | osten",
        "south": "süd | süden | sued | sueden",
        "west": "west | westen",
        "resign": "aufgeben | ich gebe auf",
        "help": "hilfe",
        "accept": "annehmen | zusagen | ich nehme an | ich sage zu",
        "decline": "ablehnen | absagen | ich lehne ab | ich sage ab",
        BACK: "zurück | ich bin zurück | ich bin wieder da",
    },
    "fr": {
        "left": "gauche",
        "ahead": "tout droit | devant | droit devant | en avant",
        "right": "droite",
        "north": "nord",
        "east": "est | l'est",
        "south": "sud",
        "west": "ouest | l'ouest",
        "resign": "abandonner | abandon | j'abandonne",
        "help": "aide",
        "accept": "accepter | j'accepte",
        "decline": "refuser | décliner | je refuse | je décline",
        BACK: "retour | de retour | je suis de retour",
    },
}
# What may stand around a choice without changing it. No word that denies or asks may ever be here.
_FILLERS: Final = {
    "en": "please pls thanks thx thank you hi hello hey dear there good morning evening i we go turn face send move"
    " assam lay place put take rug my the to on at and number",
    "de": "bitte danke hallo hi guten tag abend ich wir nach gehe geh dreh drehe schick schicke assam lege leg"
    " nehme nimm platz teppich meinen den auf und nummer nr",
    "fr": "merci bonjour salut bonsoir s'il vous te plait svp stp je nous va vais vers tourne tourner envoie envoyer"
    " assam pose prends place tapis mon le la à au sur et numéro",
}
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
    """The words of one reader."""

    meanings: dict[str, str]
    """What each phrase means."""
    fillers: frozenset[str]
    greetings: frozenset[str]
    closings: tuple[str, ...]
    telling: frozenset[str]
    """Every word that may change what is wanted."""


def plain(text: str) -> str:
    """The text without case, accents and fancy dashes, so that it can be compared."""
    text = unicodedata.normalize("NFKC", text.translate(_DASHES | _QUOTES)).casefold()
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))


@lru_cache(maxsize=64)
def vocabulary(language: str) -> Vocabulary:
    """The words of whoever reads this language, and English."""
    own = language.replace("_", "-").partition("-")[0].lower()
    spoken = [each for each in dict.fromkeys((ENGLISH, own)) if each in _MEANINGS]
    meanings = {
        phrase: meaning
        for each in spoken
        for meaning, phrases in _MEANINGS[each].items()
        for phrase in _phrases(phrases)
    }
    single = {phrase for phrase in meanings if " " not in phrase}
    return Vocabulary(
        meanings,
        frozenset(word for each in spoken for word in plain(_FILLERS[each]).split()),
        frozenset(word for each in spoken for word in plain(_GREETINGS[each]).split()),
        tuple(phrase for each in spoken for phrase in _phrases(_CLOSINGS[each])),
        frozenset(single.union(*(plain(_DOUBTS[each]).split() for each in spoken))),
    )


def _phrases(written: str) -> list[str]:
    return [plain(phrase).strip() for phrase in written.split("|")]

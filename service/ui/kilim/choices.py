"""The choices of a player of Kilim: their labels, and the words that name them."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from gettext import NullTranslations
from typing import Final

from service.engine.json_reader import Json
from service.engine.kilim.carpet import NEIGHBOURS, SQUARES
from service.engine.kilim.pieces import DOMINOES, MOTIFS, SPECIALS, TOKENS
from service.i18n import marked
from service.ui.kilim.pieces import name_card, name_piece, name_token, write_place
from service.ui.protocol import Choice, Step
from service.ui.words import NotListed, ReplyWords, SeveralChoices, read_fillers, read_meanings

ONE_CARD: Final = marked("You can only play one card at a time. Please send just one.")
_LABELS: Final = {
    "play": marked("Play %(card)s"),
    "bid": marked("Bid %(card)s"),
    "pay": marked("Pay %(card)s"),
    "weave": marked("Weave %(piece)s on %(place)s"),
    "keep": marked("Keep %(piece)s"),
    "take": marked("Take %(token)s"),
    "patch": marked("Patch %(place)s with %(piece)s"),
    "turn": marked("Turn %(piece)s to %(place)s"),
    "move": marked("Move %(piece)s to %(place)s"),
    "remove": marked("Remove %(piece)s"),
    "pass": marked("Pass"),
}
_KEY_WORDS: Final = frozenset(
    {
        *(marked("weave"), marked("keep"), marked("take"), marked("patch")),
        *(marked("turn"), marked("move"), marked("remove"), marked("perfect")),
        *(*MOTIFS, *SPECIALS, marked("pass")),
    }
)
"""The words of keys that replies may translate."""
_SQUARE_PATTERN: Final = "[a-y](?:2[0-5]|1[0-9]|[1-9])"
_NOTATION: Final = f"(?:{_SQUARE_PATTERN}|[behsto]{{2}}[1-3])"
_SQUARE: Final = re.compile(_SQUARE_PATTERN)
_DOMINO_NAMES: Final = frozenset((*DOMINOES, *(domino[:2] for domino in DOMINOES)))
"""With and without the number of the group."""
_MEANINGS: Final = {
    "en": {
        "spy": "spy",
        "bag": "bag",
        "artisan": "artisan",
        "bird": "bird",
        "eye": "eye",
        "horn": "horn",
        "star": "star",
        "tree": "tree",
        "weave": "weave",
        "keep": "keep",
        "patch": "patch",
        "remove": "remove",
        "pass": "pass",
    },
    "fr": {
        "spy": "espion | l'espion",
        "bag": "sac",
        "artisan": "artisan | l'artisan",
        "bird": "oiseau | l'oiseau",
        "eye": "œil | l'œil | oeil | l'oeil",
        "horn": "corne",
        "star": "étoile | l'étoile",
        "tree": "arbre | l'arbre",
        "weave": "tisser | tisse",
        "keep": "garder | garde",
        "patch": "rapiécer | rapièce",
        "remove": "retirer | retire",
        "pass": "passer | passe",
    },
}
# People write these in a wish or a comment as well ("Your turn!"), so alone they don't count as part of a choice.
_COMMON_WORDS: Final = {
    "en": {"take": "take", "turn": "turn", "move": "move", "perfect": "perfect"},
    "fr": {
        "take": "prendre | prends",
        "turn": "tourner | tourne",
        "move": "déplacer | déplace",
        "perfect": "parfait",
    },
}
_NOUNS: Final = {
    "en": "gold card bid pay domino scrap token",
    "fr": "or carte mise miser payer paie paye domino chute jeton",
}
"""Words that say what follows, and that add nothing to it."""
_FILLERS: Final = {"en": "on with in your", "fr": "jouer en sur avec dans vers votre vos"}


class NoDomino(NotListed):
    """The words would weave a domino, but there is none to weave."""

    default_words = marked("You have no domino to weave right now.")


class WhichDomino(NotListed):
    """The words don't say which domino is meant."""

    default_words = marked("We don't know which domino you mean. Write its whole name: weave BE1 m14-m13.")


class NotBeside(NotListed):
    """The words name two squares that a domino can't cover."""

    default_words = marked("A domino covers two squares that share an edge, such as m14-m13.")


# Choices


def list_choices(view: Json, translations: NullTranslations) -> list[Choice]:
    """One choice for each legal action."""
    gettext = translations.gettext
    choices = []
    for action in view["legal"]:
        label = gettext(_LABELS[_find_verb(action, view)]) % _describe(action, translations)
        key = write_key(action)
        choice = Choice(key, label, action, is_listed=action["type"] not in {"weave", "patch", "rework"})
        if action["type"] in {"play", "bid"}:
            group = gettext("Special cards") if key in SPECIALS else gettext("Gold")
            choice = choice._replace(answer=gettext(key).capitalize(), group=group)
        choices.append(choice)
    return choices


def _find_verb(action: Json, view: Json) -> str:
    match action["type"]:
        case "rework":
            return str(action["token"])
        case "bid" if view["phase"] == "pay":
            return "pay"
        case kind:
            return str(kind)


def _describe(action: Json, translations: NullTranslations) -> dict[str, str]:
    """What the label of an action contains."""
    words = {"place": write_place(action)}
    match action["type"]:
        case "play":
            words["card"] = name_card(action["card"], translations)
        case "bid":
            words["card"] = name_card(action["gold"], translations)
        case "take":
            words["token"] = name_token(action["token"], translations)
        case "keep" | "patch":
            words["piece"] = name_piece(action["scrap"], translations)
        case "weave" | "rework":
            words["piece"] = name_piece(_find_use(action)[1], translations)
    return words


def write_key(action: Json) -> str:
    """The key of an action's choice, in the spelling of `read_choice`."""
    match action["type"]:
        case "play":
            return str(action["card"])
        case "bid":
            return str(action["gold"])
        case "keep":
            return f"keep {action['scrap']}"
        case "take":
            return f"take {action['token']}"
        case "patch":
            return f"patch {action['scrap']} {action['square']}"
        case "weave" | "rework":
            verb, piece = _find_use(action)
            return f"{verb} {piece} {write_place(action)}".rstrip()
    return str(action["type"])


def write_reply(key: str, translations: NullTranslations) -> str:
    """The key in the reader's language, in words that `read_choice` understands."""
    return " ".join(translations.gettext(word) if word in _KEY_WORDS else word for word in key.split())


def _find_use(action: Json) -> tuple[str, str]:
    """The verb and the piece of an action that weaves or changes a carpet with a token."""
    return ("weave", action["domino"]) if action["type"] == "weave" else (action["token"], action["piece"])


def explain_unlisted(view: Json, unlisted: Sequence[Choice], translations: NullTranslations) -> str:
    """How to write a place for a domino, and what else the seat can use, with examples that are legal now."""
    gettext = translations.gettext
    owed = view["seats"][view["you"]]["owes"]["weave"]
    places = [choice for choice in unlisted if choice.action.get("domino") in owed]
    uses = {
        choice.key.split()[0]: choice.key for choice in reversed(unlisted) if choice.action.get("domino") not in owed
    }
    sentences = []
    if len(owed) == 1:
        told = gettext("Write its two squares, the first half's square first, such as %(example)s.")
        sentences.append(told % {"example": write_place(places[0].action)})
    elif owed:
        told = gettext("Write a domino and its two squares, the first half's square first, such as %(example)s.")
        sentences.append(told % {"example": places[0].key})
    if uses:
        told = gettext("You can also use what you hold: %(examples)s.")
        sentences.append(told % {"examples": ", ".join(reversed(uses.values()))})
    return " ".join(sentences)


# Words


@lru_cache(maxsize=32)
def reply_words(language: str) -> ReplyWords:
    """The words for cards, motifs and what is done with them, in English and in this language."""
    words = _read_words(language)
    openers = frozenset(word for word, meaning in words.items() if meaning not in MOTIFS)
    # Some motifs are also people's names.
    surnames = frozenset(MOTIFS)
    fillers = read_fillers(_FILLERS, language) - set(words)
    names = frozenset(map(str.lower, _DOMINO_NAMES))
    return ReplyWords(read_meanings(_MEANINGS, language), fillers, _NOTATION, surnames, openers, names)


@lru_cache(maxsize=32)
def _read_words(language: str) -> dict[str, str]:
    return read_meanings(_MEANINGS, language) | read_meanings(_COMMON_WORDS, language)


@lru_cache(maxsize=32)
def _read_nouns(language: str) -> frozenset[str]:
    return read_fillers(_NOUNS, language) - read_fillers({}, language)


def read_choice(tokens: Sequence[str], language: str) -> str | None:
    """The choice that the tokens name, in the spelling of the keys; a domino may lack its group or be left out."""
    words, nouns = _read_words(language), _read_nouns(language)
    meant = [words.get(token, token) for token in tokens if token not in nouns]
    if len(meant) == 2 and meant[0] in {"take", "move"} and _read_card(meant[1]):
        return _read_card(meant[1])
    match meant:
        case ["pass"]:
            return "pass"
        case [card]:
            return _read_card(card)
        case ["keep", motif] if motif in MOTIFS:
            return f"keep {motif}"
        case ["take", token] if token in TOKENS:
            return f"take {token}"
        case ["patch", motif, square] if motif in MOTIFS and _SQUARE.fullmatch(square):
            return f"patch {motif} {square}"
        case ["patch", square, motif] if motif in MOTIFS and _SQUARE.fullmatch(square):
            return f"patch {motif} {square}"
        case ["remove", piece] if _read_piece(piece):
            return f"remove {_read_piece(piece)}"
        case ["move", motif, square] if motif in MOTIFS and _SQUARE.fullmatch(square):
            return f"move {motif} {square}"
    return _read_place(meant)


def _read_card(word: str) -> str | None:
    if word.isdecimal():
        return str(int(word[:6]))
    return word if word in SPECIALS else None


def _read_piece(word: str) -> str | None:
    return word if word in MOTIFS else _read_domino(word)


def _read_domino(word: str) -> str | None:
    return word.upper() if word.upper() in _DOMINO_NAMES else None


def _read_place(meant: Sequence[str]) -> str | None:
    """A domino's new place: `weave` and the domino may be left out, if there is only one."""
    *start, first, second = meant if len(meant) > 1 else ("", "")
    if not (_SQUARE.fullmatch(first) and _SQUARE.fullmatch(second)):
        return None
    verb = start.pop(0) if start and start[0] in {"weave", "turn", "move"} else "weave"
    name = _read_domino(start[0]) if len(start) == 1 else None
    if (start and name is None) or (verb != "weave" and name is None):
        return None
    return " ".join([verb, *([name] if name else []), f"{first}-{second}"])


def find_action(reading: str, view: Json) -> Json:
    """The legal action that a reading means; raises `NotListed`."""
    action = _build_action(reading, view)
    if action is None or action not in view["legal"]:
        raise NotListed(action)
    return action


def _build_action(reading: str, view: Json) -> Json | None:
    """The action that a reading means, legal or not; raises `NotListed` if no domino fits it."""
    verb, *rest = reading.split()
    match verb, rest:
        case "pass", []:
            return {"type": "pass"}
        case "keep", [motif]:
            return {"type": "keep", "scrap": motif}
        case "take", [token]:
            return {"type": "take", "token": token}
        case "patch", [motif, square]:
            return {"type": "patch", "scrap": motif, "square": square}
        case "weave", [*name, place]:
            return _build_weaving(name[0] if name else "", place, view)
        case (("turn" | "move" | "remove"), [name, *place]):
            piece = name if name in MOTIFS else _choose_domino(name, _list_dominoes(verb, view))
            squares = _split_place(place[0]) if place else []
            return {"type": "rework", "token": verb, "piece": piece, "squares": squares}
    return _build_card(verb, view)


def _build_card(card: str, view: Json) -> Json | None:
    if card in SPECIALS:
        return {"type": "play", "card": card}
    number = int(card)
    if number not in range(1, 16):
        return None
    return {"type": "bid", "gold": number} if view["phase"] in {"spy", "pay"} else {"type": "play", "card": number}


def _build_weaving(name: str, place: str, view: Json) -> Json:
    dominoes = _list_dominoes("weave", view) if name else view["seats"][view["you"]]["owes"]["weave"]
    if not dominoes and name not in DOMINOES:
        raise NoDomino
    domino, squares = _choose_domino(name, dominoes), _split_place(place)
    if domino[0] == domino[1]:  # both orders would mean the same, and only this one is legal
        squares.sort(key=SQUARES.__getitem__)
    return {"type": "weave", "domino": domino, "squares": squares}


def _choose_domino(name: str, dominoes: Sequence[str]) -> str:
    domino = name if name in DOMINOES else _find_domino(name, dominoes)
    if domino is None:
        raise WhichDomino
    return domino


def _split_place(place: str) -> list[str]:
    squares = place.split("-")
    if len(squares) == 2 and SQUARES[squares[1]] not in NEIGHBOURS[SQUARES[squares[0]]]:
        raise NotBeside
    return squares


def _list_dominoes(verb: str, view: Json) -> list[str]:
    """The dominoes that a verb can be about: those to weave, or those in the carpet."""
    own = view["seats"][view["you"]]
    if verb == "weave":
        return [*own["owes"]["weave"], *own["perfect"]]
    return list(dict.fromkeys(half["domino"] for half in own["carpet"].values() if half["domino"]))


def _find_domino(name: str, dominoes: Sequence[str]) -> str | None:
    """The domino that a name with or without the group means; None if there are none or several.

    Perfect dominoes are all alike, so the first of them is meant.
    """
    found = [domino for domino in dominoes if domino.startswith(name)]
    return found[0] if len(found) == 1 or (found and name == "OO") else None


# Several choices in one reply


def plan_turn(readings: Sequence[str]) -> Sequence[Step]:
    """One step for each reading, in this order; raises `SeveralChoices` if there is more than one card."""
    if sum(map(_is_card, readings)) > 1:
        raise SeveralChoices(ONE_CARD)
    return [(reading,) for reading in readings]


def explain_several(mentioned: Collection[str]) -> str:
    """Why what a reply mentions can't be played; empty if there is only one card in it."""
    return ONE_CARD if sum(map(_is_card, mentioned)) > 1 else ""


def _is_card(reading: str) -> bool:
    return _read_card(reading) is not None

"""Cards, scraps, tokens, dominoes and places in words."""

from gettext import NullTranslations
from typing import Final

from service.engine.json_reader import Json
from service.i18n import marked

COLOURS: Final = (marked("red"), marked("blue"), marked("green"), marked("yellow"), marked("purple"))
"""Marked here for translation; views name them."""
SHOWS: Final = (
    *(marked("bird"), marked("eye"), marked("horn"), marked("star"), marked("tree")),
    *(marked("torn"), marked("blank")),
)
"""What a square can show; marked here for translation, because views name it."""
KEYS: Final = (marked("spy"), marked("bag"), marked("artisan"), marked("pass"))
"""Keys of choices; letters translate them, and replies may use the translation."""
TOKEN_USES: Final = {
    "perfect": marked("A domino with two blank halves."),
    "turn": marked("Turn a domino, or swap its halves."),
    "remove": marked("Take a domino or a scrap away."),
    "move": marked("Move a domino or a scrap."),
}
"""What each token is for."""
_CARDS: Final = {
    "spy": marked("the spy"),
    "bag": marked("the bag"),
    "artisan": marked("the artisan"),
}
_SCRAPS: Final = {
    "bird": marked("the bird"),
    "eye": marked("the eye"),
    "horn": marked("the horn"),
    "star": marked("the star"),
    "tree": marked("the tree"),
}
_TOKENS: Final = {
    "perfect": marked('the token "perfect"'),
    "turn": marked('the token "turn"'),
    "remove": marked('the token "remove"'),
    "move": marked('the token "move"'),
}

TOKEN_WORDS: Final = {
    "perfect": marked("perfect"),
    "turn": marked("turn"),
    "remove": marked("remove"),
    "move": marked("move"),
}
"""Tokens in a list."""


def write_place(value: Json) -> str:
    """The squares of an action or an event: m14-m13, m13, or nothing."""
    return "-".join(value.get("squares", ())) or str(value.get("square", ""))


def name_card(card: int | str, translations: NullTranslations) -> str:
    """A card in a sentence: 7, the spy."""
    return str(card) if isinstance(card, int) else translations.gettext(_CARDS[card])


def name_piece(piece: str, translations: NullTranslations) -> str:
    """A domino or a scrap in a sentence: BE1, the star."""
    return translations.gettext(_SCRAPS[piece]) if piece in _SCRAPS else piece


def name_token(token: str, translations: NullTranslations) -> str:
    """A token in a sentence."""
    return translations.gettext(_TOKENS[token])

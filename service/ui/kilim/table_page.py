"""What the table page of Kilim shows besides the large carpet: cards, pieces to place, the last reveal and points."""

from collections.abc import Sequence
from gettext import NullTranslations
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from service.engine.json_reader import Json
from service.engine.kilim.pieces import SPECIALS
from service.engine.kilim.state import State, full_hand
from service.i18n import marked
from service.text import join_names
from service.ui.kilim import alt_text
from service.ui.kilim.board_svg import board_svg
from service.ui.kilim.carpets import draw_every_way
from service.ui.kilim.choices import list_choices
from service.ui.kilim.pieces import name_card, name_piece
from service.ui.kilim.points import explain_points
from service.ui.protocol import Choice

_TRAYS: Final = {
    "weave": (marked("Weave %(piece)s"), marked("Weave")),
    "patch": (marked("Patch with %(piece)s"), marked("Patch")),
    "turn": (marked("Turn a domino"), marked("Turn it")),
    "move": (marked("Move a domino or a scrap"), marked("Move")),
    "remove": (marked("Remove a domino or a scrap"), marked("Remove")),
}
"""What is done with a piece on the loom, or with a token, and the button that does it."""
_USES: Final = {
    "perfect": marked("A domino with two blank halves."),
    "turn": marked("Turn a domino, or swap its halves."),
    "remove": marked("Take a domino or a scrap away."),
    "move": marked("Move a domino or a scrap."),
}
"""What each token is for."""


class HandCard(NamedTuple):
    """A card of the reader's hand at the beginning of a day."""

    card: str
    label: str
    choice: Choice | None
    """None if it is spent or can't be played now."""
    is_spent: bool


class Tray(NamedTuple):
    """A piece or a token, and every place that it can go to."""

    key: str
    """How the keys of its choices begin: `weave BE1`, `turn`."""
    label: str
    button: str
    """What the button says that plays one of its choices."""
    piece: str
    """The domino or the scrap; empty for a token."""
    choices: list[Choice]


class RevealedCard(NamedTuple):
    """What one seat showed in a round."""

    name: str
    colour: str
    card: str
    label: str
    added: int | None
    """The gold that followed a spy, bag or artisan."""
    is_cancelled: bool
    is_winner: bool
    prize: str
    """The domino, scrap or token it won, in words."""


class Reveal(NamedTuple):
    """The cards of the latest round that were shown, and who won what."""

    round: int
    is_settled: bool
    cards: list[RevealedCard]
    dominoes: Sequence[str]
    outcome: str


def describe_table(state: State, view: Json, names: Sequence[str], translations: NullTranslations) -> dict[str, Any]:
    """The variables of the game's own templates."""
    choices, seat = list_choices(view, translations), view["you"]
    trays = _list_trays(choices, translations)
    reveal = _reveal_round(state, view, names, translations)
    others = [] if seat is None or view["result"] else [each for each in view["seats"] if each["seat"] != seat]
    return {
        "cards": _list_cards(view, choices, translations),
        "picks": [choice for choice in choices if choice.action["type"] in {"keep", "take", "pass"}],
        "uses": {token: translations.gettext(words) for token, words in _USES.items()},
        "trays": trays,
        "pieces_laid": {} if seat is None else _find_squares(view["seats"][seat]["carpet"]),
        "reveal": reveal,
        "played": _list_played(view, names, translations),
        "pieces": _draw_pieces(view, trays, reveal),
        "points": [] if seat is None else explain_points(view, seat, translations),
        "carpets": _draw_others(view, others, translations),
    }


def _list_cards(view: Json, choices: Sequence[Choice], translations: NullTranslations) -> list[HandCard]:
    """The reader's cards, if one can be played or bid now."""
    playable = {choice.key: choice for choice in choices if choice.action["type"] in {"play", "bid"}}
    if not playable:
        return []
    own = view["seats"][view["you"]]
    left = {str(card) for card in (*own["gold"], *own["specials"])}
    if view["mine"]["card"] is not None:
        left -= {str(view["mine"]["card"])}
    cards = [*map(str, full_hand(len(view["seats"]))), *SPECIALS]
    return [
        HandCard(card, translations.gettext(card).capitalize(), playable.get(card), card not in left) for card in cards
    ]


def _list_played(view: Json, names: Sequence[str], translations: NullTranslations) -> str:
    """The other players who have played a card in a round in which the game still waits for some."""
    if view["phase"] != "choose":
        return ""
    others = [each["seat"] for each in view["seats"] if not each["out"] and each["seat"] != view["you"]]
    played = [names[seat] for seat in others if seat not in view["to_act"]]
    words = translations.gettext("Cards played so far: %(names)s.")
    return words % {"names": join_names(played, translations)} if played else ""


def _list_trays(choices: Sequence[Choice], translations: NullTranslations) -> list[Tray]:
    trays: dict[str, Tray] = {}
    for choice in choices:
        match choice.action:
            case {"type": "weave", "domino": piece}:
                verb = "weave"
            case {"type": "patch", "scrap": piece}:
                verb = "patch"
            case {"type": "rework", "token": verb}:
                piece = ""
            case _:
                continue
        key = f"{verb} {piece}".rstrip()
        if key not in trays:
            label, button = (translations.gettext(words) for words in _TRAYS[verb])
            label %= {"piece": name_piece(piece, translations)}
            trays[key] = Tray(key, label, button, piece, [])
        trays[key].choices.append(choice)
    return list(trays.values())


def _find_squares(carpet: Json) -> dict[str, list[str]]:
    """The squares of each domino and scrap of a carpet."""
    squares: dict[str, list[str]] = {}
    for square, cell in carpet.items():
        if cell["domino"]:
            squares.setdefault(cell["domino"], []).append(square)
        if cell["scrap"]:
            squares[cell["shows"]] = [square]
    return squares


# The reveal


def _reveal_round(state: State, view: Json, names: Sequence[str], translations: NullTranslations) -> Reveal | None:
    """The round whose cards have been shown last."""
    if state.shown is not None:
        cards, auction, settled = state.shown, state.auctioned, state.settled
        number = state.round
    elif state.last is not None:
        cards, auction, settled = state.last
        number = auction.round
    else:
        return None
    bids = auction.gold if auction else [card if isinstance(card, int) else None for card in cards]
    paid = settled.gold if settled else [None] * len(cards)
    prizes = _name_prizes(auction and auction.winner, settled and settled.bag, settled and settled.artisan)
    gettext = translations.gettext
    revealed = [
        RevealedCard(
            name=names[seat],
            colour=view["seats"][seat]["colours"][0],
            card=str(card),
            label=name_card(card, translations),
            added=None if isinstance(card, int) else (bids[seat] or paid[seat]),
            is_cancelled=auction is not None and bids[seat] is not None and list(bids).count(bids[seat]) > 1,
            is_winner=auction is not None and seat == auction.winner,
            prize=gettext(prizes[seat]) if seat in prizes else "",
        )
        for seat, card in enumerate(cards)
        if card is not None
    ]
    fate = gettext(_FATES[auction.fate]) if auction and auction.fate in _FATES else ""
    return Reveal(number, auction is not None, revealed, auction.dominoes if auction else state.offer, fate)


_FATES: Final = {"carried": marked("carried over"), "lost": marked("lost")}


def _name_prizes(winner: int | None, bag: int | None, artisan: int | None) -> dict[int, str]:
    won = ((winner, marked("wins")), (bag, marked("gets a scrap")), (artisan, marked("gets a token")))
    return {seat: words for seat, words in won if seat is not None}


# Drawings


def _draw_pieces(view: Json, trays: Sequence[Tray], reveal: Reveal | None) -> Markup:
    """Every piece that the page shows or moves, as definitions that other drawings of the page refer to."""
    pieces = {tray.piece for tray in trays if tray.piece}
    pieces.update(reveal.dominoes if reveal else ())
    if any(not tray.piece for tray in trays):  # a token
        pieces.update(_find_squares(view["seats"][view["you"]]["carpet"]))
    pieces.update(action["scrap"] for action in view["legal"] if action["type"] == "keep")
    # Our own drawing, which has no text.
    return Markup(draw_every_way(sorted(pieces), "piece"))  # noqa: S704


def _draw_others(view: Json, others: Sequence[Json], translations: NullTranslations) -> Markup | str:
    """The carpets of the other players, small."""
    if not others:
        return ""
    title, words = (
        alt_text.in_short(view, translations),
        " ".join(alt_text.describe_carpet(each, translations) for each in others),
    )
    # Our own drawing, which escapes every name.
    drawn = board_svg({**view, "seats": others, "offer": []}, translations, title=title, words=words, ids="others")
    return Markup(drawn)  # noqa: S704

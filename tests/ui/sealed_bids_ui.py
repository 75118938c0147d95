"""The presentation of the miniature game: what a game needs at least to be playable everywhere."""

from collections.abc import Iterable, Sequence
from gettext import NullTranslations
from typing import Final
from xml.sax.saxutils import escape

from service.engine.json_reader import Json
from service.text import WIDTH
from service.ui.protocol import Choice, GameUi
from service.ui.tables import Column, Row, Standings, name_winners, standings_lines
from tests.engine.sealed_bids import SealedBids

_SENTENCES: Final = {
    "dealt": "The deck is shuffled.",
    "bid": "%(seat)s bids.",
    "shown": "All bids are shown.",
    "resigned": "%(seat)s resigns.",
}


class SealedBidsUi(GameUi):
    name: Final = SealedBids.name

    def choices(self, view: Json, translations: NullTranslations) -> list[Choice]:
        cards = [(action["card"], action) for action in view["legal"]]
        return [Choice(f"card-{card}", f"Bid {card}", action, number=card) for card, action in cards]

    def narrate(
        self, events: Sequence[Json], names: Sequence[str], translations: NullTranslations, you: int | None = None
    ) -> str:
        return " ".join(self._narrate_event(event, names, translations) for event in events)

    def _narrate_event(self, event: Json, names: Sequence[str], translations: NullTranslations) -> str:
        if event["type"] == "finished":
            return self.ending(event["result"], names, translations)
        seat = event.get("seat")
        return _SENTENCES[event["type"]] % {"seat": "" if seat is None else names[seat]}

    def ending(self, result: Json, names: Sequence[str], translations: NullTranslations) -> str:
        return f"The deck is empty. {name_winners(result['winners'], names, translations)}"

    def standings(self, view: Json, names: Sequence[str], translations: NullTranslations) -> Standings:
        rows = enumerate(view["seats"])
        return Standings(
            (Column("Points", "Points", decides=True),),
            tuple(Row(seat, names[seat], (str(each["points"]),), active=not each["out"]) for seat, each in rows),
        )

    def board_svg(
        self, view: Json, translations: NullTranslations, events: Iterable[Json] = (), *, seat: int | None = None
    ) -> str:
        words = escape(f"{view['name']}: the card is {view['card']}")
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" role="img" aria-labelledby="board-title">'
            f'<title id="board-title">{words}</title><rect width="40" height="20" fill="#fff4da"/></svg>'
        )

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
        names = [seat["name"] for seat in view["seats"]]
        table = standings_lines(self.standings(view, names, translations), view["to_act"], str, width)
        return "".join(f"{line}\n" for line in (f"The card is {view['card']}.", *table))

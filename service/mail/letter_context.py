"""The context of a letter about a game: its reader, the game as it is now, and the reader's seat and links."""

import json
from typing import Any, NamedTuple, TypeAlias

from service import paths
from service.context import AppContext
from service.db.letter_texts import OUTDATED
from service.db.models import Player
from service.engine.json_reader import Json
from service.games.names import player_names, table_name, with_display_names
from service.games.players import mail_preference
from service.games.store import StoredGame, load
from service.i18n import ENGLISH, Reader, spoken

Context: TypeAlias = dict[str, Any]


class Outdated(Exception):
    """The letter must not be sent: for example, its turn is over, or its seat has another player now."""

    def __init__(self, reason: str = OUTDATED) -> None:
        self.reason = reason
        """For the server host."""
        super().__init__(reason)


class LetterContext(NamedTuple):
    """What a letter about a game needs."""

    ctx: AppContext
    reader: Reader
    game: StoredGame
    seat: int
    turn: int
    created: float
    now: float
    details: Json

    @property
    def base(self) -> str:
        """The beginning of every link."""
        return self.ctx.settings.base_url

    def drop_unless(self, holds: bool) -> None:
        """Raise `Outdated` unless the condition holds."""
        if not holds:
            raise Outdated

    @property
    def seat_link(self) -> str:
        """The link that opens the reader's seat."""
        version = self.game.seats[self.seat].link_version
        return f"{self.base}/s/{self.ctx.tokens.seat(self.game.id, self.seat, version)}"

    def turn_link(self, turn: int) -> str:
        """The link that plays a turn of the reader's seat."""
        version = self.game.seats[self.seat].link_version
        return f"{self.base}/t/{self.ctx.tokens.turn(self.game.id, self.seat, turn, version)}"


def create_letter_context(ctx: AppContext, letter: Any, reader: Reader) -> LetterContext:
    """Load the game; raises `Outdated` if the seat is no longer the reader's."""
    game = with_display_names(load(ctx.database, letter.game_id), reader.translations)
    # A seat that was empty when the host started the game is gone.
    if letter.seat >= len(game.seats) or game.seats[letter.seat].address != letter.address:
        raise Outdated
    details = json.loads(letter.details)
    return LetterContext(ctx, reader, game, letter.seat, letter.turn or 0, letter.created, ctx.clock(), details)


def table_section(letter_ctx: LetterContext) -> Context:
    """What the template of every letter about a game needs."""
    game, names = letter_ctx.game, player_names(letter_ctx.game)
    return {
        "table": table_name(game),
        "you": names[letter_ctx.seat],
        "host": names[0],
        "seat_link": letter_ctx.seat_link,
        "game_link": f"{letter_ctx.base}/g/{game.id}",
        "rules_link": rules_link(letter_ctx.base, game),
        "may_answer": bool(letter_ctx.ctx.settings.inbound_domain),
    }


def rules_link(base: str, game: StoredGame) -> str:
    """The link to the rules of a game; empty if the game has no such page."""
    return f"{base}/rules/{game.game}" if paths.has_rules_page(game.ui.templates) else ""


def unsubscribe_link(ctx: AppContext, player: int, kind: str, *, accepted: bool) -> str:
    """The link that turns off letters of this kind for a player."""
    preference = mail_preference(kind, accepted=accepted) or "turns"
    return f"{ctx.settings.base_url}/u/{ctx.tokens.unsubscribe(player, preference)}"


def find_reader(ctx: AppContext, address: str, language: str = ENGLISH) -> Reader:
    """The reader with this address; for an unknown address, a reader of the given language."""
    columns = Player.select(Player.language, Player.time_zone)
    row = columns.where(Player.email == address).tuples().first(ctx.database)
    return Reader(spoken(row[0]), row[1]) if row else Reader(spoken(language))

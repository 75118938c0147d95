"""What players and server hosts can do with an account: test mail, get new links, export the data, delete it."""

import hashlib
import json
import secrets
from typing import Any, Final

from service.auth.addresses import read_address
from service.auth.rate_limits import check_replaced_links
from service.context import AppContext
from service.db.connection import transaction, truncate_wal
from service.db.letter_texts import HAS_LEFT, translate_delivery_error
from service.db.letters import NewLetter, enqueue_letters
from service.db.models import AwayYear, Channel, Consent, Game, Letter, Message, Player, Seat, SignInCode
from service.engine.json_reader import Json
from service.engine.records import write_record
from service.errors import Forbidden, NotFound, Stale
from service.games.lobby import cancel, decline, default_name
from service.games.play import act
from service.games.store import GUEST_DOMAIN, load
from service.games.views import visible_record
from service.i18n import translations_for
from service.text import format_optional_utc, format_utc

MAIL_PREFERENCES: Final = ("turns", "reminders", "talk", "invitations")
"""The letters that a player can turn off."""
AT_ONCE: Final = "at_once"
"""The preference to get turn letters at once, also while the game is open."""
_PREFERENCES: Final = {"turn": "turns", "reminder": "reminders", "talk": "talk", "invitation": "invitations"}
_DELETED_ADDRESS: Final = "gone-{player}@left.invalid"
"""The address of a deleted player; the domain `invalid` is reserved and never resolves."""
_ATTEMPTS: Final = 10
_MOST_GAMES: Final = 50
_HOUR: Final = 3600


def mail_preference(kind: str, *, accepted: bool) -> str | None:
    """The mail preference for this kind of letter; None if it can't be turned off."""
    if kind == "cancelled" and not accepted:
        return "invitations"
    return _PREFERENCES.get(kind)


class StillPlaying(Stale):
    """A player with running games is deleted only if they resign from them."""

    def __init__(self, games: int) -> None:
        running = "1 running game" if games == 1 else f"{games} running games"
        super().__init__(f"This player is in {running}. Finish or resign first, or add --resign.")


def set_name(ctx: AppContext, player: Player, name: str) -> None:
    """Store a player's name, also in games that haven't started and have only the address so far."""
    waiting = Game.select(Game.id).where(Game.status == "waiting")
    unnamed = (Seat.player == player.id) & Seat.accepted & (Seat.name == default_name(player.email))
    with transaction(ctx.database):
        Player.update(name=name).where(Player.id == player.id).execute(ctx.database)
        Seat.update(name=name).where(unnamed & Seat.game.in_(waiting)).execute(ctx.database)


def send_test_letter(ctx: AppContext, player: Player) -> str:
    """Put a test letter into the outbox, and say what is known about delivery to this player."""
    gettext = translations_for(player.language).gettext
    with ctx.database.atomic():
        about = f"test/{player.id}/{secrets.token_hex(8)}"
        enqueue_letters(ctx.database, [NewLetter("test", player.email, about)], ctx.clock())
    if not ctx.settings.smtp_url:
        return gettext("This server doesn't send e-mail. Your test e-mail is on its mailbox page, if it has one.")
    if player.mail_trouble:
        words = {"words": translate_delivery_error(player.mail_trouble, gettext)}
        return gettext("An e-mail to you was refused before: %(words)s We're trying again with a test e-mail.") % words
    return gettext(
        "A test e-mail is on its way. If it doesn't arrive in a few minutes, look in your junk "
        "folder, then ask the person who runs this server."
    )


def resend_links(ctx: AppContext, email: str) -> None:
    """Mail the links of all open games to this address in one letter; a second request within the hour sends no more.

    The worker looks the address up, so that the response time doesn't reveal whether it is known.
    """
    address, now = read_address(email), ctx.clock()
    about = f"links/{hashlib.sha256(address.encode()).hexdigest()}/{int(now // _HOUR)}"
    with ctx.database.atomic():
        enqueue_letters(ctx.database, [NewLetter("links", address, about)], now)


def open_seats(ctx: AppContext, address: str) -> list[tuple[str, int]]:
    """The open games of the player with this address and their seats, the game that changed last first."""
    chosen = (Player.email == address) & Game.status.in_(["waiting", "playing"])
    rows = Seat.select(Seat.game, Seat.seat).join(Player).switch(Seat).join(Game).where(chosen)
    latest = rows.order_by(Game.changed.desc(), Game.id.desc(), Seat.seat).limit(_MOST_GAMES)
    return list(latest.tuples().execute(ctx.database))


def resend_all_links(ctx: AppContext) -> int:
    """Mail their links to all players with open games; returns how many players that are."""
    chosen = Game.status.in_(["waiting", "playing"]) & ~Player.email.endswith(f"@{GUEST_DOMAIN}")
    rows = Player.select(Player.email).distinct().join(Seat).join(Game).where(chosen).order_by(Player.email).tuples()
    addresses = [address for (address,) in rows.execute(ctx.database)]
    for address in addresses:
        resend_links(ctx, address)
    return len(addresses)


def replace_links(ctx: AppContext, game_id: str, seat: int, player: int) -> None:
    """Invalidate every link of a seat and mail a new one to its player."""
    with ctx.database.atomic():
        game = load(ctx.database, game_id)
        if seat not in range(len(game.seats)):
            raise NotFound("This game has no seat %(seat)s. Choose one from its view.", seat=seat)
        if game.seats[seat].player != player:
            raise Forbidden("Only the player in that seat can replace its links. Use the links of your own seat.")
        check_replaced_links(ctx, player)
        about = f"{game_id}/{seat}/links/{bump_link_version(ctx, game_id, seat)}"
        enqueue_letters(
            ctx.database, [NewLetter("links", str(game.seats[seat].address), about, game_id, seat)], ctx.clock()
        )


def bump_link_version(ctx: AppContext, game_id: str, seat: int) -> int:
    """Invalidate every link of a seat and return the version of new ones."""
    chosen = (Seat.game == game_id) & (Seat.seat == seat)
    Seat.update(link_version=Seat.link_version + 1).where(chosen).execute(ctx.database)
    version: int = Seat.select(Seat.link_version).where(chosen).scalar(ctx.database)
    return version


def export_player(ctx: AppContext, player: Player) -> Json:
    """All stored data about a player, as JSON."""
    database = ctx.database
    seats = list(Seat.select().where(Seat.player == player.id).order_by(Seat.game).execute(database))
    letters = Letter.select().where(Letter.address == player.email).order_by(Letter.id).execute(database)
    years = AwayYear.select().where(AwayYear.player == player.id).order_by(AwayYear.year).execute(database)
    channels = Channel.select().where(Channel.player == player.id).order_by(Channel.created).execute(database)
    return {
        "format": "marrakech-player/1",
        "exported": format_utc(ctx.clock()),
        "player": _profile(player),
        "away": [{"year": year.year, "seconds": year.seconds} for year in years],
        "channels": [
            {
                "kind": channel.kind,
                "name": channel.name,
                "address": channel.address,
                "created": format_utc(channel.created),
            }
            for channel in channels
        ],
        "games": [_game(ctx, seat) for seat in seats],
        "letters": [
            {
                "kind": letter.kind,
                "created": format_utc(letter.created),
                "status": letter.status,
                "sent": format_optional_utc(letter.sent),
            }
            for letter in letters
        ],
    }


def _profile(player: Player) -> Json:
    known: Any = player
    return {
        "id": known.id,
        "email": known.email,
        "name": known.name,
        "language": known.language,
        "time_zone": known.time_zone,
        "mail": json.loads(known.mail),
        "quiet": known.quiet,
        "days_off": known.days_off,
        "away_from": format_optional_utc(known.away_from),
        "away_until": format_optional_utc(known.away_until),
        "hidden": known.hidden,
        "mail_trouble": known.mail_trouble,
        "created": format_utc(known.created),
    }


def _game(ctx: AppContext, seat: Any) -> Json:
    """A game as its player may see it, with the player's chat messages."""
    game = load(ctx.database, seat.game_id)
    mine = (Message.game == game.id) & (Message.seat == seat.seat)
    said = Message.select().where(mine).order_by(Message.id).execute(ctx.database)
    return {
        "seat": seat.seat,
        "accepted": bool(seat.accepted),
        "status": game.status,
        "host": game.host == seat.player_id,
        "message": game.message if game.host == seat.player_id else "",
        "said": [{"at": format_utc(message.at), "text": message.text} for message in said],
        "record": write_record(visible_record(ctx, game)),
    }


def delete_player(ctx: AppContext, player_id: int, *, resign: bool = False) -> None:
    """Delete a player's address, name, messages and the names of their games; the games stay, with the seats unnamed.

    Raises `StillPlaying` and changes nothing if the player has running games and `resign` is not set.
    """
    running = running_games(ctx, player_id)
    if running and not resign:
        raise StillPlaying(len(running))
    for game_id, seat in running:
        _resign(ctx, game_id, seat)
    for game_id, seat in _games_with_status(ctx, player_id, "waiting"):
        _leave_waiting_table(ctx, game_id, seat, player_id)
    with ctx.database.atomic():
        _erase(ctx, player_id)
        # A game with this player may have started in the meantime; then the transaction is rolled back.
        late = running_games(ctx, player_id)
        if late:
            raise StillPlaying(len(late))
    truncate_wal(ctx.database)


def is_deleted(player: Player) -> bool:
    """Whether the player was deleted, so that only the row that their games refer to is left."""
    return is_deleted_address(player.id, player.email)


def is_deleted_address(player_id: int, address: str) -> bool:
    """Whether this is the address that the player got when they were deleted."""
    return address == _DELETED_ADDRESS.format(player=player_id)


def _games_with_status(ctx: AppContext, player_id: int, status: str) -> list[tuple[str, int]]:
    chosen = (Seat.player == player_id) & (Game.status == status)
    rows = Seat.select(Seat.game, Seat.seat).join(Game).where(chosen).order_by(Game.id).tuples()
    return list(rows.execute(ctx.database))


def running_games(ctx: AppContext, player_id: int) -> list[tuple[str, int]]:
    """The running games in which the player is still active, with their seats."""
    return [
        (game, seat)
        for game, seat in _games_with_status(ctx, player_id, "playing")
        if not _is_inactive(ctx, game, seat)
    ]


def _is_inactive(ctx: AppContext, game_id: str, seat: int) -> bool:
    game = load(ctx.database, game_id)
    return game.status != "playing" or not game.rules.is_active(game.state, seat)


def _resign(ctx: AppContext, game_id: str, seat: int) -> None:
    """Resign, retrying if others act at the same moment; does nothing if the seat is no longer active."""
    for _ in range(_ATTEMPTS):
        if _is_inactive(ctx, game_id, seat):
            return
        try:
            act(ctx, game_id, seat, load(ctx.database, game_id).head, {"type": "resign"}, "")
        except Stale:
            continue
        return
    raise Stale("The game kept changing. Try again.")


def _leave_waiting_table(ctx: AppContext, game_id: str, seat: int, player_id: int) -> None:
    if load(ctx.database, game_id).host == player_id:
        cancel(ctx, game_id, player_id)
    else:
        decline(ctx, game_id, seat, player_id)


def _erase(ctx: AppContext, player_id: int) -> None:
    database = ctx.database
    player: Any = Player.select().where(Player.id == player_id).get(database)
    for game_id, seat in _seats(ctx, player_id):
        here = (Seat.game == game_id) & (Seat.seat == seat)
        Seat.update(name="", link_version=Seat.link_version + 1).where(here).execute(database)
        Message.delete().where((Message.game == game_id) & (Message.seat == seat)).execute(database)
        Consent.delete().where((Consent.game == game_id) & (Consent.seat == seat)).execute(database)
    Game.update(name="", message="").where(Game.host == player_id).execute(database)
    Letter.delete().where(Letter.address == player.email).execute(database)
    SignInCode.delete().where(SignInCode.email == player.email).execute(database)
    AwayYear.delete().where(AwayYear.player == player_id).execute(database)
    Channel.delete().where(Channel.player == player_id).execute(database)
    Player.update(_erased_values(player)).where(Player.id == player_id).execute(database)


def _seats(ctx: AppContext, player_id: int) -> list[tuple[str, int]]:
    """The player's seats in all games."""
    rows = Seat.select(Seat.game, Seat.seat).where(Seat.player == player_id)
    return list(rows.order_by(Seat.game, Seat.seat).tuples().execute(ctx.database))


def _erased_values(player: Any) -> dict[Any, Any]:
    """The values of a deleted player's row, without personal data."""
    return {
        Player.email: _DELETED_ADDRESS.format(player=player.id),
        Player.name: "",
        Player.language: "en",
        Player.time_zone: "UTC",
        Player.mail: "{}",
        Player.away_until: None,
        Player.away_from: None,
        Player.quiet: None,
        Player.days_off: "",
        Player.token_version: player.token_version + 1,
        Player.mail_trouble: HAS_LEFT,
        Player.rejections: 0,
        Player.bounced: None,
        Player.hidden: False,
    }

"""The commands `games`, `players` and `link`."""

import json
from enum import StrEnum
from typing import Annotated, Any, Final

import typer
from peewee import fn

from service.admin.context import fail, host_context
from service.auth.addresses import read_address
from service.context import AppContext
from service.db.models import HOST_NAME, HOST_SEAT, IS_TO_ACT, OF_HOST, Game, Player, Seat
from service.games.names import FORMER, display_seat_name, display_table_name
from service.games.players import bump_link_version, delete_player, export_player, is_deleted
from service.games.store import StoredGame
from service.games.views import get_open_game
from service.text import format_utc

MOST_LISTED: Final = 100

list_commands = typer.Typer()
players = typer.Typer()
list_commands.add_typer(players, name="players")


class Status(StrEnum):
    """The statuses of a game."""

    waiting = "waiting"
    playing = "playing"
    finished = "finished"
    cancelled = "cancelled"
    expired = "expired"


Most = Annotated[int, typer.Option("--most", min=1, help="How many to list.")]


@list_commands.command()
def games(
    status: Annotated[Status | None, typer.Option(help="Only games with this status. Default: all.")] = None,
    most: Most = MOST_LISTED,
) -> None:
    """List the games, last changed first: id, game, status, turn, last change, name and players.

    Example: marrakech-server games --status playing
    """
    with host_context() as ctx:
        columns = (Game.id, Game.game, Game.status, Game.turn, Game.changed, Game.name, HOST_NAME)
        chosen = Game.select(*columns).join(HOST_SEAT, on=OF_HOST).order_by(Game.changed.desc(), Game.id).objects()
        if status is not None:
            chosen = chosen.where(Game.status == str(status))
        found = list(chosen.limit(most + 1).execute(ctx.database))
        names_by_game = _names(ctx, [game.id for game in found])
        for game in found[:most]:
            moment, name = format_utc(game.changed), display_table_name(game.game, game.name, game.host_name)
            typer.echo(
                f"{game.id}  {game.game:<9} {game.status:<9} turn {game.turn:<3} {moment}  {name}:"
                f" {names_by_game[game.id]}"
            )
    _print_end_of_list(found, most, f"No {status} games." if status else "No games yet.")


def _names(ctx: AppContext, games: list[str]) -> dict[str, str]:
    """The players of each game, with a star for seats to act."""
    columns = (Seat.game, Seat.seat, Seat.player, Seat.name, Seat.bot, IS_TO_ACT.alias("to_act"))
    chosen = Seat.select(*columns).join(Game).where(Seat.game.in_(games))
    rows = chosen.order_by(Seat.game, Seat.seat).namedtuples()
    names: dict[str, list[str]] = {}
    for seat in rows.execute(ctx.database):
        names.setdefault(seat.game, []).append(
            f"{seat.seat} {display_seat_name(seat) or 'open'}{'*' if seat.to_act else ''}"
        )
    return {game: ", ".join(each) for game, each in names.items()}


def _print_end_of_list(found: list[Any], most: int, none: str) -> None:
    if not found:
        typer.echo(none)
    if len(found) > most:
        typer.echo(f"These are the newest {most}. Use --most to list more.")


@players.callback(invoke_without_command=True)
def list_players(context: typer.Context, most: Most = MOST_LISTED) -> None:
    """List the players: number, first sign-in, games, address, name and mail problems.

    Example: marrakech-server players
    """
    if context.invoked_subcommand is not None:
        return
    with host_context() as ctx:
        found = list(Player.select().order_by(Player.id.desc()).limit(most + 1).execute(ctx.database))
        number = fn.count(Seat.game)
        ids = [player.id for player in found]
        counts = Seat.select(Seat.player, number).where(Seat.player.in_(ids)).group_by(Seat.player).tuples()
        games = dict(counts.execute(ctx.database))
        for player in found[:most]:
            typer.echo(_line(player, games.get(player.id, 0)))
    _print_end_of_list(found, most, "No players yet.")


def _line(player: Any, games: int) -> str:
    line = (
        f"{player.id:>6}  {format_utc(player.created)}  {games:>4} {'game ' if games == 1 else 'games'}  {player.email}"
    )
    name = FORMER if is_deleted(player) else player.name
    line += f"  {name}" if name else ""
    return f"{line}  mail rejected: {player.mail_trouble}" if player.mail_trouble else line


Address = Annotated[str, typer.Argument(help="The player's e-mail address.")]


@players.command()
def export(address: Address) -> None:
    """Print everything the server stores about a player as JSON.

    Example: marrakech-server players export ann@example.org > ann.json
    """
    with host_context() as ctx:
        typer.echo(json.dumps(export_player(ctx, _find_player(ctx, address)), ensure_ascii=False, indent=2))


@players.command()
def delete(
    address: Address,
    resign: Annotated[bool, typer.Option("--resign", help="Resign from their running games first.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation.")] = False,
) -> None:
    """Delete a player: address, name, messages and e-mails. Their games stay, without the name.

    You can't undo this, except with a backup.

    Example: marrakech-server players delete ann@example.org --resign
    """
    with host_context() as ctx:
        player = _find_player(ctx, address)
        if not yes:
            typer.confirm(f"Delete {player.email} permanently?", abort=True)
        delete_player(ctx, player.id, resign=resign)
    typer.echo(f"Deleted {address}.")


def _find_player(ctx: AppContext, address: str) -> Any:
    found = list(Player.select().where(Player.email == read_address(address, "ADDRESS")).execute(ctx.database))
    return found[0] if found else fail(f"No player has the address {address}. `marrakech-server players` lists all.")


@list_commands.command()
def link(
    game: Annotated[str, typer.Argument(help="The game's id. `marrakech-server games` lists them.")],
    seat: Annotated[int, typer.Argument(min=0, help="The seat's number, from 0.")],
    replace_links: Annotated[bool, typer.Option("--revoke", help="Revoke all older links of the seat.")] = False,
) -> None:
    """Print a new link for a seat, for a player who lost theirs. For an open seat, print the invitation link.

    Anyone who has the link can play for that seat.

    Example: marrakech-server link 4kQ9yTz0aBcD 1
    """
    with host_context() as ctx:
        typer.echo(_link(ctx, get_open_game(ctx, game), seat, replace_links))


def _link(ctx: AppContext, game: StoredGame, seat: int, replace_links: bool) -> str:
    if seat not in range(len(game.seats)):
        fail(f"Seat {seat} doesn't exist. This game has seats 0 to {len(game.seats) - 1}.")
    chosen, base = game.seats[seat], ctx.settings.base_url
    if chosen.bot is not None:
        fail(f"Seat {seat} belongs to a bot, so it has no link.")
    if chosen.player is None:
        return f"{base}/join/{ctx.tokens.invitation(game.id, game.invitation_version)}"
    version = bump_link_version(ctx, game.id, seat) if replace_links else chosen.link_version
    if game.state is not None and seat in game.rules.to_act(game.state):
        return f"{base}/t/{ctx.tokens.turn(game.id, seat, game.turn, version)}"
    return f"{base}/s/{ctx.tokens.seat(game.id, seat, version)}"

"""`simulate`: whole games between bots, through the real engine."""

import hashlib
import json
import os
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final

import typer

from service.engine.dice import Chance
from service.engine.errors import Malformed
from service.engine.json_reader import Json, list_of, one_of
from service.engine.match import new_heading, start_match
from service.engine.records import Record, RecordPlayer, read_id, read_level, write_record
from service.engine.registry import GAMES, AnyRules, default_game

MOST_STEPS: Final = 1000
"""Far more than any game needs. It stops the simulation if a bug keeps a game from ending."""
_WRONG_USAGE: Final = 2

app = typer.Typer()


@app.command()
def simulate(
    game: Annotated[str, typer.Option(help="The game to play.")] = default_game(),
    games: Annotated[int, typer.Option(min=1, help="How many games to play.")] = 1,
    players: Annotated[int, typer.Option(help="The number of players.")] = 4,
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A game option. You can give several.")
    ] = None,
    variant: Annotated[str | None, typer.Option(help="Short for --option variant=…")] = None,
    pile: Annotated[str | None, typer.Option(help="Short for --option pile=…")] = None,
    bots: Annotated[
        str,
        typer.Option(
            help="The bots, separated by commas: easy, medium or strong. They're repeated until all seats are taken."
        ),
    ] = "easy",
    seed: Annotated[str, typer.Option(help="Any word. The same seed gives the same games.")] = "",
) -> None:
    """Play whole games between bots and print one record per line.

    Example: marrakech-server simulate --games 100 --players 4 --bots medium,easy --seed 7
    """
    if not seed:
        seed = secrets.token_hex(4)
        typer.echo(f"Use --seed {seed} to play the same games again.", err=True)
    try:
        rules = GAMES[one_of(tuple(GAMES))(game, "--game")]
        options = _read_options(option or [], {"variant": variant, "pile": pile})
        for record in simulated_games(rules, games, players, options, bots.split(","), seed):
            typer.echo(json.dumps(write_record(record), ensure_ascii=False))
    except Malformed as error:
        typer.echo(error.sentence, err=True)
        raise typer.Exit(_WRONG_USAGE) from None
    except BrokenPipeError:
        # The reader stopped early, as `head` does. Python would fail again when it flushes standard output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _read_options(given: Sequence[str], short: Mapping[str, str | None]) -> Json:
    """Read NAME=VALUE pairs; a value of digits is a number."""
    options: Json = {name: value for name, value in short.items() if value is not None}
    for pair in given:
        name, separator, value = pair.partition("=")
        if not separator:
            raise Malformed(f"--option must be NAME=VALUE, not {pair[:40]!r}.")
        options[name] = int(value) if value.isdecimal() and len(value) < 10 else value
    return options


def simulated_games(
    rules: AnyRules, games: int, players: int, options: object, bots: Sequence[str], seed: str
) -> Iterator[Record]:
    """Play games to their end; the same arguments always give the same games.

    The bots rotate: in each game, every bot takes the next seat.
    """
    check_bots = list_of(read_level(rules), 1, rules.seats.stop - 1)
    bots = check_bots(list(bots), "bots")
    rules.read_options(options, players)
    read_id(f"sim-{seed}-{games}", "The game's id, made from the seed,")
    for number in range(games):
        seated = [bots[(seat + number) % len(bots)] for seat in range(players)]
        yield _play(rules, f"sim-{seed}-{number}", options, seated)


def _play(rules: AnyRules, id_: str, options: object, bots: Sequence[str]) -> Record:
    seed = hashlib.sha256(f"seed of {id_}".encode()).digest()
    chance = Chance(hashlib.sha256(f"bots of {id_}".encode()).digest(), "move")
    seated = [RecordPlayer(f"{bot} {seat}", bot) for seat, bot in enumerate(bots)]
    table = start_match(new_heading(rules, id_, "Simulated game", options, seated, seed), _time(0))
    for step in range(1, MOST_STEPS):
        waiting = rules.to_act(table.state)
        if not waiting:
            return table.record()
        seat = min(waiting)
        action = rules.bots[bots[seat]](table.view(seat), chance)
        table = table.act(seat, action, f"{chance.below(256):02x}{chance.below(256):02x}", _time(step))
    raise RuntimeError(f"Game {id_} didn't end within {MOST_STEPS} steps.")


def _time(step: int) -> str:
    """A made-up time, one second per step, so that the same seed gives the same record."""
    return f"2000-01-01T00:{step // 60:02}:{step % 60:02}Z"

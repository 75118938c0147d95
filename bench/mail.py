"""How many letters a second one worker sends into a mail server on the same machine, which takes whatever comes.

`python -m bench.mail` is that server, a process of its own; it says its port and ends with its standard input.
"""

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from aiosmtpd.smtp import SMTP

from bench.servers import settings_of
from bench.table import Row
from service.auth.identity import player_with
from service.config import load_settings
from service.context import AppContext, create_context
from service.db.models import Letter
from service.engine.dice import Chance
from service.games.lobby import SeatRequest, Wish, create, join
from service.games.play import act
from service.mail.delivery import Delivery
from service.mail.letters import compose

GAMES: Final = 300
FIRST: Final = 100
"""Letters sent before the clock runs: a worker draws each kind of rug once and then works for days."""
TURNS: Final = 8
"""Turns in each game before its letter: enough to have something to tell and rugs to draw."""
WANTED: Final = 60


def mail_rows() -> list[Row]:
    """The row of the worker."""
    with tempfile.TemporaryDirectory(prefix="marrakech-bench-") as name, _sink() as port:
        folder = Path(name)
        environ = settings_of(f"sqlite:///{folder}/mail.db", folder) | {
            "MARRAKECH_SMTP_URL": f"smtp://127.0.0.1:{port}",
            "MARRAKECH_INBOUND_DOMAIN": "reply.example.org",
        }
        ctx = create_context(load_settings(environ, folder), time.time)
        with closing(ctx.database):
            return [_sending(ctx)]


def _sending(ctx: AppContext) -> Row:
    with ctx.database.atomic():
        for number in range(GAMES):
            _play_a_little(ctx, number)
    # Only the letters of turns that are on are left to send: the others would merely be dropped.
    with closing(Delivery(ctx)) as delivery:
        _forget_what_is_late(ctx)
        first = time.perf_counter()
        while _sent(ctx) < FIRST:
            delivery.deliver()
        start, before = time.perf_counter(), _sent(ctx)
        while delivery.deliver():
            pass
        seconds = time.perf_counter() - start
    if _sent(ctx) != GAMES:
        raise RuntimeError(f"Only {_sent(ctx)} of {GAMES} letters were sent.")
    pictures = "with" if _has_pictures(ctx) else "without"
    rate = (GAMES - before) / seconds
    what = f"mail: turn letters {pictures} pictures, one worker, SQLite"
    slow = f"{before / (start - first):,.0f} a second while the first {before} are sent"
    return Row(what, f"{rate:,.0f} letters/s; {slow}", f"{WANTED}/s", rate >= WANTED)


def _sent(ctx: AppContext) -> int:
    count: int = Letter.select().where(Letter.status == "sent").count(ctx.database)
    return count


def _play_a_little(ctx: AppContext, number: int) -> None:
    host, guest = (player_with(ctx, f"{who}{number}@bench.example.org") for who in ("host", "guest"))
    game = join(ctx, create(ctx, host, Wish("marrakech", "A game", [SeatRequest()], {}, None)).id, guest)
    rules, chance = game.rules, Chance(b"letters", str(number))
    while game.turn <= TURNS:
        seat = min(rules.to_act(game.state))
        action = rules.bots["random"](rules.view(game.state, seat), chance)
        game = act(ctx, game.id, seat, game.head, action, "salt").game


def _forget_what_is_late(ctx: AppContext) -> None:
    Letter.delete().where(Letter.turn <= TURNS).execute(ctx.database)


def _has_pictures(ctx: AppContext) -> bool:
    letter = Letter.select().limit(1).get(ctx.database)
    return bool(compose(ctx, letter).pictures)


@contextmanager
def _sink() -> Iterator[int]:
    """The port of a mail server that forgets whatever it takes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.mail"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        yield int(process.stdout.readline() if process.stdout else "")


class _TakesAll:
    async def handle_DATA(self, *_: Any) -> str:  # noqa: N802 - aiosmtpd's name for it
        return "250 taken"


async def _take_all() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(_TakesAll(), hostname="localhost", loop=loop), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(_take_all())

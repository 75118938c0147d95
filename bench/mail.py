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
from service.engine.dice import Chance
from service.identity import player_with
from service.lobby import Chair, Wish, create, join
from service.mail.delivery import Delivery
from service.mail.letters import compose
from service.models import Letter
from service.office import Office, open_office
from service.play import act
from service.settings import load_settings

GAMES: Final = 300
FIRST: Final = 100
"""Letters sent before the clock runs: a worker cuts the stamps of its pictures once and then works for days."""
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
        office = open_office(load_settings(environ, folder), time.time)
        with closing(office.database):
            return [_sending(office)]


def _sending(office: Office) -> Row:
    with office.database.atomic():
        for number in range(GAMES):
            _play_a_little(office, number)
    # Only the letters of turns that are on are left to send: the others would merely be dropped.
    with closing(Delivery(office)) as delivery:
        _forget_what_is_late(office)
        first = time.perf_counter()
        while _sent(office) < FIRST:
            delivery.deliver()
        start, before = time.perf_counter(), _sent(office)
        while delivery.deliver():
            pass
        seconds = time.perf_counter() - start
    if _sent(office) != GAMES:
        raise RuntimeError(f"Only {_sent(office)} of {GAMES} letters were sent.")
    pictures = "with" if _has_pictures(office) else "without"
    rate = (GAMES - before) / seconds
    what = f"mail: turn letters {pictures} pictures, one worker, SQLite"
    slow = f"{before / (start - first):,.0f} a second while the first {before} are sent"
    return Row(what, f"{rate:,.0f} letters/s; {slow}", f"{WANTED}/s", rate >= WANTED)


def _sent(office: Office) -> int:
    count: int = Letter.select().where(Letter.status == "sent").count(office.database)
    return count


def _play_a_little(office: Office, number: int) -> None:
    host, guest = (player_with(office, f"{who}{number}@bench.example.org") for who in ("host", "guest"))
    game = join(office, create(office, host, Wish("marrakech", "A game", [Chair()], {}, None)).id, guest)
    rules, chance = game.rules, Chance(b"letters", str(number))
    while game.turn <= TURNS:
        seat = min(rules.to_act(game.state))
        action = rules.bots["random"](rules.view(game.state, seat), chance)
        game = act(office, game.id, seat, game.head, action, "salt").game


def _forget_what_is_late(office: Office) -> None:
    Letter.delete().where(Letter.turn <= TURNS).execute(office.database)


def _has_pictures(office: Office) -> bool:
    letter = Letter.select().limit(1).get(office.database)
    return bool(compose(office, letter).pictures)


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

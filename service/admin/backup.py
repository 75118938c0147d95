"""The commands `backup`, `restore` and `rotate-key`."""

import os
import secrets
import time
from pathlib import Path
from typing import Annotated

import typer

from service.admin.context import fail, host_context, host_database, host_settings, progress_bar, report_errors
from service.auth.secret_file import UnprotectedSecret, add_newest_key
from service.config import SECRET_FILE, secret_key_is_set_in
from service.db.backup import is_portable, make_backup
from service.db.restore import restore_backup
from service.games.players import resend_all_links

backup_commands = typer.Typer()


@backup_commands.command()
def backup(
    file: Annotated[Path, typer.Argument(help="Where the backup goes.")],
    portable: Annotated[
        bool,
        typer.Option(
            "--portable",
            help="Write lines of JSON, which can be restored into SQLite and PostgreSQL alike; the endings .jsonl and"
            " .jsonl.gz ask for the same, and every backup of PostgreSQL is portable.",
        ),
    ] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Take the place of a file that is there.")] = False,
) -> None:
    """Write a backup of all games, players and letters, while the server runs.

    The secret key is not in it: keep a copy of the file secret_key, or no link in any letter works after a restore.

    Example: marrakech-server backup /backups/marrakech-monday.jsonl.gz --replace
    """
    settings = host_settings()
    if file.exists() and not replace:
        fail(f"{file} is there already; choose another name, or add --replace.")
    if settings.database_url == f"sqlite:///{file.absolute()}":
        fail(f"{file} is the database itself; choose another name.")
    with host_database() as database, progress_bar("Backing up") as progress:
        is_json = is_portable(database, file, portable)
        make_backup(database, file, is_json, time.time(), progress)
    size = file.stat().st_size
    typer.echo(f"Written to {file} ({size} bytes{', portable' if is_json else ''}).")


@backup_commands.command()
def restore(
    file: Annotated[Path, typer.Argument(help="The backup, of either kind.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Remove all that is in the database now, and put the backup in its place.")
    ] = False,
) -> None:
    """Put a backup into the database, all of it or nothing; stop the server and the workers first.

    A backup of an older version is brought up to date on the way; one of a newer version is refused. All links and
    sign-ins end, because some may have been replaced after the backup; players get a letter with new links.

    Example: marrakech-server restore /backups/marrakech-monday.jsonl.gz
    """
    with host_database() as database, progress_bar("Restoring") as progress:
        rows = restore_backup(database, file, replace, progress)
    with host_context() as ctx:
        players = resend_all_links(ctx)
    typer.echo(f"Restored {rows} rows from {file}.")
    if players:
        typer.echo(f"Earlier links and sign-ins have ended; players who get a letter with new links: {players}.")


@backup_commands.command(name="rotate-key")
def rotate_key() -> None:
    """Put a new secret key before the old ones: new links are signed with it, and old links go on working.

    Afterwards restart every server and worker.

    Example: marrakech-server rotate-key
    """
    settings = host_settings()
    with report_errors():
        where = secret_key_is_set_in(os.environ, Path.cwd())
    if where is not None:
        typer.echo(
            f"The key is set by {where}, which this command leaves alone. Put a new key and a comma before what stands"
            f" there, for instance this one, and restart every server and worker:\n{secrets.token_urlsafe(48)}",
        )
        raise typer.Exit(1)
    file = settings.data_dir / SECRET_FILE
    try:
        keys = add_newest_key(file)
    except (UnprotectedSecret, OSError) as error:
        fail(f"The key was not changed: {error}")
    typer.echo(
        f"{file} has {keys} keys now, the newest first. Restart every server and worker, so that they sign with it, and"
        " back the file up. Remove an old key from its end when no letter that it signed matters any more."
    )

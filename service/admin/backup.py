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
    file: Annotated[Path, typer.Argument(help="The file to write.")],
    portable: Annotated[
        bool,
        typer.Option(
            "--portable",
            help="Write JSON lines, which you can restore into SQLite and PostgreSQL. This is the default for .jsonl"
            " and .jsonl.gz files and for PostgreSQL.",
        ),
    ] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite the file if it exists.")] = False,
) -> None:
    """Back up all games, players and e-mails. The server can keep running.

    The secret key isn't included. Keep a copy of the file secret_key: without it, no link works after a restore.

    Example: marrakech-server backup /backups/marrakech-monday.jsonl.gz --replace
    """
    settings = host_settings()
    if file.exists() and not replace:
        fail(f"{file} already exists. Choose another name, or add --replace.")
    if settings.database_url == f"sqlite:///{file.absolute()}":
        fail(f"{file} is the database itself. Choose another name.")
    with host_database() as database, progress_bar("Backing up") as progress:
        is_json = is_portable(database, file, portable)
        make_backup(database, file, is_json, time.time(), progress)
    size = file.stat().st_size
    typer.echo(f"Backed up to {file} ({size} bytes{', portable' if is_json else ''}).")


@backup_commands.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A backup, portable or not.")],
    replace: Annotated[bool, typer.Option("--replace", help="Delete everything in the database first.")] = False,
) -> None:
    """Restore a backup, completely or not at all. Stop the server and the workers first.

    A backup from an older version is updated. One from a newer version is rejected. All links and sign-ins stop
    working, because some may have been replaced since the backup. Players get an e-mail with new links.

    Example: marrakech-server restore /backups/marrakech-monday.jsonl.gz
    """
    with host_database() as database, progress_bar("Restoring") as progress:
        rows = restore_backup(database, file, replace, progress)
    with host_context() as ctx:
        players = resend_all_links(ctx)
    typer.echo(f"Restored {rows} rows from {file}.")
    if players:
        who = "1 player gets" if players == 1 else f"{players} players get"
        typer.echo(f"Old links and sign-ins no longer work. {who} an e-mail with new links.")


@backup_commands.command(name="rotate-key")
def rotate_key() -> None:
    """Add a new secret key. New links are signed with it, and old links keep working.

    Restart every server and worker afterwards.

    Example: marrakech-server rotate-key
    """
    settings = host_settings()
    with report_errors():
        where = secret_key_is_set_in(os.environ, Path.cwd())
    if where is not None:
        typer.echo(
            f"The key is set by {where}, which this command can't change. Put a new key and a comma in front of it,"
            f" for example the one below. Then restart every server and worker.\n{secrets.token_urlsafe(48)}",
        )
        raise typer.Exit(1)
    file = settings.data_dir / SECRET_FILE
    try:
        keys = add_newest_key(file)
    except (UnprotectedSecret, OSError) as error:
        fail(f"Couldn't change the key: {error}")
    typer.echo(
        f"{file} now has {keys} keys, newest first. Back it up, and restart every server and worker. When you no longer"
        " need the links that an old key signed, remove that key from the end of the file."
    )

"""The game in the browser."""

import webbrowser
from gettext import gettext as say

from cli.context import CliContext
from cli.program import command


@command("marrakech-cli open")
def open_(desk: CliContext) -> None:
    """Open the game in your browser: your seat where you hold a link, and else the onlooker's page."""
    shown = f"{desk.server}/g/{desk.game}"
    link = desk.link_for(desk.game)
    # The link of a seat goes to the browser alone: whoever reads it in the output could play with it.
    opened = webbrowser.open(f"{desk.server}/{link}" if link else shown)
    told = (
        say("Opened in the browser: %(url)s")
        if opened
        else say("There is no browser here; open this yourself: %(url)s")
    )
    desk.paper.put({"url": shown, "opened": opened}, lambda: [told % {"url": shown}])

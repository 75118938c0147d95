"""The client: the whole game from a terminal, over HTTP."""

"""How much the long tests do: little in `make test`, much in `make soak`, which sets the environment variables."""

import os

SOAKING = "SOAK_GAMES" in os.environ


def size(name: str, usual: int) -> int:
    """The number in an environment variable such as `SOAK_GAMES`, or the usual one."""
    return int(os.environ.get(f"SOAK_{name}", usual))


GAMES = size("GAMES", 6)
"""Games that are played at the same time."""
KILLS = size("KILLS", 3)
"""How often the server is killed."""
ROUNDS = size("ROUNDS", 1)
"""How often each failure happens to a group of web processes and workers."""
FLOOD_SECONDS = size("FLOOD_SECONDS", 1)
"""How long slow clients keep the server busy."""

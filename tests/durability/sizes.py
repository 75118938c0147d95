"""How large the proofs of durability are: small in `make test`; `make soak` makes them large by the environment."""

import os


def size(name: str, usual: int) -> int:
    """A number such as `SOAK_GAMES`; the usual one where nothing is said."""
    return int(os.environ.get(f"SOAK_{name}", usual))


GAMES = size("GAMES", 6)
"""Games that are played at once."""
KILLS = size("KILLS", 3)
"""How often the server is killed."""
ROUNDS = size("ROUNDS", 1)
"""How often everything that can happen to a fleet of machines happens to it."""
FLOOD_SECONDS = size("FLOOD_SECONDS", 3)
"""How long a crowd of bad guests stays."""

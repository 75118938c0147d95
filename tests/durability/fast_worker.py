"""`marrakech-server worker` with claims of a few seconds, for tests: `python -m tests.durability.fast_worker`."""

import sys
from typing import Any

from service.mail import delivery, outbox

CLAIM_SECONDS = 4.0


def shorten_waits() -> None:
    """Make everything that takes minutes take seconds."""
    changes: list[tuple[Any, str, float]] = [
        (outbox, "CLAIM_SECONDS", CLAIM_SECONDS),
        (outbox, "FIRST_WAIT", 0.2),
        (delivery, "LONGEST_WAIT", 1.0),
        (delivery, "LONGEST_WAIT_FOR_SERVER", 1.0),
    ]
    for module, name, seconds in changes:
        assert hasattr(module, name)
        setattr(module, name, seconds)


if __name__ == "__main__":
    shorten_waits()
    from service.admin.entry import main

    sys.argv = ["marrakech-server", "worker"]
    main()

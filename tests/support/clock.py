"""A clock that a test sets."""


class Clock:
    """Seconds since 1970; a test changes `now`."""

    def __init__(self) -> None:
        self.now = 1_790_000_000.0

    def __call__(self) -> float:
        return self.now

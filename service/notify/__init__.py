"""Other channels than mail, behind the same outbox."""

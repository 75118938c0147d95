"""Letters: what is written into the outbox, as people read it."""

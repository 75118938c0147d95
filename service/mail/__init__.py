"""Letters: composing and sending what is in the outbox."""

"""How Kilim is shown."""

"""Numbered steps from each version of the database to the next; never changed once released."""

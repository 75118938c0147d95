"""Replies by mail: from a message, whichever way it came in, to what its writer wants, and to the game."""

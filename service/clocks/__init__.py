"""Clocks that are fair: what counts as a player's time, when it is up, and what happens then."""

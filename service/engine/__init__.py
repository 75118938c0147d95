"""The rules of the games: pure functions on immutable values. See README.md in this folder."""

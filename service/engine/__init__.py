"""The rules of the games, pure: see the notice in README.md beside this file."""

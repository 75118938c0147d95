"""`marrakech-cli`: plays over the server's HTTP API and learns about games only from it."""

__version__ = "0.1.0"

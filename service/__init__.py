"""Marrakech by Mail: the server."""

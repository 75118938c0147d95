"""Replies by mail: what they are read as, and what they do."""

"""Proof of the pictures: what is on the table can be seen in them, and nothing that is not."""

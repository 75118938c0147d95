"""Tests of the presentation of Marrakech: the pictures and texts show what is in the view, and nothing else."""

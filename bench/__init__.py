"""Benchmarks: `python -m bench` measures everything, prints one table and writes docs/benchmarks.md."""

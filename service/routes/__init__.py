"""Flask blueprints; thin."""

"""Registering a game for a test."""

from collections.abc import Iterator
from contextlib import contextmanager

from service.engine import registry
from service.engine.registry import AnyRules
from service.ui import registry as ui_registry
from service.ui.protocol import GameUi


@contextmanager
def registered(rules: AnyRules, ui: GameUi) -> Iterator[AnyRules]:
    """Add a game and its presentation, and remove them afterwards."""
    registry.register(rules)
    ui_registry.register(ui)
    try:
        yield rules
    finally:
        registry.unregister(rules.name)
        ui_registry.unregister(ui.name)

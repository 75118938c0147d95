"""Every game, also one that is being written, and a miniature one can be played in every way."""

from service.engine.kilim.game import KILIM
from service.engine.marrakech.game import MARRAKECH
from service.engine.registry import GAMES
from service.ui.kilim.game_ui import KILIM_UI
from service.ui.marrakech.game_ui import MARRAKECH_UI
from tests.engine.sealed_bids import SealedBids
from tests.ui.game_contract import GameContract
from tests.ui.sealed_bids_ui import SealedBidsUi


class TestMarrakech(GameContract):
    rules = MARRAKECH
    ui = MARRAKECH_UI
    moves = 9


class TestKilim(GameContract):
    rules = KILIM
    ui = KILIM_UI
    moves = 40


class TestSealedBids(GameContract):
    rules = SealedBids()
    ui = SealedBidsUi()


def test_every_registered_game_has_a_contract_test() -> None:
    tested = {contract.rules.name for contract in GameContract.__subclasses__()}
    assert tested >= set(GAMES)

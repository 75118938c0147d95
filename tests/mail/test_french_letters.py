"""Every letter in French: well formed, with the same links, and nothing of it left in English."""

import re
from dataclasses import replace
from html import unescape

from service.auth.login import create_login_code, find_or_create_player
from service.context import AppContext
from service.db.models import Player
from service.games.lobby import SeatRequest
from service.mail.inbound.commands import NOT_LISTED
from service.mail.letters import KINDS, compose
from tests.mail.correspondence import ann_to_move, every_letter, post
from tests.mail.html_reading import Read
from tests.mail.tables import ANN, BO, footer_links_in, letters, links_in, started

ENGLISH = re.compile(r"\b(the|your|you|and|with|until|lays|rolls|pays|is)\b", re.IGNORECASE)
NAMES = re.compile(r"https?://\S+|marrakech-cli[^\n]*|There is no square z9 on the board\.")
"""What is no text of a letter: links, a command, what the rules say of a move."""


def french(ctx: AppContext, address: str) -> None:
    find_or_create_player(ctx, address)
    Player.update(language="fr").where(Player.email == address).execute(ctx.database)


def test_every_letter_comes_in_french(ctx: AppContext) -> None:
    for address in (ANN, BO):
        french(ctx, address)
    written = every_letter(ctx)
    assert set(written) == set(KINDS)
    for kind, composed in written.items():
        read = Read(composed.html)
        assert '<html lang="fr"' in composed.html, kind
        links = {*links_in(composed), *footer_links_in(composed)}
        assert set(read.hrefs) == links, kind
        assert {line for line in composed.text.split("\n") if len(line) > 72} <= links, kind
        assert "\n\n-- \nMarrakech par courrier\n" in composed.text, kind
        for part in (composed.subject, composed.text, unescape(read.said)):
            assert "%(" not in part, kind
            assert not ENGLISH.search(NAMES.sub("", part)), (kind, ENGLISH.search(NAMES.sub("", part)), part)


def test_a_table_without_a_name_is_called_in_the_language_of_each_letter(ctx: AppContext) -> None:
    french(ctx, BO)
    game = started(ctx, SeatRequest(email=BO), SeatRequest(bot="easy"), name="", first=0)
    ann, bo = (compose(ctx, post(ctx, "links", game, seat)) for seat in (0, 1))
    assert (ann.subject, bo.subject) == (
        "Game: Marrakech with Ann",
        "Partie : Marrakech avec Ann",
    )
    assert " Salma " in Read(ann.html).said
    assert " Salma " in Read(bo.html).said


def test_a_letter_names_what_can_be_answered_in_the_readers_own_words(ctx: AppContext) -> None:
    french(ctx, ANN)
    reading = ctx._replace(settings=replace(ctx.settings, inbound_domain="reply.example.org"))
    game = ann_to_move(ctx, started(ctx, first=0))
    said = " ".join(compose(reading, post(ctx, "turn", game)).text.split())
    assert "Répondez d\u2019un mot : à gauche, tout droit ou à droite." in said
    answer = post(ctx, "answer", game, why=NOT_LISTED, understood="left", asked=False, subject="")
    told = compose(reading, answer).text
    assert "à gauche" in next(line for line in told.splitlines() if "Vous avez écrit" in line)
    assert "écrire abandonner pour quitter la partie ou aide pour revoir vos choix" in " ".join(told.split())


def test_whoever_signs_in_for_the_first_time_is_written_to_in_the_language_of_the_browser(ctx: AppContext) -> None:
    subjects = []
    for address, language in ((ANN, "fr"), (BO, "fr"), ("cy@example.org", "en"), ("di@example.org", "xx")):
        if address == BO:
            find_or_create_player(ctx, address)  # who has been here before has a language
        create_login_code(ctx, address, language)
        subjects.append(compose(ctx, letters(ctx)[-1]).subject)
    english = "Your sign-in code for Marrakech by Mail"
    assert subjects == ["Votre code de connexion à Marrakech par courrier", english, english, english]

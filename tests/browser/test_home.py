"""The pages outside the game in a real browser: from the home page to a game, by mail and by the shared link."""

import time
from collections.abc import Callable
from typing import Any

import html5lib
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import HOST_ADDRESS
from tests.browser.visiting import letter_to, link_in, sign_in
from tests.ui.marrakech.colour_vision import contrast, seen

PageAt = Callable[..., Page]
SCREENS = (("phone", 320, 640), ("desktop", 1200, 860))
MOST_BYTES = 150 * 1024
PUBLIC = {"home": "/", "sign-in": "/login", "rules": "/rules", "kilim": "/rules/kilim", "no-such-page": "/no/such/page"}
PRIVATE = {"my-games": "/", "new-table": "/new", "settings": "/me", "host": "/host"}


def looks_good(page: Page, name: str) -> None:
    """Nothing serious for axe by day and by night, no scrolling sideways on a phone, sound HTML."""
    _is_accessible(page, name)
    html5lib.HTMLParser(strict=True).parse(page.request.get(page.url, headers={"Accept": "text/html"}).text())
    for kind, width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{name} is {wide} pixels wide on a {kind}"
    page.emulate_media(color_scheme="dark")
    _is_accessible(page, f"{name} by night", {"runOnly": ["color-contrast"]})
    page.emulate_media(color_scheme="light")


def _is_accessible(page: Page, name: str, options: dict[str, Any] | None = None) -> None:
    found = Axe().run(page, options=options).response["violations"]
    serious = [rule for rule in found if rule["impact"] in {"serious", "critical"}]
    assert serious == [], f"{name}: {[(rule['id'], rule['nodes'][0]['html']) for rule in serious]}"


def test_the_public_pages_are_sound(page_at: PageAt, complaints: list[str]) -> None:
    page = page_at("/")
    for name, path in PUBLIC.items():
        page.goto(path)
        looks_good(page, name)
    assert len(complaints) == 1  # the page that is not there
    complaints.clear()


def test_the_pages_of_a_signed_in_player_are_sound(page_at: PageAt) -> None:
    page = page_at("/")
    sign_in(page, HOST_ADDRESS)
    for name, path in PRIVATE.items():
        page.goto(path)
        looks_good(page, name)


def test_a_page_weighs_little_and_comes_from_nowhere_else(page_at: PageAt, site: str) -> None:
    entries = "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
    for path, parts in (("/", 5), ("/rules", 9)):
        page = page_at(path)
        for picture in page.locator("img").all():  # they come when they are seen
            picture.scroll_into_view_if_needed()
        page.wait_for_load_state("networkidle")
        came = page.evaluate(f"{entries}.map((each) => [each.name, each.decodedBodySize])")
        assert len(came) >= parts
        assert 0 < sum(size for _, size in came) < MOST_BYTES
        assert all(address.startswith(site) for address, _ in came)


def test_what_has_the_focus_stands_out_by_day_and_by_night(page_at: PageAt) -> None:
    run_due_clocks = """() => { const style = (each) => getComputedStyle(each), here = document.activeElement;
        const two = (number) => Number(number).toString(16).padStart(2, "0");
        const hex = (colour) => "#" + colour.match(/\\d+/g).map(two).join("");
        const ground = here.closest(".card, nav.site, .play") ?? document.body;
        return [style(here).outlineStyle, hex(style(here).outlineColor), hex(style(ground).backgroundColor)]; }"""
    for scheme in ("light", "dark"):
        page = page_at("/login", color_scheme=scheme)
        page.locator("input[name=email]").focus()
        for _ in range(8):  # the form, the footer, and round again to the way about
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement === document.body"):
                continue
            outline, colour, ground = page.evaluate(run_due_clocks)
            assert outline == "solid"
            assert contrast(seen(colour, "common"), seen(ground, "common")) >= 3, (scheme, colour, ground)


def test_from_nothing_to_a_game_in_under_a_minute(page_at: PageAt) -> None:
    began = time.monotonic()
    ann = page_at("/")
    ann.get_by_role("link", name="Start a game of Marrakech").click()
    ann.get_by_label("Your e-mail address").fill("quick@example.org")
    ann.get_by_role("button", name="Send me a code").click()
    ann.goto(link_in(letter_to(ann, "quick@example.org"), "/login/"))
    ann.get_by_role("button", name="Sign in").click()
    expect(ann.get_by_label("Your name")).to_have_value("Quick")
    looks_good(ann, "welcome")
    ann.get_by_role("button", name="Continue").click()
    ann.wait_for_url("**/new?game=marrakech")  # what was wanted before signing in
    ann.get_by_label("Their e-mail address").first.fill("not@wanted.example")
    ann.get_by_label("Seat 2").select_option("open")
    expect(ann.get_by_label("Their e-mail address").first).to_be_hidden()
    ann.get_by_role("button", name="Create the game").first.click()
    link = ann.get_by_label("Link to share").input_value()
    looks_good(ann, "table-waiting")

    bo = page_at(link)
    looks_good(bo, "join")
    bo.get_by_role("link", name="Sign in with your e-mail address").click()
    bo.get_by_label("Your e-mail address").fill("friend@example.org")
    bo.get_by_role("button", name="Send me a code").click()
    code = next(line for line in letter_to(bo, "friend@example.org").split() if len(line) == 8 and line.isupper())
    bo.get_by_label("Code from the e-mail").fill(code)
    bo.get_by_role("button", name="Sign in").click()
    bo.get_by_role("button", name="Continue").click()
    bo.get_by_role("button", name="Join as").click()
    bo.wait_for_url("**/s/**")
    assert time.monotonic() - began < 60

    expect(ann.locator("#standings")).to_be_visible()  # the host has only waited
    expect(ann.locator("#status")).to_contain_text("urn" if "Your turn" in ann.title() else "Waiting for")

    ann.goto("/")
    expect(ann.get_by_role("listitem").filter(has_text="Marrakech with Quick")).to_be_visible()
    expect(ann.locator(".badge").first).to_contain_text("urn" if ann.locator(".my-turn").count() else "Waiting for")


def test_an_open_table_shows_who_sits_down_and_keeps_what_is_being_typed(page_at: PageAt) -> None:
    ann = page_at("/")
    sign_in(ann, "patient@example.org")
    ann.goto("/new")
    for seat in ("Seat 2", "Seat 3"):
        ann.get_by_label(seat).select_option("open")
    ann.get_by_role("button", name="Create the game").first.click()
    ann.get_by_text("Invite somebody, or add a bot").nth(1).click()
    address = ann.locator("#fill2-open").get_by_label("Their e-mail address")
    address.fill("half@exam")
    link = ann.get_by_label("Link to share").input_value()

    bo = page_at("/")
    sign_in(bo, "early@example.org")
    bo.goto(link)
    bo.get_by_role("button", name="Join as").click()
    bo.wait_for_url("**/s/**")
    expect(ann.locator("#seat1")).to_contain_text("early")
    expect(ann.locator("#seat1")).to_contain_text("joined")
    expect(ann.locator("#missing")).to_contain_text("One seat is still open.")
    expect(address).to_have_value("half@exam")
    expect(ann.get_by_role("button", name="Copy")).to_be_visible()
    bo.get_by_text("Leave this game").click()
    bo.get_by_role("button", name="Give up my seat").click()
    expect(ann.locator("#seat1")).to_contain_text("Open seat")


def test_the_link_to_open_seats_is_shared_with_the_browsers_own_dialog(page_at: PageAt) -> None:
    ann = page_at("/")
    ann.add_init_script("navigator.share = async (what) => { window.shared = what; }")
    sign_in(ann, "sharing@example.org")
    ann.goto("/new")
    ann.get_by_label("Seat 2").select_option("open")
    ann.get_by_role("button", name="Create the game").first.click()
    ann.get_by_role("button", name="Share").click()
    link = ann.get_by_label("Link to share").input_value()
    assert ann.evaluate("window.shared") == {"title": "Marrakech with sharing", "url": link}


def test_each_wrong_field_of_a_new_game_is_level_with_its_seat(page_at: PageAt, complaints: list[str]) -> None:
    ann = page_at("/", viewport={"width": 1366, "height": 768})
    sign_in(ann, "level@example.org")
    ann.goto("/new")
    ann.get_by_label("Their e-mail address").first.fill("level@example.org")
    ann.get_by_role("button", name="Create the game").first.click()
    expect(ann.locator("#email2-error")).to_be_visible()
    seat, address = (ann.locator(field).bounding_box() for field in ("#kind2", "#email2"))
    assert seat is not None
    assert address is not None
    assert abs(seat["y"] - address["y"]) < 3
    complaints.clear()  # about the status 400


def test_a_table_is_made_and_declined_and_filled_again_without_javascript(page_at: PageAt) -> None:
    ann = page_at("/", java_script_enabled=False)
    sign_in(ann, "plain@example.org")
    ann.goto("/new")
    ann.get_by_label("Their e-mail address").first.fill("cy@example.org")
    ann.get_by_role("button", name="Create the game").first.click()
    cy = page_at(link_in(letter_to(ann, "cy@example.org"), "/s/"), java_script_enabled=False)
    cy.get_by_role("button", name="Decline").click()
    ann.reload()
    ann.get_by_text("Invite somebody, or add a bot").click()
    ann.get_by_label("Their e-mail address").fill("dan@example.org")
    ann.get_by_label("Message to the people you invite").fill("Bring tea!")
    ann.get_by_role("button", name="Send the invitation").click()
    expect(ann.get_by_text("Waiting for dan to accept.")).to_be_visible()
    assert "Bring tea!" in letter_to(ann, "dan@example.org")
    dan = page_at(link_in(letter_to(ann, "dan@example.org"), "/s/"), java_script_enabled=False)
    dan.get_by_role("button", name="Accept").click()
    expect(dan.get_by_role("heading", level=1)).to_contain_text("plain")


def test_another_game_is_chosen_by_keyboard_and_what_was_typed_stays(page_at: PageAt) -> None:
    ann = page_at("/")
    sign_in(ann, "choosy@example.org")
    ann.goto("/new")
    ann.get_by_label("Their e-mail address").first.fill("bo@example.org")
    ann.get_by_label("Message to the people you invite").fill("Bring tea!")
    ann.get_by_role("link", name="Kilim", exact=True).focus()
    ann.keyboard.press("Enter")
    expect(ann.get_by_role("link", name="Kilim", exact=True)).to_have_attribute("aria-current", "true")
    expect(ann.get_by_label("Seat 5")).to_be_visible()
    expect(ann.get_by_label("Their e-mail address").first).to_have_value("bo@example.org")
    expect(ann.get_by_label("Message to the people you invite")).to_have_value("Bring tea!")
    looks_good(ann, "new-kilim")
    ann.get_by_role("button", name="Create the game").first.click()
    expect(ann.get_by_role("heading", level=1)).to_have_text("Kilim with choosy")
    looks_good(ann, "waiting-kilim")


def test_the_first_wrong_field_of_a_new_game_has_the_focus_without_javascript(
    page_at: PageAt, complaints: list[str]
) -> None:
    ann = page_at("/", java_script_enabled=False)
    sign_in(ann, "careful@example.org")
    ann.goto("/new")
    for row, address in ((2, "bo@example.org"), (3, "careful@example.org"), (4, "bo@example.org")):
        ann.locator(f"#kind{row}").select_option("invited")
        ann.locator(f"#email{row}").fill(address)
    ann.get_by_role("button", name="Create the game").first.click()
    expect(ann.locator("#email3")).to_be_focused()
    expect(ann.locator("#email3")).to_have_accessible_description(
        "That's your own address, and you already have the first seat. Enter somebody else's."
    )
    expect(ann.locator("#email4-error")).to_have_text(
        "bo@example.org is listed twice, in seats 2 and 4. Use another address for one of them."
    )
    expect(ann.locator("#email4")).to_have_value("bo@example.org")
    complaints.clear()  # about the status 400


def test_settings_are_kept_and_the_page_speaks_french_from_then_on(page_at: PageAt) -> None:
    page = page_at("/", timezone_id="Europe/Paris")
    sign_in(page, "settled@example.org")
    page.goto("/me")
    assert page.get_by_label("Time zone").input_value() == "Europe/Paris"  # as the browser said
    page.get_by_label("Your name").fill("<b>Zoé</b>")
    page.get_by_label("Language").select_option("fr")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    expect(page.get_by_role("status")).to_have_text("Enregistré.")
    assert page.locator("#name").input_value() == "<b>Zoé</b>"
    for name, path in (("settings-fr", "/me"), ("rules-fr", "/rules")):
        page.goto(path)
        looks_good(page, name)


def test_a_browser_that_asks_for_french_gets_it(page_at: PageAt) -> None:
    page = page_at("/", locale="fr-CA")
    expect(page.locator("html")).to_have_attribute("lang", "fr")

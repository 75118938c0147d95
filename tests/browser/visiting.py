"""What visitors do in most of the browser's tests."""

import re

from playwright.sync_api import Page


def letter_to(page: Page, address: str) -> str:
    """The text of the newest letter to an address, read on the mailbox page in a tab of its own."""
    mailbox = page.context.new_page()
    mailbox.goto("/")
    mailbox.goto(mailbox.locator("main a[href^='/mailbox/']").get_attribute("href") or "")
    letters = mailbox.locator("article").filter(has_text=f"to {address}")
    for _ in range(50):  # until the worker has delivered it
        if letters.count():
            break
        mailbox.wait_for_timeout(100)
        mailbox.reload()
    text = letters.first.locator("pre").text_content() or ""
    mailbox.close()
    return text


def link_in(letter: str, way: str) -> str:
    """The first link of a letter whose path begins like this, without the server's address."""
    found = re.search(rf"^https?://[^/\s]+({re.escape(way)}\S*)$", letter, re.MULTILINE)
    assert found, letter
    return found[1]


def sign_in(page: Page, address: str) -> None:
    """Sign in as people do: an address on the page, then the code from the letter."""
    page.goto("/login")
    page.locator("input[name=email]").fill(address)
    page.locator("main form button").first.click()
    page.locator("input[name=code]").wait_for()
    letter = letter_to(page, address)
    code = next(line.strip() for line in letter.splitlines() if re.fullmatch(r"\s*[A-Z0-9]{8}\s*", line))
    page.locator("input[name=code]").fill(code)
    page.locator("main form button").first.click()
    page.wait_for_url(lambda url: "/login" not in url)

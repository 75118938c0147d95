"""What the site is called where somebody installs it: in the language of the page that they came from."""

import re

from service.context import AppContext
from tests.support.browsers import Browser


def test_the_site_is_installed_in_the_language_of_its_pages(ctx: AppContext) -> None:
    for language, name in (("en", "Marrakech by Mail"), ("fr", "Marrakech par courrier")):
        browser = Browser(ctx, language=language)
        found = re.search(r'<link rel="manifest" href="([^"]+)">', browser.get("/"))
        assert found
        answer = Browser(ctx).client.get(found[1])  # a browser asks for it without saying who it is
        assert answer.mimetype == "application/manifest+json"
        assert answer.headers["Cache-Control"] == "public, max-age=86400"
        manifest = answer.get_json(force=True)
        assert (manifest["name"], manifest["lang"], manifest["dir"]) == (name, language, "ltr")
        for icon in manifest["icons"]:
            with browser.client.get(icon["src"]) as picture:
                assert picture.mimetype == icon["type"]

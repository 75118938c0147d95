"""Web push in a real browser: turning it on, the notification that the service worker shows, and signing out.

The browser's own push service is the only part that is replaced: it can't be reached from a test.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Worker, expect

from service.games.channels import list_channels
from tests.browser.server import GameServer
from tests.support.receiver import BrowserSubscription

ENDPOINT = "https://fcm.googleapis.com/fcm/send/test"


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(locale="en-GB") as opened:
        yield opened


@pytest.fixture
def signed_in(server: GameServer, context: BrowserContext) -> Callable[[str], Page]:
    def open_settings(name: str) -> Page:
        context.add_cookies([server.session(name)])
        page = context.new_page()
        page.goto(f"{server.address}/me")
        return page

    return open_settings


@pytest.fixture
def push_service(context: BrowserContext) -> BrowserSubscription:
    """The browser's push service answers with this subscription, for as long as it is not cancelled."""
    subscription = BrowserSubscription(ENDPOINT)
    script = """
      const given = SUBSCRIPTION;
      const made = () => ({ ...given, toJSON: () => given, unsubscribe: async () => sessionStorage.removeItem("on") });
      PushManager.prototype.subscribe = async function (options) {
        sessionStorage.setItem("on", options.applicationServerKey);
        return made();
      };
      PushManager.prototype.getSubscription = async () => (sessionStorage.getItem("on") ? made() : null);
    """
    context.add_init_script(script.replace("SUBSCRIPTION", subscription.json))
    return subscription


def test_turning_push_on_and_off(
    server: GameServer, context: BrowserContext, signed_in: Callable[[str], Page], push_service: BrowserSubscription
) -> None:
    context.grant_permissions(["notifications"], origin=server.address)
    page = signed_in("push-ann")
    page.get_by_label("Name of this device").fill("My phone")
    page.get_by_role("button", name="Turn on in this browser").click()
    expect(page.get_by_text("Added.")).to_be_visible()
    expect(page.get_by_text("My phone", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Turn on in this browser")).to_be_hidden()
    player: Any = server.player("push-ann")
    [channel] = list_channels(server.ctx, player.id)
    assert json.loads(channel.address)["endpoint"] == ENDPOINT
    page.get_by_role("button", name="Remove: My phone").click()
    expect(page.get_by_role("button", name="Turn on in this browser")).to_be_visible()
    assert list_channels(server.ctx, player.id) == []


def test_a_browser_that_does_not_allow_notifications_says_so(
    server: GameServer, signed_in: Callable[[str], Page], push_service: BrowserSubscription
) -> None:
    page = signed_in("push-bo")
    page.get_by_role("button", name="Turn on in this browser").click()
    expect(page.get_by_role("alert").filter(has_text="doesn't allow notifications")).to_be_visible()
    player: Any = server.player("push-bo")
    assert list_channels(server.ctx, player.id) == []


def test_a_push_service_that_cannot_be_reached_is_named(
    server: GameServer, context: BrowserContext, signed_in: Callable[[str], Page]
) -> None:
    context.grant_permissions(["notifications"], origin=server.address)
    context.add_init_script("PushManager.prototype.subscribe = () => Promise.reject(new DOMException())")
    page = signed_in("push-cy")
    page.get_by_role("button", name="Turn on in this browser").click()
    expect(page.get_by_role("alert").filter(has_text="couldn't connect to its push service")).to_be_visible()


@pytest.mark.parametrize("path", ["/me", "/"])
def test_signing_out_cancels_the_subscription(
    server: GameServer,
    context: BrowserContext,
    signed_in: Callable[[str], Page],
    push_service: BrowserSubscription,
    path: str,
) -> None:
    context.grant_permissions(["notifications"], origin=server.address)
    page = signed_in("push-dan")
    page.get_by_role("button", name="Turn on in this browser").click()
    expect(page.get_by_text("Added.")).to_be_visible()
    page.goto(server.address + path)
    page.locator('form[action="/logout"] button').click()
    page.wait_for_url(f"{server.address}/")
    expect(page.get_by_role("link", name="Sign in").first).to_be_visible()
    assert page.evaluate("sessionStorage.getItem('on')") is None


def test_without_javascript_services_can_still_be_added(server: GameServer, chromium: Browser) -> None:
    plain = chromium.new_context(java_script_enabled=False)
    plain.add_cookies([server.session("push-eve")])
    page = plain.new_page()
    page.goto(f"{server.address}/me")
    expect(page.get_by_role("button", name="Turn on in this browser")).to_be_hidden()
    page.get_by_label("URL of the service").fill("ntfy://rugs")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("ntfy", exact=True).first).to_be_visible()
    plain.close()


@pytest.fixture
def worker(server: GameServer, context: BrowserContext, signed_in: Callable[[str], Page]) -> Worker:
    """The running service worker; headless browsers show no notifications and open no windows, so it records them."""
    page = signed_in("push-fay")
    with context.expect_event("serviceworker") as started:
        page.evaluate("navigator.serviceWorker.register('/push-worker.js')")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    worker: Worker = started.value
    worker.evaluate(
        """() => {
          self.done = [];
          ServiceWorkerRegistration.prototype.showNotification = async (...words) => self.done.push(words);
          WindowClient.prototype.focus = async function () { self.done.push(["focus", this.url]); };
          Clients.prototype.openWindow = async (link) => self.done.push(["open", link]);
        }"""
    )
    return worker


def test_the_service_worker_shows_a_message_that_arrives(
    server: GameServer, context: BrowserContext, worker: Worker
) -> None:
    devtools = context.new_cdp_session(context.pages[0])
    found: list[Any] = []
    devtools.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
    devtools.send("ServiceWorker.enable")
    context.pages[0].evaluate("0")  # a round trip, after which the event has arrived
    link = f"{server.address}/rules"
    message = json.dumps({"title": "Friday rugs", "body": "It's your turn.", "link": link})
    devtools.send(
        "ServiceWorker.deliverPushMessage",
        {"origin": server.address, "registrationId": found[0]["registrationId"], "data": message},
    )
    shown = worker.evaluate(
        """async () => {
          while (!self.done.length) await new Promise((resolve) => setTimeout(resolve, 20));
          return self.done[0];
        }"""
    )
    title, options = shown
    assert (title, options["body"], options["data"]) == ("Friday rugs", "It's your turn.", link)


def test_a_click_shows_the_open_page_or_opens_one(server: GameServer, worker: Worker) -> None:
    for path in ("/me", "/rules"):
        worker.evaluate("(link) => show(link)", server.address + path)
    opened = worker.evaluate("self.done")
    assert opened == [["focus", f"{server.address}/me"], ["open", f"{server.address}/rules"]]

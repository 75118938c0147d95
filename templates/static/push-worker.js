"use strict";
// Shows web push messages and opens their game.

self.addEventListener("push", (event) => {
  const { title, body, link } = event.data.json();
  const icon = "/static/icon-192.png";
  // With the same tag, a newer message about a game replaces the one before.
  const shown = self.registration.showNotification(title, { body, icon, tag: link, renotify: true, data: link });
  event.waitUntil(shown);
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(show(event.notification.data));
});

async function show(link) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = pages.find((page) => page.url === link);
  return open ? open.focus() : self.clients.openWindow(link);
}

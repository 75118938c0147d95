// A game before its start: shows at once who joins, and opens the game when the last seat is taken.
import { fetched, take } from "./live.js";

const SOON = 3000, LATEST = 60000;
const here = document.getElementById("waiting").dataset.here || location.pathname;
// The available forms; when they change, the page reloads, but not while somebody is typing.
const offered = (page) => [...page.querySelectorAll(".offer, #share, #start, .fill")].map((part) => part.id).join();
const isTyping = () => [...document.querySelectorAll("input, textarea")].some((field) => field.value !== field.defaultValue);
let wait = SOON, timer = null, seen = "";

async function follow() {
  clearTimeout(timer);
  try {
    const { response, page } = await fetched(here, { headers: seen ? { "If-None-Match": seen } : {} });
    if ([401, 404, 410].includes(response.status)) return location.replace(here);
    if (response.ok && page) {
      const changed = offered(page) !== offered(document);
      if (!page.getElementById("waiting") || (changed && !isTyping())) return location.replace(here);
      seen = (!changed && response.headers.get("ETag")) || "";
      take(page);
      wait = SOON;
    } else wait = Math.min(LATEST, wait * 1.15);
  } catch {
    wait = Math.min(LATEST, wait * 2);
  }
  timer = setTimeout(follow, document.hidden ? LATEST : wait);
}

for (const [target, event] of [[document, "visibilitychange"], [window, "online"]]) {
  target.addEventListener(event, () => document.hidden || ((wait = SOON), follow()));
}
timer = setTimeout(follow, SOON);

// An open page replaces its parts with those of a newer copy of itself; the server renders everything.

const PATIENCE = 20000; // a dead connection must not keep a button pressed forever

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export async function fetched(address, options = {}) {
  const signal = AbortSignal.timeout(PATIENCE);
  // This header says that the player has the game open, so no turn letter is needed.
  const headers = { "Game-Open": "yes", ...options.headers };
  const response = await fetch(address, { credentials: "same-origin", cache: "no-store", signal, ...options, headers });
  if (response.status === 304) return { response, page: null };
  if (!(response.headers.get("Content-Type") ?? "").startsWith("text/html")) throw new Error("not a page");
  return { response, page: new DOMParser().parseFromString(await response.text(), "text/html") };
}

// Replace the parts that have changed, except what somebody is typing and the parts in `keep`.
export function take(page, keep = []) {
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = page.getElementById(part.id);
    if (!next || keep.includes(part.id)) continue;
    if (part.dataset.live === "attributes") {
      for (const { name, value } of [...next.attributes]) part.setAttribute(name, value);
    } else if (part.innerHTML !== next.innerHTML) {
      const open = [...part.querySelectorAll("details")].map((each) => each.open);
      part.replaceChildren(...document.importNode(next, true).childNodes);
      part.querySelectorAll("details").forEach((each, number) => { if (open[number]) each.open = true; });
    }
  }
  document.title = page.title;
  localTimes();
}

// A player who came by the link of a seat goes back to that seat, not to the public page; only this tab knows it.
export function keepSeat(table) {
  try { if (location.pathname !== table) sessionStorage.setItem(table, location.pathname); } catch { /* storage is blocked */ }
}

export function wayBack() {
  const link = document.querySelector("a[data-back]");
  try { link.href = sessionStorage.getItem(link.pathname) ?? link.href; } catch { /* storage is blocked */ }
}

// Times in the browser's zone, for visitors whose zone the server doesn't know.
export function localTimes() {
  for (const time of document.querySelectorAll("time[data-local]")) {
    const at = new Date(time.dateTime);
    if (isNaN(at)) continue;
    const lang = document.documentElement.lang; // our English is British
    time.textContent = at.toLocaleString(lang === "en" ? "en-GB" : lang || undefined, { dateStyle: "full", timeStyle: "short" });
    time.removeAttribute("data-local");
  }
}

document.documentElement.classList.add("scripted");

// A page that is open takes over what has changed from a newer copy of itself; the server draws and words it all.

const PATIENCE = 20000; // a line that is dead without saying so must not keep a button pressed for ever

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export async function fetched(address, options = {}) {
  const signal = AbortSignal.timeout(PATIENCE);
  // This header tells the server that somebody has the game open, so that no letter has to fetch them.
  const headers = { "Game-Open": "yes", ...options.headers };
  const response = await fetch(address, { credentials: "same-origin", cache: "no-store", signal, ...options, headers });
  if (response.status === 304) return { response, page: null };
  if (!(response.headers.get("Content-Type") ?? "").startsWith("text/html")) throw new Error("not a page");
  return { response, page: new DOMParser().parseFromString(await response.text(), "text/html") };
}

// Put in what is new, part by part; what somebody is typing stays, and so do parts that `keep` names.
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

// Whoever came to a table by the link of a seat goes back to that seat, not to where people look on; only this tab knows.
export function keepSeat(table) {
  try { if (location.pathname !== table) sessionStorage.setItem(table, location.pathname); } catch { /* it is forbidden here */ }
}

export function wayBack() {
  const link = document.querySelector("a[data-back]");
  try { link.href = sessionStorage.getItem(link.pathname) ?? link.href; } catch { /* it is forbidden here */ }
}

// Times for somebody whose zone the server does not know, by the clock of the browser.
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

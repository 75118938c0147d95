// The table page: send the choice, and follow the game while the page is open.
import { calm, fetched, keepSeat, localTimes, take } from "./live.js";

// Hooks for a game's own script: `preview` shows the choice on the board, and `animate` shows what has
// happened before the newer page takes over.
export const hooks = { preview() {}, animate: async () => {} };

const SOON = 3000, LATEST = 60000, MISSED = 2;
const table = () => document.getElementById("table");
export const choosing = () => document.querySelector("form.choosing");
export const choices = () => [...(choosing()?.querySelectorAll("input[name=do]") ?? [])];
export const chosen = () => choices().find((choice) => choice.checked);
let busy = false;

export const isBusy = () => busy;

// While the player drags a piece, the page must not be replaced.
export function setBusy(now) {
  busy = now;
}

export function say(words) {
  document.getElementById("pointing").textContent = words;
}

// Scroll the chat to its newest message, which is the last.
function scrollTalk() {
  const lines = document.querySelector(".lines");
  if (lines) lines.scrollTop = lines.scrollHeight;
}

// With the browser's own salt, the server can't have chosen the roll.
function season() {
  for (const field of document.querySelectorAll("input[name=salt]")) {
    field.value = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}

export function choose(choice) {
  if (!choice) return;
  choice.checked = true;
  refresh();
}

export function undo() {
  for (const choice of choices()) choice.checked = false;
  refresh();
}

function refresh() {
  say("");
  hooks.preview();
}

const isOver = (page) => Boolean(page.querySelector("#ending > *"));

// The result is at the top of the page, and the player may have scrolled down to the choices.
function showEnding() {
  document.getElementById("status").scrollIntoView({ block: "nearest", behavior: calm() ? "auto" : "smooth" });
}

// Show a newer page, after the game's own animation of what has happened.
async function turnTo(page, own) {
  const now = table().dataset, next = page.getElementById("table")?.dataset;
  if (!next) return say(page.querySelector("main .lead")?.textContent ?? now.sayOffline); // an error has its own page
  const moved = next.head !== now.head, ends = !isOver(document) && isOver(page);
  // On a phone the board may be scrolled away.
  if (own && moved) document.querySelector("#board svg")?.scrollIntoView({ block: "nearest", behavior: calm() ? "auto" : "smooth" });
  if (moved) await hooks.animate(page);
  // A choice that is being made stays while the game hasn't moved on.
  const keep = !moved && choosing() ? ["choose", "leave", "board", "outlook"] : [], choice = own ? null : chosen()?.value;
  take(page, keep);
  scrollTalk();
  if (keep.length) return;
  season();
  // Where several players act at once, somebody else's action leaves the choice as it is.
  const same = choices().find((each) => each.value === choice);
  if (same) same.checked = true;
  refresh();
  if (ends && !document.activeElement?.matches("textarea")) showEnding();
  if (own && moved) (choosing()?.querySelector("h2") ?? document.getElementById("status")).focus({ preventScroll: true });
}

async function send(event) {
  const form = event.target;
  // A form that leads to another game is sent by the browser.
  if (form.method !== "post" || form.matches("[data-leaves]") || event.defaultPrevented) return;
  event.preventDefault();
  if (busy) return;
  busy = true;
  const body = new URLSearchParams(new FormData(form, event.submitter));
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  try {
    const { response, page } = await fetched(form.action, { method: "POST", body });
    await turnTo(page, !form.matches("[data-talking]"));
    if (response.ok && form.matches("[data-talking]")) form.reset();
  } catch {
    say(table().dataset.sayOffline);
  } finally {
    for (const button of form.querySelectorAll("button")) button.disabled = false;
    busy = false;
    wait = SOON;
  }
}

// Poll the game: often at first, then less, and rarely in a hidden tab.
let wait = SOON, timer = null, missed = 0;

// Whether the server responds; the player should know before playing, and when it is back.
function heard(answered) {
  missed = answered ? 0 : missed + 1;
  const words = document.getElementById("pointing"), away = table().dataset.sayAway;
  if (missed >= MISSED) say(away);
  else if (answered && [away, table().dataset.sayOffline].includes(words.textContent)) say("");
}

async function follow() {
  clearTimeout(timer);
  if (!busy) {
    try {
      const { response, page } = await fetched(location.pathname, { headers: { "If-None-Match": `"${table().dataset.seen}"` } });
      heard(true);
      if ([401, 404, 410].includes(response.status)) return location.reload(); // the link or the game is gone: show why
      if (response.ok && page && !busy) {
        await turnTo(page, false);
        wait = SOON;
      } else wait = Math.min(LATEST, wait * 1.15);
    } catch {
      wait = Math.min(LATEST, wait * 2);
      heard(false);
    }
  }
  timer = setTimeout(follow, document.hidden ? LATEST : wait);
}

document.addEventListener("change", (event) => event.target.closest?.("form.choosing") && choose(chosen()));
document.addEventListener("submit", send);
// In a text field, Escape has other uses.
document.addEventListener("keydown", (event) => event.key === "Escape" && !event.target.matches("textarea") && choosing() && undo());
for (const [target, event] of [[document, "visibilitychange"], [window, "online"]]) {
  target.addEventListener(event, () => document.hidden || ((wait = SOON), follow()));
}
season();
localTimes();
keepSeat(table().dataset.table);
scrollTalk();
timer = setTimeout(follow, SOON);

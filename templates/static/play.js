// The table: point at the board or choose from the list, see the die roll, and follow the game while the page is open.
import { box, calm, drawing, element, middle, sheet, squareAt, walk } from "./board.js";
import { fetched, keepSeat, localTimes, take } from "./live.js";

const SOON = 3000, LATEST = 60000, MISSED = 2;
const table = () => document.getElementById("table");
const choosing = () => document.querySelector("form.choosing");
const choices = () => [...(choosing()?.querySelectorAll("input[name=do]") ?? [])];
const chosen = () => choices().find((choice) => choice.checked);
const laying = () => choosing()?.dataset.choosing === "places";

let first = null; // the first of the two squares that are pointed at
let busy = false;

function say(words) {
  document.getElementById("pointing").textContent = words;
}

// The newest line of the talk is the last.
function scrollTalk() {
  const lines = document.querySelector(".lines");
  if (lines) lines.scrollTop = lines.scrollHeight;
}

// A salt of our own: then the server cannot have chosen the roll.
function season() {
  for (const field of document.querySelectorAll("input[name=salt]")) {
    field.value = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}

// What the choice would mean, on the board.
function preview() {
  const paper = sheet(), choice = chosen();
  drawing()?.classList.toggle("pointable", Boolean(choosing()));
  for (const place of document.querySelectorAll("#board .place")) {
    const name = choices()[Number(place.dataset.number) - 1]?.value;
    place.classList.toggle("chosen", Boolean(choice) && name === choice.value);
    place.classList.toggle("dim", Boolean(choice) ? name !== choice.value : Boolean(first) && !name?.split("-").includes(first));
  }
  if (laying()) {
    if (choice) paper.append(element("rect", { class: "picked", ...box(choice.value.split("-")) }));
    else if (first) drawFirst(paper);
  } else if (choice) drawOutlook(paper, choice);
}

function drawFirst(paper) {
  paper.append(element("rect", { class: "picked", ...box([first, first]) }));
  for (const choice of choices()) {
    const squares = choice.value.split("-");
    if (squares.includes(first)) paper.append(element("rect", { class: "near", ...box(squares.filter((square) => square !== first)
      .concat(squares.filter((square) => square !== first))) }));
  }
}

function drawOutlook(paper, choice) {
  for (const row of choice.closest(".way-choice")?.querySelectorAll("tr[data-to]") ?? []) {
    const at = middle(row.dataset.to), costs = row.dataset.due !== "0";
    paper.append(element("circle", { class: costs ? "end costs" : "end", cx: at.x, cy: at.y, r: 13 }));
    paper.append(element("text", { x: at.x, y: at.y + 4 }, costs ? `−${row.dataset.due}` : "0"));
  }
}

function choose(choice) {
  if (!choice) return;
  choice.checked = true;
  first = null;
  say("");
  preview();
}

function undo() {
  for (const choice of choices()) choice.checked = false;
  first = null;
  say("");
  preview();
}

// A rug by its two squares, or at once by the number between them; a direction by any square that it may lead to.
function point(event) {
  if (!choosing() || busy) return;
  // A drawing may have room to point at around each number; that room is for the squares, only the number itself counts.
  const badge = event.target.closest?.(".badge, .place:not(:has(.reach))")?.closest(".place"), square = squareAt(event);
  if (event.target.closest?.("a")) event.preventDefault();
  if (!laying()) {
    const row = [...choosing().querySelectorAll("tr[data-to]")].find((each) => each.dataset.path.split(" ").includes(square));
    choose(row?.closest(".way-choice").querySelector("input"));
  } else if (badge) choose(choices()[Number(badge.dataset.number) - 1]);
  else if (square) pointAtSquare(square);
}

function pointAtSquare(square) {
  const both = choices().find((choice) => first && first !== square && choice.value.split("-").sort().join() === [first, square].sort().join());
  if (both) return choose(both);
  const possible = choices().filter((choice) => choice.value.split("-").includes(square));
  undo();
  if (possible.length === 1) choose(possible[0]);
  else if (possible.length) {
    first = square;
    say(table().dataset.saySecond);
    preview();
  } else say(table().dataset.sayNowhere);
}

// Show a newer page; where the die has been rolled since, roll it and let Assam walk first.
async function turnTo(page, own) {
  const now = table().dataset, next = page.getElementById("table")?.dataset;
  if (!next) return say(page.querySelector("main .lead")?.textContent ?? now.sayOffline); // a refusal has a page of its own
  const rolled = next.roll !== "" && next.roll !== now.roll, moved = next.head !== now.head;
  // On a phone the button may be far below the board.
  if (own && moved) drawing()?.scrollIntoView({ block: "nearest", behavior: calm() ? "auto" : "smooth" });
  if (rolled) await roll(page);
  // What somebody is about to choose stays as it is while the game has not moved on.
  const keep = !moved && choosing() ? ["choose", "leave", "board"] : [];
  take(page, keep);
  scrollTalk();
  if (keep.length) return;
  season();
  first = null;
  say("");
  preview();
  if (own && moved) (choosing()?.querySelector("h2") ?? document.getElementById("status")).focus({ preventScroll: true });
}

const PIPS = [[], [[20, 20]], [[12, 12], [28, 28]], [[10, 10], [20, 20], [30, 30]], [[12, 12], [28, 12], [12, 28], [28, 28]]];

// While the die rolls it shows one face after the other.
function tumble(die) {
  const pips = die.querySelectorAll("circle");
  for (const pip of pips) pip.remove();
  for (const [cx, cy] of PIPS[pips.length % 4 + 1]) die.append(element("circle", { cx, cy, r: 4.2 }));
}

async function roll(page) {
  const fresh = page.querySelector("#happened .die");
  if (fresh && !calm() && !document.hidden) {
    const rolling = document.importNode(fresh, true), shelf = document.createElement("div"), words = document.createElement("p");
    rolling.classList.add("rolling");
    shelf.className = "roll";
    words.textContent = table().dataset.sayRolls;
    shelf.append(rolling, words);
    document.getElementById("happened").replaceChildren(shelf);
    sheet();
    const tumbling = setInterval(tumble, 120, rolling);
    tumble(rolling);
    await new Promise((done) => setTimeout(done, 750));
    clearInterval(tumbling);
    rolling.replaceWith(document.importNode(fresh, true));
  }
  await walk(page.querySelector("#board svg"));
}

async function send(event) {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented) return;
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

// Follow the game: often at first, then less and less, and seldom in a tab that nobody sees.
let wait = SOON, timer = null, missed = 0;

// Whether the server answers; who is about to play should know before he does, and once it is back.
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
      if ([401, 404, 410].includes(response.status)) return location.reload(); // the link or the table is gone: show why
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

document.addEventListener("click", (event) => {
  if (event.target.closest?.("#board svg")) point(event);
  else if (!event.target.closest?.("label, input")) choose(event.target.closest?.(".way-choice")?.querySelector("input"));
});
document.addEventListener("change", (event) => event.target.closest?.("form.choosing") && choose(chosen()));
document.addEventListener("reset", (event) => event.target.matches("form.choosing") && setTimeout(undo));
document.addEventListener("submit", send);
// Whoever is writing presses Escape for other reasons.
document.addEventListener("keydown", (event) => event.key === "Escape" && !event.target.matches("textarea") && choosing() && undo());
for (const [target, event] of [[document, "visibilitychange"], [window, "online"]]) {
  target.addEventListener(event, () => document.hidden || ((wait = SOON), follow()));
}
season();
localTimes();
keepSeat(table().dataset.table);
scrollTalk();
preview();
timer = setTimeout(follow, SOON);

// Marrakech at the table: point at the board instead of the list, and see the die roll and Assam walk.
import { choices, choose, choosing, chosen, hooks, isBusy, say, undo } from "../play.js";
import { calm } from "../live.js";
import { box, drawing, element, middle, sheet, squareAt, walk } from "./board.js";

const decision = () => choosing()?.querySelector("[data-choosing]")?.dataset ?? {};
const laying = () => decision().choosing === "places";

let first = null; // the first of the two squares that are pointed at

// What the choice would mean, on the board.
hooks.preview = () => {
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
};

hooks.reset = () => {
  first = null;
};

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

// A rug by its two squares, or at once by the number between them; a direction by any square that it may lead to.
function point(event) {
  if (!choosing() || isBusy()) return;
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
    say(decision().saySecond);
    hooks.preview();
  } else say(decision().sayNowhere);
}

const PIPS = [[], [[20, 20]], [[12, 12], [28, 28]], [[10, 10], [20, 20], [30, 30]], [[12, 12], [28, 12], [12, 28], [28, 28]]];

// While the die rolls it shows one face after the other.
function tumble(die) {
  const pips = die.querySelectorAll("circle");
  for (const pip of pips) pip.remove();
  for (const [cx, cy] of PIPS[pips.length % 4 + 1]) die.append(element("circle", { cx, cy, r: 4.2 }));
}

// Where the die has been rolled since, roll it and let Assam walk.
hooks.animate = async (page) => {
  const last = document.querySelector("#happened .roll")?.dataset.roll, next = page.querySelector("#happened .roll");
  if (!next || next.dataset.roll === last) return;
  const fresh = next.querySelector(".die");
  if (fresh && !calm() && !document.hidden) {
    const rolling = document.importNode(fresh, true), shelf = document.createElement("div"), words = document.createElement("p");
    rolling.classList.add("rolling");
    shelf.className = "roll";
    words.textContent = next.dataset.sayRolls;
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
};

document.addEventListener("click", (event) => {
  if (event.target.closest?.("#board svg")) point(event);
  else if (!event.target.closest?.("label, input")) choose(event.target.closest?.(".way-choice")?.querySelector("input"));
});
hooks.preview();

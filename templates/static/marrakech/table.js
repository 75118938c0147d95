// Marrakech at the table: point at the board instead of the list, and see the die roll and Assam walk.
import { choices, choose, choosing, chosen, hooks, isBusy, say, undo } from "../play.js";
import { calm } from "../live.js";
import { rattle, thud } from "../sounds.js";
import { box, drawing, element, middle, sheet, squareAt, walk } from "./board.js";

const decision = () => choosing()?.querySelector("[data-choosing]")?.dataset ?? {};
const laying = () => decision().choosing === "places";

let first = null; // the first of the two squares that are pointed at
let looked = null; // the direction that is looked at but not chosen

const direction = (name) => choices().find((choice) => choice.value === name);
const outcomes = (name) => [...document.querySelectorAll(`#outlook td[data-way="${name}"]`)];

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
    if (choice) {
      paper.append(element("rect", { class: "picked", ...box(choice.value.split("-")) }));
      say(choice.dataset.words);
    } else if (first) drawFirst(paper);
    return;
  }
  const shown = looked ?? choice?.value;
  for (const arrow of document.querySelectorAll("#board .turn")) {
    arrow.classList.toggle("chosen", arrow.dataset.way === choice?.value);
    arrow.classList.toggle("looked", arrow.dataset.way === shown);
  }
  if (shown) drawOutlook(paper, shown);
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

// The faces of the die on the squares that they lead to, each with what it costs.
function drawOutlook(paper, name) {
  const all = outcomes(name);
  for (const square of new Set(all.map((each) => each.dataset.to))) {
    const cells = all.filter((each) => each.dataset.to === square);
    const { x, y } = middle(square), due = cells[0].dataset.due, width = 15 * cells.length;
    paper.append(element("rect", { class: due === "0" ? "end" : "end costs", x: x - Math.max(width / 2 + 2, 15), y: y - 17, width: Math.max(width + 4, 30), height: 34, rx: 6 }));
    cells.forEach((cell, number) => {
      const die = cell.closest("tr").querySelector(".die").cloneNode(true);
      for (const [key, value] of Object.entries({ x: x - width / 2 + 15 * number + 1, y: y - 15, width: 13, height: 13 })) die.setAttribute(key, value);
      paper.append(die);
    });
    paper.append(element("text", { x, y: y + 12 }, due === "0" ? "0" : `−${due}`));
  }
}

function look(event) {
  const over = event.target.closest?.(".way-choice, #board .turn");
  const name = event.type === "focusin" && !event.target.matches(":focus-visible") ? null : over?.dataset.way ?? over?.querySelector("input").value ?? null;
  if (name === looked || isBusy()) return;
  looked = name;
  hooks.preview();
}

// A rug by its two squares, or at once by the number between them; a direction by any square that it may lead to.
function point(event) {
  if (!choosing() || isBusy()) return;
  // A drawing may have room to point at around each number; that room is for the squares, only the number itself counts.
  const badge = event.target.closest?.(".badge, .place:not(:has(.reach))")?.closest(".place"), square = squareAt(event);
  if (event.target.closest?.("a")) event.preventDefault();
  if (!laying()) {
    const onWay = (choice) => outcomes(choice.value).some((each) => each.dataset.path.split(" ").includes(square));
    choose(direction(event.target.closest?.(".turn")?.dataset.way) ?? choices().find(onWay));
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

async function roll(fresh) {
  const rolling = document.importNode(fresh, true);
  rolling.classList.add("rolling");
  document.getElementById("board").append(rolling);
  sheet();
  rattle();
  const tumbling = setInterval(tumble, 120, rolling);
  tumble(rolling);
  await new Promise((done) => setTimeout(done, 750));
  clearInterval(tumbling);
  const still = document.importNode(fresh, true);
  still.classList.add("rolled");
  rolling.replaceWith(still);
}

// Rugs that the newer drawing has and the one that is shown does not slide in.
function slideIn(page) {
  const known = new Set(Array.from(document.querySelectorAll("#board [data-rug]"), (rug) => rug.dataset.rug));
  const laid = [...page.querySelectorAll("#board [data-rug]")].filter((rug) => !known.has(rug.dataset.rug));
  for (const rug of laid) rug.classList.add("laid");
  if (laid.length) thud();
}

// Where the die has been rolled since, roll it and let Assam walk; then the rug comes.
hooks.animate = async (page) => {
  const last = document.querySelector("#happened .roll")?.dataset.roll, next = page.querySelector("#happened .roll");
  looked = null;
  if (next?.dataset.roll && next.dataset.roll !== last) {
    if (!calm() && !document.hidden) await roll(next.querySelector(".die"));
    else rattle();
    await walk(page.querySelector("#board svg"));
  }
  slideIn(page);
};

for (const moment of ["pointerover", "focusin"]) document.addEventListener(moment, look);
document.addEventListener("click", (event) => event.target.closest?.("#board svg") && point(event));
hooks.preview();

// Marrakech on the table page: choose on the board instead of the list, and animate the die and Assam.
import { choices, choose, choosing, chosen, hooks, isBusy, say } from "../play.js";
import { calm } from "../live.js";
import { element } from "../svg.js";
import { rattle, thud } from "./sounds.js";
import { box, drawing, middle, sheet, squareAt, walk } from "./board.js";

const decision = () => choosing()?.querySelector("[data-choosing]")?.dataset ?? {};
const laying = () => decision().choosing === "places";

let looked = null; // the direction that is looked at but not chosen

const direction = (name) => choices().find((choice) => choice.value === name);
const outcomes = (name) => [...document.querySelectorAll(`#outlook td[data-way="${name}"]`)];

// Preview the choice on the board.
hooks.preview = () => {
  const paper = sheet(), choice = chosen();
  drawing()?.classList.toggle("pointable", Boolean(choosing()));
  for (const place of document.querySelectorAll("#board .place")) {
    const name = choices()[Number(place.dataset.number) - 1]?.value;
    place.classList.toggle("chosen", Boolean(choice) && name === choice.value);
    place.classList.toggle("dim", Boolean(choice) && name !== choice.value);
  }
  if (laying()) {
    if (!choice) return;
    paper.append(element("rect", { class: "picked", ...box(choice.value.split("-")) }));
    return say(choice.dataset.words);
  }
  const shown = looked ?? choice?.value;
  for (const arrow of document.querySelectorAll("#board .turn")) {
    arrow.classList.toggle("chosen", arrow.dataset.way === choice?.value);
    arrow.classList.toggle("looked", arrow.dataset.way === shown);
  }
  if (shown) drawOutlook(paper, shown);
};

// The faces of the die on the squares that they lead to, each with what it costs.
function drawOutlook(paper, name) {
  const all = outcomes(name);
  for (const square of new Set(all.map((each) => each.dataset.to))) {
    const cells = all.filter((each) => each.dataset.to === square);
    const { x, y } = middle(square), due = cells[0].dataset.due, width = 15 * cells.length;
    paper.append(element("rect", { class: due === "0" ? "end" : "end costs", x: x - Math.max(width / 2 + 2, 15), y: y - 17, width: Math.max(width + 4, 30), height: 34, rx: 6 }));
    cells.forEach((cell, number) => {
      const die = element("g", { class: "die", transform: `translate(${x - width / 2 + 15 * number + 1} ${y - 15})scale(.325)` });
      die.append(...cell.closest("tr").querySelector(".die").cloneNode(true).childNodes);
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

// A direction by its arrow or by any square that it may lead to, a rug by a tap where its squares meet.
function point(event) {
  if (!choosing() || isBusy()) return;
  const square = squareAt(event);
  if (laying()) pointAtPlace(event.target.closest(".place"), square);
  else {
    const leadsThere = (choice) => outcomes(choice.value).some((each) => each.dataset.path.split(" ").includes(square));
    choose(direction(event.target.closest(".turn")?.dataset.way) ?? choices().find(leadsThere));
  }
}

// Beside the places, every tap on a square shows the next rug that can lie on it.
function pointAtPlace(place, square) {
  if (place) return choose(choices()[Number(place.dataset.number) - 1]);
  const possible = choices().filter((choice) => choice.value.split("-").includes(square));
  if (possible.length) choose(possible[(possible.indexOf(chosen()) + 1) % possible.length]);
  else if (square) say(decision().sayNowhere);
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

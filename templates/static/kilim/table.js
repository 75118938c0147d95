// Kilim on the table page: place pieces on the carpet by dragging, tapping or with keys, and reveal the cards.
import { choices, choose, choosing, chosen, hooks, isBusy, say, setBusy } from "../play.js";
import { calm } from "../live.js";
import { element } from "../svg.js";

const SIDE = 40, ROWS = 25;
const COLUMNS = "abcdefghijklmnopqrstuvwxy";
const WAYS = ["east", "south", "west", "north"];
const ARROWS = { ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowUp: [0, -1] };
const TOKENS = ["turn", "move", "remove"];

let held = null; // how the keys of the choices begin that the board offers now: `weave BE1`, `turn`, `move star`
let way = "east"; // the direction in which a domino is dragged
let dropped = -Infinity; // when a drag ended: the click that follows it is no tap

const drawing = () => document.querySelector("#board svg");
const squareNames = () => drawing()?.querySelector(".squares");
const hint = () => choosing()?.querySelector("[data-hint]")?.dataset ?? {};
const trays = () => [...(choosing()?.querySelectorAll("[data-tray]") ?? [])];

// Columns and rows are counted from the upper left corner of the loom.
const cell = (square) => ({ x: COLUMNS.indexOf(square[0]), y: ROWS - Number(square.slice(1)) });
const middle = (square) => ({ x: (cell(square).x + 0.5) * SIDE, y: (cell(square).y + 0.5) * SIDE });

// A choice that puts something on squares: what it begins with, and where; `remove BE1` has no squares.
function read(choice) {
  const words = choice.value.split(" ");
  const verb = words[0], piece = words[1] ?? "", squares = words[2]?.split("-") ?? [];
  return { choice, verb, piece, squares, stem: `${verb} ${piece}`, way: squares[1] ? between(...squares) : null };
}

function between(first, second) {
  const one = cell(first), two = cell(second);
  return WAYS[[[1, 0], [0, 1], [-1, 0], [0, -1]].findIndex(([x, y]) => two.x - one.x === x && two.y - one.y === y)];
}

const places = () => choices().filter((choice) => /^(weave|patch|turn|move|remove) /.test(choice.value)).map(read);
const offered = () => places().filter((place) => place.squares.length && held && `${place.stem} `.startsWith(`${held} `));
const current = () => { const choice = chosen(); return choice ? places().find((place) => place.choice === choice) : undefined; };

// A new, empty layer in the measure of the loom, below the transparent squares; it replaces the last one.
function layer() {
  const squares = squareNames();
  drawing()?.querySelector(".overlay")?.remove();
  const made = element("g", { class: "overlay", "aria-hidden": "true", transform: squares?.getAttribute("transform") ?? "" });
  squares?.before(made);
  return made;
}

function box(square, kind) {
  const { x, y } = cell(square);
  return element("rect", { class: kind, x: x * SIDE + 2, y: y * SIDE + 2, width: SIDE - 4, height: SIDE - 4, rx: 4 });
}

// Show what can be chosen on the board, and what is chosen.
hooks.preview = () => {
  const overlay = layer(), place = current();
  if (place) held = place.stem;
  else if (chosen()) held = null;
  else if (!held && !choosing()?.querySelector(".hand, .picks")) held = trays()[0]?.dataset.tray ?? null;
  for (const list of choosing()?.querySelectorAll(".tray-places") ?? []) list.open = true;
  for (const tray of trays()) tray.setAttribute("aria-pressed", String(isHeld(tray.dataset.tray)));
  nameButton();
  const turn = choosing()?.querySelector("[data-rotate]");
  if (turn) turn.hidden = !place || turned(place).length < 2;
  if (!held) return;
  for (const square of marked()) overlay.append(box(square, "free"));
  if (!place) return;
  choosing().closest("details")?.setAttribute("open", "");
  drawGhost(overlay, place);
  say(place.choice.closest("label").textContent.trim());
};

// The button says what happens to the piece that is held; otherwise what the question asks for.
function nameButton() {
  const button = choosing()?.querySelector(".confirm button"), tray = trays().find((each) => isHeld(each.dataset.tray));
  if (!button) return;
  button.dataset.asked ??= button.textContent;
  button.textContent = tray?.dataset.button ?? button.dataset.asked;
}

const isHeld = (tray) => Boolean(held) && `${held} `.startsWith(`${tray} `);

// The squares to tap: where the piece can go, or, for a token, the pieces that it can be used on.
function marked() {
  if (!TOKENS.includes(held)) return new Set(offered().flatMap((place) => place.squares));
  const pieces = new Set(places().filter((place) => place.verb === held).map((place) => place.piece));
  return new Set([...pieces].flatMap(squaresOf));
}

// The squares that a piece of the carpet covers.
function squaresOf(piece) {
  return JSON.parse(choosing()?.querySelector("[data-carpet]")?.dataset.carpet ?? "{}")[piece] ?? [];
}

function drawGhost(overlay, place) {
  if (TOKENS.includes(place.verb)) for (const square of squaresOf(place.piece)) overlay.append(box(square, "lifted"));
  if (!place.squares.length) return;
  const { x, y } = middle(place.squares[0]);
  const name = place.way ? `piece-${place.piece}-${place.way}` : `piece-scrap-${place.piece}`;
  const ghost = element("g", { class: "ghost", transform: `translate(${x} ${y})` });
  ghost.append(element("use", { href: `#${name}` }));
  overlay.append(ghost, ...place.squares.map((square) => box(square, "picked")));
}

// The same first half, turned: in clockwise order, beginning with the current one.
function turned(place) {
  const same = offered().filter((other) => other.stem === place.stem && other.squares[0] === place.squares[0] && other.way);
  const others = same.length > 1 ? same : offered().filter((other) => other.stem === place.stem && other.squares.some((square) => place.squares.includes(square)));
  return others.sort((one, other) => WAYS.indexOf(one.way) - WAYS.indexOf(other.way));
}

function rotate() {
  const place = current(), all = place ? turned(place) : [];
  pick(all[(all.findIndex((each) => each.choice === place.choice) + 1) % all.length]);
}

function pick(place) {
  if (!place) return;
  way = place.way ?? way;
  choose(place.choice);
}

// A tap on a square puts the piece there, or turns it if it is there already. With a token, it chooses the piece.
function tap(square) {
  const possible = offered().filter((place) => place.squares.includes(square));
  const token = TOKENS.find(isHeld), place = current();
  if (held === token || (token && !possible.length)) return lift(token, square);
  if (!possible.length) return say(hint().sayNowhere ?? "");
  const at = possible.findIndex((each) => each.choice === place?.choice);
  if (at >= 0) return pick(possible[(at + 1) % possible.length]);
  const first = possible.filter((each) => each.squares[0] === square);
  pick(first.find((each) => each.way === way) ?? first[0] ?? possible[0]);
}

// Choose the piece that a token is used on; where a scrap lies on a domino, the next tap means the other one.
function lift(token, square) {
  const under = places().filter((place) => place.verb === token && squaresOf(place.piece).includes(square));
  const pieces = [...new Set(under.map((place) => place.piece))];
  if (!pieces.length) return say(hint().sayPiece ?? "");
  const piece = pieces[(pieces.indexOf(held.split(" ")[1]) + 1) % pieces.length];
  held = `${token} ${piece}`;
  if (token === "move") return unpick(); // it has to go somewhere else first
  pick(places().find((place) => place.stem === held));
}

function unpick() {
  const choice = chosen();
  if (choice) choice.checked = false;
  hooks.preview();
}

// The nearest place in the direction of an arrow key; without one, the first.
function step([x, y]) {
  const place = current();
  if (!place?.squares.length) return pick(offered()[0]);
  const from = cell(place.squares[0]);
  const cost = (other) => {
    const to = cell(other.squares[0]), along = (to.x - from.x) * x + (to.y - from.y) * y;
    const across = Math.abs((to.x - from.x) * y) + Math.abs((to.y - from.y) * x);
    return along > 0 ? along + 2 * across + (other.way === place.way ? 0 : 0.5) : Infinity;
  };
  const best = offered().filter((other) => other.stem === place.stem).sort((one, other) => cost(one) - cost(other))[0];
  if (best && cost(best) < Infinity) pick(best);
}

// The loom's own measure of a point on the screen.
function onLoom(event) {
  const squares = squareNames();
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(squares.getScreenCTM().inverse());
}

function dragTo(event) {
  const point = onLoom(event);
  const far = (place) => {
    const ends = place.squares.map(middle), x = ends.reduce((sum, end) => sum + end.x, 0) / ends.length, y = ends.reduce((sum, end) => sum + end.y, 0) / ends.length;
    return Math.hypot(x - point.x, y - point.y) + (place.way === way || !place.way ? 0 : SIDE / 2);
  };
  const [best] = offered().sort((one, other) => far(one) - far(other));
  if (best && far(best) < 3 * SIDE) pick(best);
}

function startDrag(event) {
  const tray = event.target.closest?.("[data-tray]"), onGhost = event.target.closest?.(".squares") && current()?.squares.includes(event.target.dataset.square);
  if (!(tray || onGhost) || isBusy() || event.button > 0) return;
  if (tray) select(tray.dataset.tray);
  const start = { x: event.clientX, y: event.clientY };
  let moved = false;
  const move = (now) => {
    moved ||= Math.hypot(now.clientX - start.x, now.clientY - start.y) > 8;
    if (!moved) return;
    now.preventDefault();
    setBusy(true);
    dragTo(now);
  };
  const stop = () => {
    document.removeEventListener("pointermove", move);
    for (const end of ["pointerup", "pointercancel"]) document.removeEventListener(end, stop);
    if (moved) {
      setBusy(false);
      dropped = performance.now();
    }
  };
  document.addEventListener("pointermove", move, { passive: false });
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, stop);
}

// Take a piece or a token; what is placed already stays.
function select(tray) {
  if (isHeld(tray) && current()) return;
  held = tray;
  unpick();
  if (TOKENS.includes(tray)) say(hint().sayPiece ?? "");
}

function press(event) {
  if (!choosing() || isBusy() || event.target.matches("textarea, select, input:not([type=radio])")) return;
  const onCards = event.target.closest?.(".hand, .picks, details:not(.tray-places) summary");
  if (event.key in ARROWS && held && !onCards) {
    event.preventDefault();
    step(ARROWS[event.key]);
    chosen()?.focus({ preventScroll: true });
  } else if (event.key.toLowerCase() === "r" && current() && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    rotate();
  }
}

// Point at a line of the points to see its squares.
function explain(event) {
  const line = event.target.closest?.(".point");
  drawing()?.querySelector(".explained")?.remove();
  if (!line) return;
  const squares = squareNames();
  const made = element("g", { class: "explained", "aria-hidden": "true", transform: squares?.getAttribute("transform") ?? "" });
  made.append(...line.dataset.squares.split(" ").filter(Boolean).map((square) => box(square, "meant")));
  squares?.before(made);
}

const pause = (time) => new Promise((done) => setTimeout(done, time));

// The cards flip together, ties cancel, and the dominoes move to the winner.
hooks.animate = async (page) => {
  held = null;
  const next = page.querySelector("#happened .reveal"), last = document.querySelector("#happened .reveal");
  const isNew = next && (next.dataset.round !== last?.dataset.round || next.dataset.settled !== last?.dataset.settled);
  if (!isNew || calm() || document.hidden) return;
  document.querySelector("#happened .pieces")?.replaceWith(document.importNode(page.querySelector("#happened .pieces"), true));
  const shown = document.importNode(next, true), stage = document.createElement("div");
  stage.className = "stage";
  stage.append(shown);
  if (next.dataset.round !== last?.dataset.round) shown.classList.add("face-down");
  document.getElementById("board").append(stage);
  await pause(350);
  shown.classList.remove("face-down");
  await pause(800);
  if (next.dataset.settled) await award(shown);
  await pause(700);
  stage.remove();
};

async function award(shown) {
  shown.classList.add("counted");
  await pause(650);
  const card = shown.querySelector(".winner .turning")?.getBoundingClientRect();
  if (!card) return;
  const scale = shown.getBoundingClientRect().width / shown.offsetWidth; // the stage is drawn larger
  await Promise.all([...shown.querySelectorAll(".prize .piece")].map((piece) => {
    const from = piece.getBoundingClientRect();
    const x = card.x + card.width / 2 - from.x - from.width / 2, y = card.y - from.y - from.height / 2;
    return piece.animate([{ translate: "0 0" }, { translate: `${x / scale}px ${y / scale}px`, scale: ".7" }], { duration: 700, easing: "ease-in-out", fill: "forwards" }).finished;
  }));
}

document.addEventListener("pointerdown", startDrag);
document.addEventListener("click", (event) => {
  if (!choosing() || isBusy() || performance.now() - dropped < 100) return;
  const square = event.target.closest?.(".squares [data-square]")?.dataset.square;
  const tray = event.target.closest?.("[data-tray]");
  if (square) tap(square);
  else if (event.target.closest?.("[data-rotate]")) rotate();
  else if (tray && event.detail === 0) select(tray.dataset.tray); // by a key; a pointer has done it already
});
document.addEventListener("keydown", press);
for (const moment of ["pointerover", "focusin"]) document.addEventListener(moment, explain);
hooks.preview();

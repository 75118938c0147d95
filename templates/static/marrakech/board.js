// The board in the page: which square is where, what is drawn over it, and Assam's walk.
import { calm } from "../live.js";
import { element } from "../svg.js";

const SIDE = 40;
const FILES = "abcdefg";

export const drawing = () => document.querySelector("#board svg");

export function middle(square) {
  return { x: FILES.indexOf(square[0]) * SIDE + SIDE / 2, y: (7 - Number(square[1])) * SIDE + SIDE / 2 };
}

// The square under a pointer, in the drawing's own measure; null beside the board.
export function squareAt(event) {
  const svg = drawing();
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const file = Math.floor(point.x / SIDE), rank = 7 - Math.floor(point.y / SIDE);
  return file >= 0 && file < 7 && rank >= 1 && rank <= 7 ? FILES[file] + rank : null;
}

// A new, empty layer over the board; it replaces the last one.
export function sheet() {
  const svg = drawing();
  svg?.querySelector(".overlay")?.remove();
  const made = element("g", { class: "overlay", "aria-hidden": "true" });
  svg?.append(made);
  return made;
}

// The two squares of a rug as one box.
export function box(squares) {
  const [one, other] = squares.map(middle);
  const x = Math.min(one.x, other.x) - SIDE / 2, y = Math.min(one.y, other.y) - SIDE / 2;
  const width = Math.abs(one.x - other.x) + SIDE, height = Math.abs(one.y - other.y) + SIDE;
  return { x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 5 };
}

// Move Assam in the current drawing along the path of the next one, including the tracks.
export function walk(next, speed = 1) {
  const way = next?.querySelector(".way path"), assam = drawing()?.querySelector(".assam");
  if (!way || !assam || calm() || document.hidden) return Promise.resolve();
  const path = element("path", { d: way.getAttribute("d") });
  const length = path.getTotalLength(), time = Math.min(2600, 350 + length * 7) / speed;
  return new Promise((done) => {
    let start = null;
    const frame = (now) => {
      start ??= now;
      const along = Math.min(1, (now - start) / time) * length;
      const here = path.getPointAtLength(along), ahead = path.getPointAtLength(Math.min(length, along + 1));
      const behind = path.getPointAtLength(Math.max(0, along - 1));
      const angle = Math.atan2(ahead.y - behind.y, ahead.x - behind.x) * 180 / Math.PI;
      assam.setAttribute("transform", `translate(${here.x} ${here.y})rotate(${angle})`);
      if (along < length) requestAnimationFrame(frame);
      else done();
    };
    requestAnimationFrame(frame);
    setTimeout(done, time + 1500); // a tab that goes to the back gets no frames
  });
}

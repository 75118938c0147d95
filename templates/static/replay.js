// The replay: plays turn by turn, pauses, and goes to any step without leaving the page.
import { calm, fetched, localTimes, take, wayBack } from "./live.js";

// A hook for a game's own script: animate what happened up to a newer page. It gets that page, the types of
// the events, and how many times faster than usual.
export const hooks = { animate: async () => {} };

const PAUSE = 1400;
const replay = () => document.getElementById("replay").dataset;
const slider = document.getElementById("step"), button = document.getElementById("play"), link = document.querySelector(".keep input");
const query = (step) => `?${slider.name}=${step}`;
const at = () => Number(replay().step), last = () => Number(replay().last);
const speed = () => Number(document.getElementById("speed").value);
let playing = false, wanted = null, going = false;

// Only the newest request counts: dragging the slider passes over many steps.
async function go(step, animated = false) {
  wanted = step;
  if (going) return;
  going = true;
  try {
    while (wanted !== null && wanted !== at()) {
      const goal = wanted;
      const { page } = await fetched(query(goal));
      if (animated) await hooks.animate(page, newKinds(page, goal - at()), playing ? speed() : 1);
      if (wanted === goal) show(page, goal);
    }
  } catch {
    stop();
    document.querySelector("#status p").textContent = replay().sayOffline;
  } finally {
    going = false;
    wanted = null;
  }
}

// The types of the last events, as many as have happened between the two pages.
function newKinds(page, count) {
  return page.getElementById("replay").dataset.kinds.split(" ").slice(-count);
}

function show(page, step) {
  const focused = document.activeElement?.closest?.("#steps a"), name = focused?.className + focused?.ariaLabel;
  take(page);
  slider.value = step;
  if (link) link.value = link.value.replace(/\?.*$/, query(step));
  history.replaceState(null, "", query(step));
  // The keyboard's focus stays on the same button.
  if (focused) [...document.querySelectorAll("#steps a")].find((each) => each.className + each.ariaLabel === name)?.focus();
}

function stop() {
  playing = false;
  button.textContent = button.dataset.sayPlay;
}

async function play() {
  playing = true;
  button.textContent = button.dataset.sayPause;
  if (at() === last()) await go(0);
  while (playing && at() < last()) {
    await go(Number(replay().after), true);
    await new Promise((done) => setTimeout(done, PAUSE / speed()));
  }
  stop();
}

button.addEventListener("click", () => (playing ? stop() : play()));
slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });
document.addEventListener("click", (event) => {
  const way = event.target.closest?.("a[data-step]");
  if (!way || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  stop();
  const step = Number(way.dataset.step);
  go(step, step > at() && step <= Number(replay().after));
  if (!way.closest("#steps")) document.getElementById("replay").scrollIntoView({ behavior: calm() ? "auto" : "smooth" });
});
// The arrow keys go turn by turn, with Shift event by event.
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select") || event.ctrlKey || event.altKey || event.metaKey) return;
  const forward = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
  if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
  stop();
  if (event.key === forward) go(Number(event.shiftKey ? replay().following : replay().after), true);
  else go(Number(event.shiftKey ? replay().previous : replay().before));
});
localTimes();
wayBack();

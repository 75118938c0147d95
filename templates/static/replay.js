// The replay: plays by itself, stops, and goes to any step without leaving the page.
import { fetched, localTimes, take, wayBack } from "./live.js";

// What a game's own script puts in: how the step to a newer page is animated.
export const hooks = { animate: async () => {} };

const PAUSE = 900;
const reel = () => document.getElementById("replay").dataset;
const slider = document.getElementById("step"), button = document.getElementById("play");
const at = () => Number(reel().step), last = () => Number(reel().last);
let playing = false, wanted = null, going = false;

// Only the newest wish counts: whoever pulls the slider passes over many steps.
async function go(step, walking = false) {
  wanted = step;
  if (going) return;
  going = true;
  try {
    while (wanted !== null && wanted !== at()) {
      const goal = wanted;
      const { page } = await fetched(`?step=${goal}`);
      if (walking) await hooks.animate(page);
      if (wanted === goal) show(page, goal);
    }
  } catch {
    stop();
    document.querySelector("#status p").textContent = reel().sayOffline;
  } finally {
    going = false;
    wanted = null;
  }
}

function show(page, step) {
  const name = document.activeElement?.dataset?.step === undefined ? null : document.activeElement.textContent.trim();
  take(page);
  slider.value = step;
  history.replaceState(null, "", `?step=${step}`);
  // Who goes on with the keyboard stays on the same button.
  if (name) [...document.querySelectorAll("#steps a")].find((each) => each.textContent.trim() === name)?.focus();
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
    await go(at() + 1, true);
    await new Promise((done) => setTimeout(done, PAUSE));
  }
  stop();
}

button.addEventListener("click", () => (playing ? stop() : play()));
slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-step]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  stop();
  go(Number(link.dataset.step), link.rel === "next");
});
document.addEventListener("keydown", (event) => {
  if (event.target === slider || event.ctrlKey || event.altKey || event.metaKey) return;
  const onward = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
  const way = { ArrowLeft: -1, ArrowRight: -1, [onward]: 1 }[event.key];
  if (way) { stop(); go(Math.max(0, Math.min(last(), at() + way)), way > 0); }
});
localTimes();
wayBack();

// In a replay Assam walks where an event moved him.
import { hooks } from "../replay.js";
import { walk } from "./board.js";

hooks.animate = async (page) => {
  if (page.getElementById("replay")?.dataset.kind === "moved") await walk(page.querySelector("#board svg"));
};

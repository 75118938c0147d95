// In a replay Assam walks where an event moved him.
import { hooks } from "../replay.js";
import { walk } from "./board.js";

hooks.animate = async (page, kinds, speed) => {
  if (kinds.includes("moved")) await walk(page.querySelector("#board svg"), speed);
};

// The replay: Assam walks when an event moves him.
import { hooks } from "../replay.js";
import { walk } from "./board.js";

hooks.animate = async (page, kinds, speed) => {
  if (kinds.includes("moved")) await walk(page.querySelector("#board svg"), speed);
};

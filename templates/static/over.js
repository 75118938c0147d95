// The end of a game.
import { localTimes, wayBack } from "./live.js";

localTimes();
wayBack();

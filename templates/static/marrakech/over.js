// The end of a game: the browser checks every roll.
import { giveVerdict } from "../verdict.js";

const DIE = [1, 2, 2, 3, 3, 4];

giveVerdict(async (chance, record, say) => {
  const rolls = record.events.filter((each) => each.type === "rolled");
  for (const [number, event] of rolls.entries()) {
    const face = DIE[await chance.below(chance.bytes(`roll/${event.roll}/${event.salt}`), DIE.length)];
    if (event.roll !== number || face !== event.die) return `${say.sayWrong} ${number}.`;
  }
  return null;
});

// The end of a game: the browser draws the piles again and compares them with the dominoes that were revealed.
import { giveVerdict } from "../verdict.js";

const LETTERS = [..."BEHST"], TORN = { 2: [1, 1, 0], 3: [1, 1, 1], 4: [2, 1, 1], 5: [2, 2, 1] };
const PAIRS = LETTERS.flatMap((one, place) => LETTERS.slice(place).map((other) => one + other));

async function draw(chance, seats) {
  const size = seats === 2 ? 10 : 15, piles = [], aside = [];
  let torn = await chance.shuffle("torn", LETTERS.map((letter) => `${letter}X`));
  for (const [place, count] of TORN[seats].entries()) {
    const group = place + 1, dominoes = await chance.shuffle(`group-${group}`, PAIRS.map((pair) => pair + group));
    piles.push(await chance.shuffle(`pile-${group}`, [...dominoes.slice(0, size - count), ...torn.slice(0, count)]));
    aside.push(dominoes.slice(size - count));
    torn = torn.slice(count);
  }
  return { piles, aside: [...aside, torn] };
}

giveVerdict(async (chance, record, say) => {
  const drawn = await draw(chance, record.seats.length), started = record.events.find((event) => event.type === "started");
  if (JSON.stringify([started.piles, started.aside]) !== JSON.stringify([drawn.piles, drawn.aside])) return say.sayPiles;
  const order = drawn.piles.flat();
  const wrong = record.events.find((event) => event.type === "revealed" && event.domino !== order[event.round - 1]);
  return wrong ? `${say.sayWrong} ${wrong.round}.` : null;
});

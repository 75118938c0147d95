// The end of a game: the browser checks every roll, as docs/dice.md describes.
const DIE = [1, 2, 2, 3, 3, 4];
const verdict = document.getElementById("verdict");

const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

async function rolled(key, game, event) {
  for (let block = 0; ; block += 1) {
    const message = new TextEncoder().encode(`${game}/roll/${event.roll}/${event.salt}/${block}`);
    const found = new Uint8Array(await crypto.subtle.sign("HMAC", key, message)).find((byte) => byte < 252);
    if (found !== undefined) return DIE[found % 6];
  }
}

async function check() {
  if (!globalThis.crypto?.subtle) return tell(verdict.dataset.sayCannot, "");
  tell(verdict.dataset.sayWorking, "");
  const record = await (await fetch(verdict.dataset.record)).json(), seed = bytes(record.dice.seed);
  if (hex(await crypto.subtle.digest("SHA-256", seed)) !== record.dice.commitment) return tell(verdict.dataset.saySeed, "wrong");
  const key = await crypto.subtle.importKey("raw", seed, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const rolls = record.events.filter((each) => each.type === "rolled");
  for (const [number, event] of rolls.entries()) {
    const right = event.roll === number && await rolled(key, record.id, event) === event.die;
    if (!right) return tell(`${verdict.dataset.sayWrong} ${number}.`, "wrong");
  }
  tell(verdict.dataset.sayRight, "right");
}

function tell(words, state) {
  verdict.textContent = words;
  verdict.className = state;
}

check().catch(() => tell(verdict.dataset.sayFailed, ""));

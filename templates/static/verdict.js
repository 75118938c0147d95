// The end of a game: the browser computes everything that was left to chance again, as docs/dice.md describes.
const verdict = document.getElementById("verdict");

const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

function tell(words, state = "") {
  verdict.textContent = words;
  verdict.className = state;
}

// Chance that follows from the seed of a game.
class Chance {
  constructor(key, game) {
    this.key = key;
    this.game = game;
  }

  // The bytes of HMAC-SHA256 with the seed as key over `GAME/LABEL/k`, for k = 0, 1, 2, …
  async *bytes(label) {
    for (let block = 0; ; block += 1) {
      const message = new TextEncoder().encode(`${this.game}/${label}/${block}`);
      yield* new Uint8Array(await crypto.subtle.sign("HMAC", this.key, message));
    }
  }

  async below(stream, bound) {
    for (;;) {
      const { value } = await stream.next();
      if (value < 256 - (256 % bound)) return value % bound;
    }
  }

  async shuffle(label, items) {
    const order = [...items], stream = this.bytes(`shuffle/${label}`);
    for (let place = order.length - 1; place > 0; place -= 1) {
      const other = await this.below(stream, place + 1);
      [order[place], order[other]] = [order[other], order[place]];
    }
    return order;
  }
}

// Check the seed, then what `check` computes from it: it gets the chance and the record, and returns what is wrong.
export async function giveVerdict(check) {
  try {
    if (!globalThis.crypto?.subtle) return tell(verdict.dataset.sayCannot);
    tell(verdict.dataset.sayWorking);
    const record = await (await fetch(verdict.dataset.record)).json(), seed = bytes(record.dice.seed);
    if (hex(await crypto.subtle.digest("SHA-256", seed)) !== record.dice.commitment) return tell(verdict.dataset.saySeed, "wrong");
    const key = await crypto.subtle.importKey("raw", seed, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const wrong = await check(new Chance(key, record.id), record, verdict.dataset);
    tell(wrong ?? verdict.dataset.sayRight, wrong ? "wrong" : "right");
  } catch {
    tell(verdict.dataset.sayFailed);
  }
}

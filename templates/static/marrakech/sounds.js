// Optional sounds, made by the browser; off until the player turns them on in this browser.
const KEY = "sounds";
const toggle = document.getElementById("sounds");
let audio = null;

try { if (toggle) toggle.checked = localStorage.getItem(KEY) === "on"; } catch { /* storage is blocked */ }

// A short burst of filtered noise: high is a click, low is a thud.
function burst(after, length, frequency, volume) {
  if (!toggle?.checked || document.hidden) return;
  audio ??= new AudioContext();
  const start = audio.currentTime + after, samples = Math.ceil(audio.sampleRate * length);
  const buffer = audio.createBuffer(1, samples, audio.sampleRate), data = buffer.getChannelData(0);
  for (let at = 0; at < samples; at++) data[at] = (Math.random() * 2 - 1) * (1 - at / samples) ** 3;
  const source = new AudioBufferSourceNode(audio, { buffer });
  source.connect(new BiquadFilterNode(audio, { type: "lowpass", frequency }))
    .connect(new GainNode(audio, { gain: volume })).connect(audio.destination);
  source.start(start);
}

export function rattle() {
  for (const [after, volume] of [[0, .3], [.13, .4], [.24, .3], [.38, .4], [.5, .25], [.66, .2]]) burst(after, .05, 2400, volume);
}

export function thud() {
  burst(0, .22, 320, .9);
}

toggle?.addEventListener("change", () => {
  try { localStorage.setItem(KEY, toggle.checked ? "on" : "off"); } catch { /* storage is blocked */ }
  thud();
});

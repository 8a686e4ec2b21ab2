// Signs beyond the page's own face: title, icon, a sound, and words for who listens instead of looking.

import { lang } from "./lang.js";
import { settings } from "./store.js";

let sounding = null;

// Two soft notes; browsers allow it once the page was touched.
export function beep() {
  try {
    sounding ??= new AudioContext();
    [660, 880].forEach((pitch, n) => {
      const tone = sounding.createOscillator();
      const volume = sounding.createGain();
      const start = sounding.currentTime + n * 0.14;
      tone.frequency.value = pitch;
      volume.gain.setValueAtTime(0.0001, start);
      volume.gain.exponentialRampToValueAtTime(0.15, start + 0.02);
      volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.13);
      tone.connect(volume).connect(sounding.destination);
      tone.start(start);
      tone.stop(start + 0.14);
    });
  } catch {
    // No sound here; the title and the icon tell as well.
  }
}

// A word from the machine itself, for who looks at something else. Browsers give it to pages over TLS and on this machine.
export const mayKnock = () => "Notification" in globalThis && isSecureContext;

export function knock(text) {
  if (!settings.knock || !document.hidden || !mayKnock() || Notification.permission !== "granted") return;
  try {
    const note = new Notification(text, { tag: "parlor" });
    note.onclick = () => (focus(), note.close());
  } catch {
    // Phones want a worker for this; the title and the icon tell as well.
  }
}

const icon = (isMine) =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${isMine ? "#c4521f" : "#1d5c4a"}"/>${isMine ? '<path d="M13 5h6l-1 14h-4zM13.5 22h5v5h-5z" fill="#fff"/>' : '<g fill="#fff"><circle cx="10" cy="10" r="3"/><circle cx="22" cy="22" r="3"/><circle cx="16" cy="16" r="3"/></g>'}</svg>`,
  )}`;

export const showTheme = () => (document.documentElement.dataset.theme = settings.theme);

let was = null;

export function showTurn(isMine, title) {
  if (document.title !== title) document.title = title;
  if (was !== isMine) document.getElementById("icon").href = icon(isMine);
  was = isMine;
}

// Lines that are said in one breath; who is further behind than so many is told how many the log has instead.
const BREATH = 3;
const BEHIND = 15;
// A breath begins after so long, and one more letter takes so much longer to hear.
const PAUSE = 1200;
const LETTER = 50;

let told = 0;
let asked = "";
let waiting = 0;
// Until when the last breath is heard.
let speaking = 0;

// Every line of the log once and in its order, then what is asked (`status()` says it), as quickly as somebody can listen.
export function announce(session, status) {
  if (waiting || (session.logged === told && status() === asked)) return;
  waiting = setTimeout(() => {
    waiting = 0;
    const fresh = session.log.filter((line) => line.number > told);
    const skipped = fresh.length > BEHIND ? fresh.length - BREATH : 0;
    const lines = fresh.slice(skipped, skipped + BREATH);
    told = lines.at(-1)?.number ?? session.logged;
    if (told === session.logged) asked = status();
    const words = [
      skipped > 0 && lang.moreInLog(skipped),
      ...lines.map((line) => line.text),
      told === session.logged && asked,
    ];
    const text = words.filter(Boolean).join(" ");
    document.getElementById("says").textContent = text;
    speaking = performance.now() + text.length * LETTER;
    announce(session, status);
  }, PAUSE + Math.max(0, speaking - performance.now()));
}

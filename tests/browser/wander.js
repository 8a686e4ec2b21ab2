// A player of Merchant of Venus who presses whatever its page shows, for the tests.

// What a page asks of its player, by the buttons it shows; "" while others are asked.
function asked() {
  const shown = (what) => document.querySelector(`.actions ${what}`) !== null;
  const says = (text) => [...document.querySelectorAll(".actions button")].some((one) => one.textContent.startsWith(text));
  if (shown(".replay")) return "the end";
  if (says("So be it")) return "switches";
  if (says("Keep them all")) return "mulligan";
  if (says("Take it")) return "relic";
  if (says("End my turn")) return "trade";
  if (document.querySelector(".actions .row .die")) return "number";
  if (says("Stay here") || says("Stop here") || shown(".step-button")) return "move";
  return "";
}

// Counts what the page has said and heard.
function wired() {
  const wire = (globalThis.wire = { said: 0, heard: 0 });
  globalThis.WebSocket = class extends WebSocket {
    constructor(...where) {
      super(...where);
      this.addEventListener("message", () => (wire.heard += 1));
    }
    send(data) {
      wire.said += 1;
      super.send(data);
    }
  };
}

// Plays at the page by its own buttons, as quickly as it is asked, until something is asked that is not in `known`: then it
// stops and says what. It wanders about and buys what it can, so that much is asked.
function wander(known) {
  return new Promise((done) => {
    let bought = 0;
    // What was heard and seen when something was said that is not answered yet, or not drawn yet.
    let asking = null;
    let frames = 0;
    const { wire } = globalThis;
    // But for who is gone just now.
    const screen = () => [...document.querySelectorAll(".actions > :not(.vote)")].map((one) => one.textContent).join("");
    const press = (one) => {
      const { said, heard } = wire;
      const seen = screen();
      one?.click();
      if (wire.said > said) [asking, frames] = [{ heard, seen }, 0];
    };
    // An answer shows within some frames, unless it was a refusal.
    const isAnswered = () => {
      if (asking && wire.heard > asking.heard && (screen() !== asking.seen || frames > 60)) asking = null;
      return asking === null;
    };
    const count = () => ((frames += 1), requestAnimationFrame(count));
    count();
    const all = (what) => [...document.querySelectorAll(`.actions ${what}`)].filter((one) => !one.disabled);
    const named = (text) => all("button").find((one) => one.textContent.startsWith(text));
    const act = () => {
      // Nobody presses twice before the server has answered.
      if (!isAnswered()) return;
      const what = globalThis.asked();
      if (what === "") return;
      if (!known.includes(what)) {
        clearInterval(timer);
        return done(what);
      }
      // What is on the screen decides, and no clock: the same seed is the same game.
      const taste = [...screen()].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7) >>> 4;
      if (what === "switches") press(named("So be it"));
      else if (what === "mulligan") press(named("Keep them all"));
      else if (what === "relic") press(named("Take it"));
      else if (what === "number") press(all(".row .die")[0]);
      else if (what === "trade") {
        const buy = bought < 2 && (named("Deliver") ?? named("Sell") ?? named("Buy"));
        bought = buy ? bought + 1 : 0;
        press(buy || named("End my turn"));
      } else {
        const steps = all(".step-button");
        const stop = named("Stop here") ?? named("Stay here");
        // To go on is better than to stay; where there is a city one stops now and then.
        const isPlace = stop && /City|port|Landing|Base|Station|city/.test(stop.textContent);
        const isRelic = stop && /^Stop.*Asteroid with/.test(stop.textContent);
        // Relics and closed boxes lead to more questions.
        const best = steps.find((one) => /Asteroid with|\? box|Asteroid/.test(one.textContent));
        if (steps.length === 0 || isRelic || (isPlace && taste % 3 === 0 && stop.textContent.startsWith("Stop"))) press(stop ?? steps[0]);
        else press(best ?? steps[taste % steps.length]);
      }
    };
    const timer = setInterval(act, 15);
  });
}

// Before a page is loaded: it can wander then.
export const prepare = (page) => page.addInitScript(`globalThis.asked = ${asked}; globalThis.wander = ${wander}; (${wired})();`);

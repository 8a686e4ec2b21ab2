// The front door and a table of each game on three screens, in light and dark, for people to look at: `tests/parts/browser
// screens` leaves the pictures in shots/screen-*. Whatever can be told without eyes the other tests ask.

import { phone } from "./eyes.js";
import { openTab, ready, status } from "./hands.js";
import { Server, person, scene, shot } from "./stage.js";

const SCREENS = {
  phone: { ...phone, viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
  laptop: { viewport: { width: 1366, height: 768 } },
  wide: { viewport: { width: 1920, height: 1080 } },
};

async function both(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await shot(page, `screen-${name}-${colorScheme}`);
  }
}

for (const [screen, options] of Object.entries(SCREENS)) {
  scene(`on a ${screen}`, async () => {
    const server = await Server.start("--claim-grace", "0", "--vote-pause", "0", "--lan");
    const url = `http://127.0.0.1:${server.http.split(":").pop()}`;
    const page = await person(options);
    const door = async (game) => {
      await page.goto(url);
      await page.getByRole("link", { name: `Play ${game} against bots` }).waitFor();
    };
    await door("Monopoly");
    await both(page, `${screen}-first`);
    await page.getByLabel("Your name").fill("Ann");

    await page.getByRole("link", { name: "Play Monopoly against bots" }).click();
    await status(page, /Your turn/);
    for (let n = 0; n < 6; n++) {
      await ready(page.locator(".actions button.primary:not(:disabled)").first());
      await page.locator(".actions button.primary:not(:disabled)").first().click();
      await status(page, /Your turn|may buy|free|Income|again|jail|Settle/);
    }
    await both(page, `${screen}-monopoly`);
    for (const tab of ["Yours", "Deals", "Log"]) {
      await openTab(page, tab);
      if (screen === "phone") await both(page, `${screen}-monopoly-${tab.toLowerCase()}`);
    }
    await page.getByRole("button", { name: "Menu" }).click();
    await both(page, `${screen}-menu`);

    await door("Scotland Yard");
    await page.getByRole("link", { name: "Play Scotland Yard against bots" }).click();
    await status(page, "Your turn: move Mr. X.");
    await page.locator(".stations button").first().click();
    await ready(page.locator(".choice .ticket").first());
    await both(page, `${screen}-yard`);

    await door("Merchant of Venus");
    await page.getByRole("link", { name: "Play Merchant of Venus against bots" }).click();
    await ready(page.locator(".actions button.primary, .actions .step-button").first());
    await both(page, `${screen}-venus`);

    await door("Monopoly");
    await page.locator(".tables .table-card").nth(2).waitFor();
    await both(page, `${screen}-front`);
    await page.goto(`${url}/yard`);
    await page.getByRole("heading", { name: "New game" }).waitFor();
    await both(page, `${screen}-lobby`);
    await page.goto(`${url}/pimp`);
    await page.locator(".table-card").first().waitFor();
    await both(page, `${screen}-tables`);
  });
}

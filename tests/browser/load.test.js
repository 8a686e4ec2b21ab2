// How a page comes over a slow network: what it waits for, in round trips, and what a second visit asks for.

import assert from "node:assert/strict";
import { Chromium } from "./devtools.js";
import { Server, scene } from "./stage.js";

// What the tools of browsers call slow 3G, but for the 400 ms a round trip that were measured there.
const SLOW = { offline: false, latency: 400, downloadThroughput: 50000, uploadThroughput: 50000 };
const PAGES = { "/": ".games:not(:has(.about:empty))", "/pimp": ".hero", "/yard": ".hero", "/venus": ".hero" };

// Where files stand that never change.
const VERSION = /^\/[0-9a-f]{12}\//;

const paints = (page) =>
  page.run(
    () =>
      new Promise((done) => {
        const look = (entries) => {
          const first = entries.find(({ name }) => name === "first-contentful-paint");
          if (first) done(Math.round(first.startTime));
        };
        new PerformanceObserver((list) => look(list.getEntries())).observe({ type: "paint", buffered: true });
      }),
  );

async function visitor() {
  const page = await new Chromium().page({ width: 390, height: 844, init: "" });
  await page.send("Network.enable");
  return page;
}

// Goes there, and tells what was asked for until it was drawn: { path, status, isKept }.
async function visit(page, url, selector) {
  const asked = new Map();
  const learn = (id, what) => asked.set(id, { ...asked.get(id), ...what });
  page.on("Network.requestWillBeSent", ({ requestId, request }) => learn(requestId, { path: new URL(request.url).pathname }));
  page.on("Network.requestServedFromCache", ({ requestId }) => learn(requestId, { isKept: true }));
  page.on("Network.responseReceived", ({ requestId, response: { status, fromDiskCache } }) =>
    learn(requestId, fromDiskCache ? { status, isKept: true } : { status }),
  );
  await page.send("Page.navigate", { url });
  assert.ok(await page.wait(selector), `${url}: ${selector}`);
  return [...asked.values()];
}

scene("a page is painted before its scripts are there, and names everything at once", async () => {
  // The folder's files are neither one script nor of a version.
  if (process.env.PARLOR_WEB) return;
  const server = await Server.start();
  for (const [path, drawn] of Object.entries(PAGES)) {
    const page = await visitor();
    // Scripts are held back until the page was painted.
    const held = [];
    page.on("Fetch.requestPaused", ({ requestId }) => held.push(requestId));
    await page.send("Fetch.enable", { patterns: [{ urlPattern: "*.js" }] });
    page.send("Page.navigate", { url: server.url + path });
    await page.wait("body h1");
    await paints(page);
    assert.ok(!(await page.wait(drawn, { limit: 0 })), `${path}: nothing was drawn by a script`);
    // The page's own script and both tables of words, and whatever else it needs: none waits for another one.
    while (held.length < 3) await page.wait("body");
    for (const requestId of held.splice(0)) page.send("Fetch.continueRequest", { requestId });
    assert.ok(await page.wait(drawn), `${path} is drawn`);
    assert.deepEqual(held, [], `${path}: a script that only another script names`);
  }
});

// As Chromium reads what the pages say of themselves.
scene("every page can be installed", async () => {
  if (process.env.PARLOR_WEB) return;
  const server = await Server.start();
  const page = await visitor();
  for (const [path, drawn] of Object.entries(PAGES)) {
    await page.send("Page.navigate", { url: server.url + path });
    assert.ok(await page.wait(drawn), path);
    const { errors, manifest } = await page.send("Page.getAppManifest");
    const { name, startUrl, scope, display, preferRelatedApplications, icons } = manifest;
    const front = `${server.url}/`;
    assert.deepEqual(
      { errors, name, startUrl, scope, display, preferRelatedApplications },
      { errors: [], name: "parlor", startUrl: front, scope: front, display: "kStandalone", preferRelatedApplications: false },
      path,
    );
    assert.ok(await page.run(() => isSecureContext), path);
    // A picture of any size, which is drawn.
    const [icon] = icons;
    assert.deepEqual([icons.length, icon.type], [1, "image/svg+xml"]);
    const draws = async (src) => {
      const image = Object.assign(new Image(), { src });
      await image.decode();
      return image.naturalWidth > 0;
    };
    assert.ok(await page.run(draws, icon.url), path);
    // What else a Chromium with windows has against it, but that these visitors are private; one without never has anything.
    const { installabilityErrors } = await page.send("Page.getInstallabilityErrors");
    assert.deepEqual(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito"), [], path);
  }
});

scene("over a slow network: the figures, and a second visit that asks for nothing that it has", async () => {
  // The folder's files are neither one script nor of a version.
  if (process.env.PARLOR_WEB) return;
  const server = await Server.start();
  for (const [path, drawn] of Object.entries(PAGES)) {
    const page = await visitor();
    await page.send("Network.emulateNetworkConditions", SLOW);
    const told = [];
    for (const visits of ["first", "second"]) {
      const asked = await visit(page, server.url + path, drawn);
      const seen = await paints(page);
      const whole = Math.round(await page.run(() => performance.now()));
      const sent = asked.filter(({ isKept }) => !isKept).length;
      told.push(`${visits} visit: ${sent} answers, painted after ${seen} ms, ${(seen / SLOW.latency).toFixed(1)} round trips, drawn by ${whole} ms`);
      assert.deepEqual(asked.filter(({ status }) => status === 304), [], `${path}, ${visits} visit`);
      if (visits === "second")
        assert.deepEqual(asked.filter(({ path, isKept }) => VERSION.test(path) && !isKept), [], `${path}: kept already`);
      await page.send("Page.navigate", { url: "about:blank" });
    }
    console.log(`# ${path} ${told.join("; ")}`);
  }
});

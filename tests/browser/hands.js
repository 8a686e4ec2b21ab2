// What a person does at the page, for the tests.

// Presses a button among the actions.
export async function act(page, name) {
  await page
    .locator(".actions")
    .getByRole("button", typeof name === "string" ? { name, exact: true } : { name })
    .click();
}

// What is asked, in words.
export async function status(page, text) {
  await page.locator("#status").filter({ hasText: text }).waitFor();
}

// A line of the log, even where the log is not open.
export async function says(page, text) {
  const line = text instanceof RegExp ? text : new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
  await page.locator(".log button").filter({ hasText: line }).first().waitFor({ state: "attached" });
}

export async function openTab(page, name) {
  const tab = page.locator(".tabs").getByRole("button", { name });
  if (await tab.isVisible()) await tab.click();
}

// A setting, by the menu.
export async function settle(page, label, on) {
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByLabel(label).setChecked(on);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
}

// Switches "claim for me" off, to claim by hand.
export async function quiet(page) {
  await settle(page, "Claim rent and salary for me", false);
}

// Waits until a player is seen to have so much.
export async function has(page, name, cash) {
  await openTab(page, "Players");
  const sum = `$${cash.toLocaleString("en")}`;
  await page.locator(".player", { hasText: name }).locator(".cash").filter({ hasText: sum }).waitFor();
}

// Until something is so in a page. Playwright's own way evaluates text there, which the page's policy forbids.
export async function until(page, isSo, given) {
  while (!(await page.evaluate(isSo, given))) await page.waitForTimeout(50);
}

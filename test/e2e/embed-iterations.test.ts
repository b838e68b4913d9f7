/** A run that works on each element of a list, in both products: the gallery of a widget, and the canvas of the editor. */
import "../support/only-in-proof.ts";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { newPage, visitEditor } from "../support/node/editor-page.ts";
import { openBrowser } from "../support/node/open-browser.ts";
import { type SharedService, sharedService } from "../support/node/shared-service.ts";

/** More than a gallery shows at once. */
const ELEMENTS = 65;
const SHOWN_AT_ONCE = 60;
/** The element that fails. */
const WRONG = 3;

const VALUES = Array.from({ length: ELEMENTS }, (_, at) => (at === WRONG ? "none" : String(at)));
const DEFINITION = {
  nodes: [
    {
      id: "list",
      type: "input/json_value",
      label: "list",
      parameters: {},
      position: { x: 0, y: 0 },
    },
    { id: "each", type: "enumerate/json", parameters: {}, position: { x: 260, y: 0 } },
    { id: "number", type: "utility/to_number", parameters: {}, position: { x: 520, y: 0 } },
    {
      id: "out",
      type: "output/json",
      label: "Numbers",
      parameters: { key: "numbers" },
      position: { x: 780, y: 0 },
    },
  ],
  connections: [
    { from: { node: "list", port: "json" }, to: { node: "each", port: "json" } },
    { from: { node: "each", port: "item" }, to: { node: "number", port: "value" } },
    { from: { node: "number", port: "number" }, to: { node: "out", port: "json" } },
  ],
};

let service: SharedService;
let browser: Browser;
let workflow: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([sharedService("own"), openBrowser()]);
  workflow = await publish(service.client, { name: "Each", definition: DEFINITION });
});

afterAll(async () => {
  await browser?.close();
});

test("a gallery has the elements in their order, a failed one in its place, and 60 at a time", async () => {
  const { token } = await service.client.call<{ token: string }>("POST", "/api/v1/embed/tokens", {
    body: { workflow, allowed_origins: [service.baseUrl] },
  });
  const { page } = await newPage(browser);
  await page.goto(`${service.baseUrl}/embed/${workflow}?${new URLSearchParams({ token })}`);
  await page.waitForSelector('[data-phase="idle"]');
  await page.locator("[data-svc-field] textarea").fill(JSON.stringify(VALUES));
  await page.click('[data-svc-action="execute"]');
  await page.waitForSelector('[data-phase="done"]');
  const items = page.locator("[data-svc-output=numbers] [data-svc-item]");
  expect(await items.count()).toBe(SHOWN_AT_ONCE);
  expect(await page.locator("[data-svc-output=numbers]").textContent()).toContain(String(ELEMENTS));
  await page.click(".w-more");
  expect(await items.count()).toBe(ELEMENTS);
  expect(await page.locator(".w-more").count()).toBe(0);
  const texts = await items.allTextContents();
  const wrong = texts.map((text, at) => (text.includes("Not made") ? at : -1));
  expect(wrong.filter((at) => at !== -1)).toEqual([WRONG]);
  expect(texts[WRONG]).toContain("Not made: its input does not fit");
  // What the service says of the failure names the node and its type.
  expect(texts[WRONG]).not.toMatch(/to_number|NUMBER_INVALID/);
  const values = await page
    .locator("[data-svc-output=numbers] [data-svc-item] pre")
    .allTextContents();
  expect(values).toEqual(VALUES.filter((_, at) => at !== WRONG));
  await page.close();
});

test("the editor counts the iterations of its nodes, and of those that failed", async () => {
  const { token } = await service.client.call<{ token: string }>(
    "POST",
    "/api/v1/embed/editor/tokens",
    { body: { allowed_origins: [service.baseUrl] } },
  );
  const { page } = await newPage(browser);
  await visitEditor(page, service.baseUrl, { token, workflow });
  await page.click("[data-svc-action=run]");
  await page.locator("[data-svc-run-input]").first().fill(JSON.stringify(VALUES));
  await page.click("[data-svc-action=start-run]");
  await page.locator("[data-svc-gallery]").waitFor();
  await page.keyboard.press("Escape");
  const card = page.locator("[data-svc-node=number]");
  expect(await card.locator("[data-svc-iterations]").getAttribute("data-svc-iterations")).toBe(
    String(ELEMENTS),
  );
  expect(await card.getAttribute("data-state")).toBe("failed");
  expect(await card.locator(".node-f").textContent()).toBe("Failed65 of 65");
  expect(await page.locator("[data-svc-run]").getAttribute("data-status")).toBe("partial_success");
  await page.close();
});

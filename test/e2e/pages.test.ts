/** The pages in a real browser: both themes, three widths, keyboard and screen reader rules, sign-in and a request. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../support/node/open-browser.ts";
import { type SharedService, sharedService } from "../support/node/shared-service.ts";
import { describeOfOneSize } from "../support/in-proof.ts";
import { IS_PROOF } from "../support/sizes.ts";

/** Stands for the page of a link, whose address has a token. */
const SHARE = "/share/{token}";

const PATHS = IS_PROOF
  ? [
      "/",
      "/docs",
      "/docs/reference/submitExecution",
      "/docs/reference/uploadAsset",
      "/docs/errors",
      "/docs/limits",
      "/docs/public-api/errors/validation-error",
      SHARE,
    ]
  : ["/", SHARE, "/docs/reference/submitExecution"];
/** All widths in both themes in the proof; in `npm test` each theme has one. */
function widthsIn(colorScheme: "light" | "dark"): readonly number[] {
  return IS_PROOF ? [1440, 900, 390] : [colorScheme === "light" ? 1440 : 390];
}

let service: SharedService;
let browser: Browser;
let axe: string;

beforeAll(async () => {
  [service, browser, axe] = await Promise.all([
    sharedService("samples"),
    openBrowser(),
    readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"),
  ]);
});

afterAll(async () => {
  await browser?.close();
});

/** A page that collects the browser's errors and every requested address. */
async function open(
  path: string,
  options: { colorScheme?: "light" | "dark"; width?: number } = {},
) {
  const page = await browser.newPage({
    viewport: { width: options.width ?? 1440, height: 900 },
    colorScheme: options.colorScheme ?? "light",
  });
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      complaints.push(message.text());
    }
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(service.baseUrl + path, { waitUntil: "load" });
  return { page, complaints, asked };
}

/** Violations of WCAG 2.2 A and AA that axe finds, as `rule: element`. */
async function violationsOf(page: Page): Promise<string[]> {
  // Bypasses the page's own policy, which blocks such a script.
  await page.evaluate(axe);
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })`,
  )) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** The page of a share link that shows all it has: fields, a number of imports, an end. */
async function sharePath(): Promise<string> {
  const guid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const send = async <T>(path: string, body: object) =>
    await service.client.call<T>("POST", `/api/v1/design-templates${path}`, {
      body,
      headers: { "idempotency-key": crypto.randomUUID(), "if-match": "*" },
    });
  const element = (n: number, required: boolean) => ({
    $type: "text",
    id: guid(n),
    width: 90,
    height: 20,
    placeholder: {
      id: guid(n + 9),
      name: "Name",
      code: `n${n}`,
      placeholderType: "text",
      required,
    },
  });
  const elements = [element(2, true), element(3, false)];
  const { id } = await send<{ id: string }>("", {
    name: "A card for guests",
    description: "With a name",
    content: { schemaVersion: "2.0", pages: [{ id: guid(1), width: 200, height: 100, elements }] },
  });
  await send(`/${id}/draft/publish`, {});
  const { url } = await send<{ url: string }>(`/${id}/share-links`, {
    require_sign_in: false,
    max_imports: 3,
    expires_at: "2099-01-01T00:00:00Z",
  });
  return new URL(url).pathname;
}

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  test.each(PATHS)("%s passes the accessibility rules and fits every width", async (given) => {
    const path = given === SHARE ? await sharePath() : given;
    for (const width of widthsIn(colorScheme)) {
      const { page, complaints, asked } = await open(path, { colorScheme, width });
      expect(await violationsOf(page), `${width} px`).toEqual([]);
      expect(
        await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
        `${width} px`,
      ).toBeLessThanOrEqual(0);
      expect(complaints).toEqual([]);
      expect(asked.filter((address) => !address.startsWith(`${service.baseUrl}/`))).toEqual([]);
      await page.close();
    }
  });
});

describeOfOneSize("the pages", () => {
  test("are reported by the same rules if they have faults", async () => {
    const { page } = await open("/docs");
    await page.evaluate(`document.querySelector("main").append(document.createElement("button"));
      document.querySelector("h1").style.color = "#ccc";`);
    const violations = await violationsOf(page);
    expect(violations).toContainEqual(expect.stringMatching(/^button-name/));
    expect(violations).toContainEqual(expect.stringMatching(/^color-contrast/));
    await page.close();
  });

  test("keep the selected theme", async () => {
    const { page } = await open("/", { colorScheme: "light" });
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    await page.click("[data-theme-toggle]");
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.goto(`${service.baseUrl}/docs`);
    expect(await ground()).toBe(dark);
    await page.close();
  });

  test("find an operation by words", async () => {
    const { page } = await open("/docs");
    await page.keyboard.press("/");
    await page.keyboard.type("cancel");
    expect(await page.locator(".doc-n li:visible").allTextContents()).toEqual([
      "POSTCancel an execution",
      "POSTCancel a batch",
      "POSTCancel a run of the token",
    ]);
    await page.keyboard.type(" nothing");
    expect(await page.locator(".doc-n [data-none]").isVisible()).toBe(true);
    await page.close();
  });

  test("find an operation by its path and its id, and in the menu of a narrow screen", async () => {
    const { page } = await open("/docs");
    await page.fill(".doc-n [data-filter]", "/v1/executions/{id}/cancel");
    expect(await page.locator(".doc-n li:visible").count()).toBe(1);
    await page.fill(".doc-n [data-filter]", "listAssets");
    expect(await page.locator(".doc-n li:visible").count()).toBe(1);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.click(".doc-m summary");
    await page.fill(".doc-m [data-filter]", "cancel");
    expect(await page.locator(".doc-m li:visible").allTextContents()).toEqual([
      "POSTCancel an execution",
      "POSTCancel a batch",
      "POSTCancel a run of the token",
    ]);
    await page.close();
  });

  test("show the whole tables of errors and limits on narrow screens, without scrolling sideways", async () => {
    const hidden = `[...document.querySelectorAll("main .scroll")].map((box) => box.scrollWidth - box.clientWidth)`;
    for (const path of ["/docs/errors", "/docs/limits"]) {
      const { page } = await open(path);
      for (const width of [1280, 768, 390]) {
        await page.setViewportSize({ width, height: 900 });
        const beyond = (await page.evaluate(hidden)) as number[];
        expect(beyond.length, path).toBeGreaterThan(3);
        expect(Math.max(...beyond), `${path} at ${width} px`).toBeLessThanOrEqual(0);
      }
      await page.close();
    }
    // For a screen reader, rows that are displayed as blocks are still rows of a table.
    const { page } = await open("/docs/errors", { width: 390 });
    const table = page.getByRole("table", { name: "Requests", exact: true });
    expect(await table.getByRole("row", { name: /^conflict problem 409/ }).count()).toBe(1);
    await page.close();
  });

  test("print the text and whole samples in black on white, and no controls", async () => {
    const { page } = await open("/docs/reference/submitExecution", { colorScheme: "dark" });
    const cut =
      "document.querySelector('#response-0').scrollHeight > document.querySelector('#response-0').clientHeight + 1";
    expect(await page.evaluate(cut)).toBe(true);
    await page.emulateMedia({ media: "print" });
    expect(await page.evaluate(cut)).toBe(false);
    for (const control of [".doc-n", ".try", "[data-copy]", "[data-sign-in]"]) {
      expect(await page.locator(control).first().isVisible(), control).toBe(false);
    }
    expect(await page.locator("h1").isVisible()).toBe(true);
    expect(
      await page.evaluate("getComputedStyle(document.querySelector('#response-0')).color"),
    ).toBe("rgb(34, 38, 46)");
    await page.close();
  });

  test("sign in by one paste, then send requests as that key, and forget it on sign-out", async () => {
    const { page, complaints } = await open("/docs/reference/listWorkflows");
    await page.click(".try [type=submit]");
    expect(await page.locator("dialog").isVisible()).toBe(true);
    await page.fill("#sign-in-id", service.credentials.client_id);
    await page.fill("#sign-in-secret", "wrong");
    await page.click("dialog [type=submit]");
    await page.waitForSelector("[data-error]:not([hidden])");
    const pasted = JSON.stringify(JSON.stringify(service.credentials));
    await page.evaluate(`const data = new DataTransfer();
      data.setData("text", ${pasted});
      document.querySelector("#sign-in-id")
        .dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, cancelable: true }));`);
    await page.click("dialog [type=submit]");
    await page.waitForSelector("dialog", { state: "detached" });
    await page.click(".try [type=submit]");
    await page.waitForSelector("[data-try-answer] .pill");
    expect(await page.textContent("[data-try-answer] .pill")).toBe("200 OK");
    expect(await page.textContent("[data-try-answer] pre")).toContain("Airport guide");
    // Another page of the tab is signed in too, and signing out leaves nothing.
    await page.goto(`${service.baseUrl}/docs`);
    expect(await page.textContent("[data-sign-in]")).toBe("Sign out");
    await page.click("[data-sign-in]");
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    // The browser reports only the refused sign-in.
    expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
    await page.close();
  });

  test("upload a file from its form", async () => {
    const { page } = await open("/docs/reference/uploadAsset");
    await page.click("[data-sign-in]");
    await page.fill("#sign-in-id", service.credentials.client_id);
    await page.fill("#sign-in-secret", service.credentials.client_secret);
    await page.click("dialog [type=submit]");
    await page.waitForSelector("dialog", { state: "detached" });
    await page.setInputFiles(".try [type=file]", {
      name: "rows.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("a,b\n1,2\n"),
    });
    await page.click(".try [type=submit]");
    await page.waitForSelector("[data-try-answer] .pill");
    expect(await page.textContent("[data-try-answer] .pill")).toBe("201 Created");
    await page.close();
  });
});

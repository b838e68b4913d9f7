/**
 * How often the editor renders cards, in a real browser: the engine of the browser counts the calls of the function that
 * renders a card. The times are those of the benchmark.
 */
import "../support/only-in-proof.ts";
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { portY } from "../../src/web/editor/core/node-size.ts";
import { newPage, visitEditor } from "../support/node/editor-page.ts";
import { openBrowser } from "../support/node/open-browser.ts";
import { type SharedService, sharedService } from "../support/node/shared-service.ts";

/** More than the canvas keeps in the document where they are out of view. */
const NODES = 240;
const COLUMNS = 16;
const PRESSES = 10;
const MOVES = 12;

let service: SharedService;
let browser: Browser;

beforeAll(async () => {
  [service, browser] = await Promise.all([sharedService("own"), openBrowser()]);
});

afterAll(async () => {
  await browser?.close();
});

/** Counts the calls, since the last count, of the functions of the editor's script that contain this text. */
async function callCounter(
  page: Page,
  text: string,
): Promise<{ readonly count: () => Promise<number> }> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const scripts = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ scriptId, url }) => {
    if (url.includes("/embed/assets/editor-")) {
      scripts.set(scriptId, "");
    }
  });
  await session.send("Debugger.enable");
  for (const scriptId of scripts.keys()) {
    const { scriptSource } = await session.send("Debugger.getScriptSource", { scriptId });
    scripts.set(scriptId, scriptSource);
  }
  await session.send("Debugger.disable");
  await session.send("Profiler.enable");
  await session.send("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  return {
    count: async () => {
      const { result } = await session.send("Profiler.takePreciseCoverage");
      let calls = 0;
      for (const { scriptId, functions } of result) {
        const source = scripts.get(scriptId) ?? "";
        for (let at = source.indexOf(text); at !== -1; at = source.indexOf(text, at + 1)) {
          const around = functions
            .flatMap(({ ranges }) => ranges.slice(0, 1))
            .filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset)
            .toSorted((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset));
          calls += around[0]?.count ?? 0;
        }
      }
      return calls;
    },
  };
}

/** Drags the canvas, a step in each frame. Returns how many cards came into the document. */
function pan(page: Page): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const pane = document.querySelector(".react-flow__pane");
    const viewport = document.querySelector(".react-flow__viewport");
    const before = viewport.style.transform;
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const fire = (target, type, x, y) => target.dispatchEvent(new MouseEvent(type, {
      bubbles: true, cancelable: true, view: window, clientX: x, clientY: y, button: 0, buttons: type === "mouseup" ? 0 : 1,
    }));
    const ids = () => [...document.querySelectorAll("[data-svc-node]")].map((card) => card.dataset.svcNode);
    const seen = new Set(ids());
    let came = 0;
    const [x, y] = [innerWidth / 2, innerHeight / 2];
    fire(pane, "mousedown", x, y);
    for (let n = 1; n <= ${String(MOVES)}; n += 1) {
      fire(window, "mousemove", x - n * 4, y - n * 3);
      await frame();
      await frame();
      for (const id of ids()) {
        if (!seen.has(id)) came += 1;
        seen.add(id);
      }
    }
    if (viewport.style.transform === before) throw new Error("The canvas did not move.");
    fire(window, "mouseup", x - ${String(MOVES)} * 4, y - ${String(MOVES)} * 3);
    await frame();
    await frame();
    return came;
  })()`);
}

test("a pan renders no card that was there, and a key press renders at most two", async () => {
  const { token } = await service.client.call<{ token: string }>(
    "POST",
    "/api/v1/embed/editor/tokens",
    { body: { allowed_origins: ["http://localhost"] } },
  );
  const definition = {
    nodes: Array.from({ length: NODES }, (_, at) => ({
      id: `n${String(at)}`,
      type: "text/template",
      parameters: { template: `Line ${String(at)}` },
      position: { x: (at % COLUMNS) * 260, y: Math.floor(at / COLUMNS) * 200 },
    })),
    connections: Array.from({ length: NODES - 1 }, (_, at) => ({
      from: { node: `n${String(at)}`, port: "text" },
      to: { node: `n${String(at + 1)}`, port: "template" },
    })),
  };
  const { id } = await service.client.call<{ id: string }>("POST", "/api/v1/workflows", {
    body: { name: "Renders", definition },
  });
  const { page, complaints } = await newPage(browser);
  await visitEditor(page, service.baseUrl, { token, workflow: id });
  await page.locator("[data-svc-issues][data-check=done]").waitFor();
  await page.locator("[data-svc-node].is-outline").first().waitFor();
  const cards = await callCounter(page, '"data-svc-node":');
  await cards.count();

  // The whole graph, as outlines: no card is rendered again, and none comes.
  expect([await pan(page), await cards.count()]).toEqual([0, 0]);

  // A selected card is rendered again: the calls are counted.
  await page.locator("[data-svc-node=n0]").click();
  await page.locator("[data-svc-panel=n0]").waitFor();
  expect(await cards.count()).toBeGreaterThan(0);

  const typeInto = async () => {
    const field = page.locator("[data-svc-parameter=template]").locator("textarea, input").first();
    await field.focus();
    await page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    await cards.count();
    const most: number[] = [];
    for (let press = 0; press < PRESSES; press += 1) {
      const { length } = await field.inputValue();
      await page.keyboard.press("a");
      await page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
      );
      expect((await field.inputValue()).length).toBe(length + 1);
      most.push(await cards.count());
    }
    return Math.max(...most);
  };
  expect(await typeInto()).toBeLessThanOrEqual(2);

  // At 100 %: only cards that come into view are rendered.
  await page.click(".zoom-n");
  await page.locator("[data-svc-node]:not(.is-outline) .node-h").first().waitFor();
  await page.locator(".zoom-n", { hasText: "100%" }).waitFor();
  expect(await typeInto()).toBeLessThanOrEqual(2);
  // The paths of the outlines' wires end where the handles of cards are.
  const ports = (names: readonly string[]) =>
    names.map((name) => ({
      name,
      type: "text",
      label: name,
      isRequired: false,
      isMulti: false,
      accepts: [],
    }));
  const all = { inputs: ports(["template"]), outputs: ports(["text"]) };
  const middles = await page.evaluate<readonly number[]>(`(() => {
    const middle = (element) => { const { top, height } = element.getBoundingClientRect(); return top + height / 2; };
    const handle = document.querySelector('[data-svc-handle$=":in:template"]');
    const card = handle.closest("[data-svc-node]");
    const top = card.getBoundingClientRect().top;
    return [handle, card.querySelector('[data-svc-handle$=":out:text"]')].map((each) => Math.round(middle(each) - top));
  })()`);
  expect(middles).toEqual([portY(all, "in", "template"), portY(all, "out", "text")]);
  const came = await pan(page);
  const calls = await cards.count();
  expect({ came, calls }).toEqual({ came, calls: came });
  expect(complaints).toEqual([]);
  await page.close();
});

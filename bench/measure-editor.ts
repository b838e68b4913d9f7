import type { Browser, Page } from "playwright-core";
import type { ApiClient } from "../scripts/api-client.ts";
import { newPage, says, visitEditor } from "../test/support/node/editor-page.ts";
import { openBrowser } from "../test/support/node/open-browser.ts";
import { atLeast, atMost, type Figure } from "./figure.ts";
import { servePlainFlow } from "./plain-flow.ts";
import { waitUntil } from "../test/support/wait-until.ts";
import { median, spread } from "./statistics.ts";

/** Of the graph that is panned and zoomed, and of the one that is loaded and edited. */
const [NODES, WIRES, LOADED_NODES] = [1_000, 1_500, 500] as const;
const [ROUNDS, LOADS] = [3, 5] as const;
/** Frames of each pan and of each zoom. */
const [PANNED, ZOOMED] = [120, 60] as const;
const PRESSES = 40;

const ends = (at: number) => [`n${String(at % (NODES - 1))}`, `n${String((at % (NODES - 1)) + 1)}`];
const position = (at: number) => ({ x: (at % 40) * 260, y: Math.floor(at / 40) * 200 });

/** Frames of the canvas beside an empty page and plain xyflow, the load of a large definition, and a key press. */
export async function measureEditor(client: ApiClient): Promise<Figure[]> {
  const { token } = await client.call<{ token: string }>("POST", "/api/v1/embed/editor/tokens", {
    body: { allowed_origins: [client.baseUrl] },
  });
  const browser = await openBrowser();
  try {
    return [
      ...(await measureFrames(browser, client.baseUrl, token)),
      ...(await measureLarge(browser, client, token)),
    ];
  } finally {
    await browser.close();
  }
}

async function measureFrames(browser: Browser, baseUrl: string, token: string): Promise<Figure[]> {
  const plain = await servePlainFlow({
    nodes: Array.from({ length: NODES }, (_, at) => ({
      id: `n${String(at)}`,
      position: position(at),
      data: { label: String(at) },
    })),
    edges: Array.from({ length: WIRES }, (_, at) => {
      const [source, target] = ends(at);
      return { id: `e${String(at)}`, source, target };
    }),
  });
  const [ours, beside, empty] = [framesList(), framesList(), framesList()];
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { page } = await newPage(browser);
      await page.goto(plain.emptyAddress);
      const idle = await frames(page, "pan");
      take(empty, { whole: idle, near: idle, zoomed: await frames(page, "zoom") });
      await page.goto(plain.address);
      await page.locator(".react-flow__node").first().waitFor();
      const plainNear = await frames(page, "pan");
      // A page of its own: only the hash differs.
      await page.goto(plain.emptyAddress);
      await page.goto(plain.fitAddress);
      await page.locator(".react-flow__node").first().waitFor();
      take(beside, {
        near: plainNear,
        whole: await frames(page, "pan"),
        zoomed: await frames(page, "zoom"),
      });
      await openMany(page, baseUrl, token);
      const whole = await frames(page, "pan");
      const zoomed = await frames(page, "zoom");
      await showAtFullSize(page);
      take(ours, { whole, zoomed, near: await frames(page, "pan") });
      await page.close();
    }
  } finally {
    await plain.stop();
  }
  const graph = `${NODES.toLocaleString("en-US")} nodes and ${WIRES.toLocaleString("en-US")} wires`;
  const names = {
    whole: "panned with all in view",
    near: "panned at 100 %",
    zoomed: "zoomed",
  } as const;
  return (["whole", "near", "zoomed"] as const).map((kind) => {
    const frame = median(ours[kind]);
    return {
      name: `the editor, ${graph}, ${names[kind]}: a frame`,
      unit: "ms",
      ours: spread(ours[kind]),
      beside: [
        { name: "an empty page", value: spread(empty[kind]) },
        { name: "plain xyflow on React", value: spread(beside[kind]) },
      ],
      targets: [
        ...(kind === "zoomed"
          ? []
          : [
              atMost("≤ 1.25 × the empty page", frame / median(empty[kind]), 1.25),
              atMost("≤ 1.3 × plain xyflow", frame / median(beside[kind]), 1.3),
            ]),
        atLeast("≥ 50 frames a second", 1_000 / frame, 50),
      ],
    };
  });
}

type Kind = "whole" | "near" | "zoomed";

function framesList(): Record<Kind, number[]> {
  return { whole: [], near: [], zoomed: [] };
}

function take(list: Record<Kind, number[]>, more: Record<Kind, readonly number[]>): void {
  for (const kind of ["whole", "near", "zoomed"] as const) {
    list[kind].push(...more[kind]);
  }
}

/** Shows the middle of the graph at 100 %. */
async function showAtFullSize(page: Page): Promise<void> {
  await page.click("[data-svc-action=fit]");
  await page.click(".zoom-n");
  await page.locator(".zoom-n", { hasText: "100%" }).waitFor();
  await page.locator("[data-svc-node] .node-h").first().waitFor();
}

/** A graph that the service would refuse to save reaches the editor by a paste. */
async function openMany(page: Page, baseUrl: string, token: string): Promise<void> {
  await visitEditor(page, baseUrl, { token, name: "Many" });
  const copied = {
    svc: "graph/v1",
    nodes: Array.from({ length: NODES }, (_, at) => ({
      id: `n${String(at)}`,
      type: "utility/merge",
      label: String(at),
      position: position(at),
    })),
    connections: Array.from({ length: WIRES }, (_, at) => {
      const [from, to] = ends(at);
      return { from: { node: from, port: "value" }, to: { node: to, port: "inputs" } };
    }),
  };
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", ${JSON.stringify(JSON.stringify(copied))});
    document.body.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
    );
  }`);
  await says(page, `Pasted ${NODES.toLocaleString("en-US")} nodes`);
  await page.locator("[data-svc-node]").first().waitFor();
  // The check of the pasted graph must not run during a pan.
  await page.locator("[data-svc-issues]:is([data-check=done], [data-check=failed])").waitFor();
}

/**
 * Times between frames, in ms, while the pointer drags the canvas or turns the wheel a step each frame; on a page without
 * a canvas, while nothing happens. Throws if the canvas does not move.
 */
async function frames(page: Page, act: "pan" | "zoom"): Promise<readonly number[]> {
  const { took, before, after } = await page.evaluate<{
    readonly took: readonly number[];
    readonly before: string | null;
    readonly after: string | null;
  }>(`(async () => {
    const isPan = ${JSON.stringify(act)} === "pan";
    const pane = document.querySelector(".react-flow__pane");
    const viewport = document.querySelector(".react-flow__viewport");
    const style = () => viewport?.style.transform ?? null;
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const fire = (target, type, x, y) => target.dispatchEvent(new MouseEvent(type, {
      bubbles: true, cancelable: true, view: window, clientX: x, clientY: y, button: 0, buttons: type === "mouseup" ? 0 : 1,
    }));
    const [x, y] = [innerWidth / 2, innerHeight / 2];
    const before = style();
    const took = [];
    if (pane !== null && isPan) fire(pane, "mousedown", x, y);
    let last = await frame();
    for (let n = 1; n <= ${String(act === "pan" ? PANNED : ZOOMED)}; n += 1) {
      if (pane !== null && isPan) fire(window, "mousemove", x - n * 6, y - n * 4);
      if (pane !== null && !isPan) pane.dispatchEvent(new WheelEvent("wheel", {
        bubbles: true, cancelable: true, view: window, clientX: x, clientY: y, deltaY: n % 40 < 20 ? 12 : -12,
      }));
      const now = await frame();
      took.push(now - last);
      last = now;
    }
    const after = style();
    if (pane !== null && isPan) fire(window, "mouseup", x, y);
    return { took, before, after };
  })()`);
  if (before !== null && before === after) {
    throw new Error(`The canvas of ${page.url()} did not ${act}.`);
  }
  return took;
}

/** A definition of 500 nodes: from the navigation until its nodes are seen, and a key press in a text parameter. */
async function measureLarge(
  browser: Browser,
  client: ApiClient,
  token: string,
): Promise<readonly Figure[]> {
  const definition = {
    nodes: Array.from({ length: LOADED_NODES }, (_, at) => ({
      id: `n${String(at)}`,
      type: "text/template",
      parameters: { template: `Line ${String(at)}` },
      position: position(at),
    })),
    connections: Array.from({ length: LOADED_NODES - 1 }, (_, at) => ({
      from: { node: `n${String(at)}`, port: "text" },
      to: { node: `n${String(at + 1)}`, port: "template" },
    })),
  };
  const { id } = await client.call<{ id: string }>("POST", "/api/v1/workflows", {
    body: { name: "Bench: a large workflow", definition },
  });
  const loads: number[] = [];
  let presses: readonly number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    const { page } = await newPage(browser);
    await page.addInitScript(`(() => {
      const look = () => {
        const node = document.querySelector("[data-phase=ready] .react-flow__node");
        if (node !== null && getComputedStyle(node).visibility === "visible") window.shownAt = performance.now();
        else requestAnimationFrame(look);
      };
      look();
    })()`);
    await visitEditor(page, client.baseUrl, { token, workflow: id });
    // Not by the page's own code, which may not evaluate texts.
    await waitUntil("the nodes to be shown", () =>
      page.evaluate<boolean>("window.shownAt !== undefined"),
    );
    loads.push(await page.evaluate<number>("window.shownAt"));
    if (load === LOADS - 1) {
      presses = await pressKeys(page);
    }
    await page.close();
  }
  const graph = `${String(LOADED_NODES)} nodes`;
  return [
    {
      name: `the editor, a definition of ${graph}, until it is seen`,
      unit: "ms",
      ours: spread(loads),
      beside: [],
      targets: [atMost("≤ 2 s", median(loads), 2_000)],
    },
    {
      name: `the editor, a key press in a text parameter, ${graph}: work of the page`,
      unit: "ms",
      ours: spread(presses),
      beside: [],
      targets: [atMost("≤ 16 ms", median(presses), 16)],
    },
  ];
}

/** Work of the page's main thread for each key press until the next two frames are drawn, in ms. */
async function pressKeys(page: Page): Promise<readonly number[]> {
  await page.locator("[data-svc-issues]:is([data-check=done], [data-check=failed])").waitFor();
  // By the keyboard: nothing that lies over the canvas is in the way.
  await page.locator("[data-svc-node]").first().focus();
  await page.keyboard.press("Enter");
  const field = page.locator("[data-svc-parameter=template]").locator("textarea, input").first();
  await field.focus();
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const workSeconds = async () =>
    (await session.send("Performance.getMetrics")).metrics.find(
      ({ name }) => name === "TaskDuration",
    )?.value ?? Number.NaN;
  const took: number[] = [];
  const typed = await field.inputValue();
  for (let press = 0; press < PRESSES; press += 1) {
    const before = await workSeconds();
    await page.keyboard.press("a");
    await page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    took.push(((await workSeconds()) - before) * 1_000);
  }
  if ((await field.inputValue()).length !== typed.length + PRESSES) {
    throw new Error("The key presses did not reach the field.");
  }
  return took;
}

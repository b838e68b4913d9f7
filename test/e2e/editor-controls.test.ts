/**
 * The editor's pointer and panel in a real browser: wires that are dropped on the canvas, types dragged from the palette,
 * controls whose options are the service's, the interfaces tab, and a save that the service refuses to publish.
 */
import "../support/only-in-proof.ts";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WORD_TABLES } from "../../src/web/editor/locales/locales.ts";
import { newPage, PATIENCE_MS, says, visitEditor } from "../support/node/editor-page.ts";
import { openBrowser } from "../support/node/open-browser.ts";
import { type SharedService, sharedService } from "../support/node/shared-service.ts";
import { guid, publishTemplate } from "../support/node/template-runs.ts";

let service: SharedService;
let browser: Browser;
let token: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([sharedService("own"), openBrowser()]);
  ({ token } = await service.client.call<{ token: string }>("POST", "/api/v1/embed/editor/tokens", {
    body: { allowed_origins: ["http://localhost"] },
  }));
});

afterAll(async () => {
  await browser?.close();
});

interface Entry {
  readonly key: string;
  readonly label?: string;
  readonly default_value?: string;
  readonly required?: boolean;
  readonly bind?: { readonly node: string; readonly parameter?: string };
}

interface Definition {
  readonly nodes: readonly {
    readonly id: string;
    readonly type: string;
    readonly label?: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  }[];
  readonly connections: readonly object[];
  readonly interfaces?: readonly {
    readonly id: string;
    readonly name: string;
    readonly is_default: boolean;
    readonly fields: readonly Entry[];
    readonly outputs: readonly Entry[];
  }[];
}

const DEFINITION = {
  nodes: [
    { id: "name", type: "input/text", label: "Name", parameters: {}, position: { x: 0, y: 0 } },
    {
      id: "picture",
      type: "input/image",
      label: "Photo",
      parameters: {},
      position: { x: 0, y: 200 },
    },
    {
      id: "line",
      type: "text/template",
      label: "Greeting",
      parameters: { template: "Hello [who]", placeholders: [{ inputPort: "who" }] },
      position: { x: 280, y: 0 },
    },
    { id: "out", type: "output/text", label: "Line", parameters: {}, position: { x: 560, y: 0 } },
    {
      id: "shown",
      type: "output/image",
      label: "Picture",
      parameters: {},
      position: { x: 560, y: 200 },
    },
  ],
  connections: [
    { from: { node: "name", port: "text" }, to: { node: "line", port: "who" } },
    { from: { node: "line", port: "text" }, to: { node: "out", port: "text" } },
    { from: { node: "picture", port: "image" }, to: { node: "shown", port: "image" } },
  ],
};

async function open(definition: object = DEFINITION) {
  const { id } = await service.client.call<{ id: string }>("POST", "/api/v1/workflows", {
    body: { name: "Controls", definition },
  });
  const opened = await newPage(browser);
  await visitEditor(opened.page, service.baseUrl, { token, workflow: id });
  const stored = () => service.client.call<Definition>("GET", `/api/v1/workflows/${id}/definition`);
  return { id, stored, ...opened };
}

async function save(page: Page): Promise<void> {
  await page.click("[data-svc-action=save]");
  await says(page, /Saved and published as version|Nothing was published|Not saved/);
  const status = await page.textContent("[data-svc-status]");
  // The list shows the former check until the one of the last change, which begins a moment after it, has ended.
  const errors = page.locator("[data-svc-issue]").filter({ hasText: /^Error/ });
  await expect
    .poll(async () => [status, ...(await errors.allTextContents())], { timeout: PATIENCE_MS })
    .toEqual(["Saved and published as version 1."]);
}

/** Moves the pressed pointer in steps, as a hand does. */
async function drag(
  page: Page,
  from: { readonly x: number; readonly y: number },
  to: { readonly x: number; readonly y: number },
): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
}

async function middleOf(page: Page, selector: string) {
  const box = await page.locator(selector).boundingBox();
  if (box === null) {
    throw new Error(`${selector} is not shown.`);
  }
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** A place of the canvas below all nodes. */
async function emptyPlace(page: Page) {
  const lowest = await middleOf(page, "[data-svc-node=shown]");
  return { x: lowest.x - 150, y: lowest.y + 160 };
}

test("a wire that is dropped on the canvas offers the types that fit, and is connected to the chosen one", async () => {
  const { page, stored, complaints } = await open();
  const items = page.locator("[data-svc-palette-item]");
  const all = await items.count();
  await drag(
    page,
    await middleOf(page, '[data-svc-handle="picture:out:image"]'),
    await emptyPlace(page),
  );
  await says(page, "Nodes that fit this wire");
  const offered = await items.evaluateAll((buttons) =>
    buttons.map((button) => button.getAttribute("data-svc-palette-item")),
  );
  expect(offered).toContain("image/resize");
  expect(offered).toContain("output/image");
  // Nodes without an input, and nodes that take no picture.
  expect(offered.filter((type) => type?.startsWith("input/") === true)).toEqual([]);
  expect(offered).not.toContain("output/text");
  expect(offered.length).toBeLessThan(all);
  await page.click('[data-svc-palette-item="output/image"]');
  await page.locator("[data-svc-node=image]").waitFor();
  expect(await items.count()).toBe(all);
  await save(page);
  expect((await stored()).connections).toContainEqual({
    from: { node: "picture", port: "image" },
    to: { node: "image", port: "image" },
  });
  // Node and wire are one step.
  await page.click("[data-svc-action=undo]");
  await page.locator("[data-svc-node=image]").waitFor({ state: "detached" });
  expect(await page.locator(".react-flow__edge").count()).toBe(3);

  // From an input, the types that make what it takes.
  await page.keyboard.press("Escape");
  await drag(
    page,
    await middleOf(page, '[data-svc-handle="line:in:template"]'),
    await emptyPlace(page),
  );
  await says(page, "Nodes that fit this wire");
  await page.locator('[data-svc-palette-item="input/text"]').waitFor();
  expect(await page.locator('[data-svc-palette-item="output/text"]').count()).toBe(0);
  expect(complaints).toEqual([]);
  await page.close();
});

test("a type that is dragged from the palette lands where it is dropped", async () => {
  const { page, complaints } = await open();
  const pane = await middleOf(page, "[data-svc-canvas]");
  const box = (await page.locator("[data-svc-canvas]").boundingBox())!;
  const target = { x: pane.x - box.x, y: box.height - 160 };
  await page.dragAndDrop('[data-svc-palette-item="input/number"]', "[data-svc-canvas]", {
    targetPosition: target,
  });
  await page.locator("[data-svc-node=number]").waitFor();
  const node = (await page.locator("[data-svc-node=number]").boundingBox())!;
  expect(Math.abs(node.x + node.width / 2 - pane.x)).toBeLessThan(3);
  expect(node.y).toBeLessThan(box.y + target.y);
  expect(node.y + node.height).toBeGreaterThan(box.y + target.y);
  expect(complaints).toEqual([]);
  await page.close();
});

/**
 * Handles that are targets and whose target, hit in the middle and at 11.5 px around it, is something else somewhere; and
 * handles that cannot be targets, and are hit. Those outside of the canvas are left out.
 */
const MISSED = `(() => {
  const canvas = document.querySelector("[data-svc-canvas]").getBoundingClientRect();
  const missed = [];
  let targets = 0;
  for (const handle of document.querySelectorAll("[data-svc-handle]")) {
    const box = handle.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const around = [[0, 0], ...Array.from({ length: 8 }, (_, at) => [
      11.5 * Math.cos(at * Math.PI / 4), 11.5 * Math.sin(at * Math.PI / 4)])];
    if (x < canvas.x + 12 || x > canvas.right - 12 || y < canvas.y + 12 || y > canvas.bottom - 12) continue;
    const isTarget = handle.matches("[role=button][tabindex='0']");
    targets += isTarget ? 1 : 0;
    const hits = around.map(([dx, dy]) => document.elementFromPoint(x + dx, y + dy)?.closest("[data-svc-handle]") === handle);
    if (isTarget ? hits.includes(false) : hits.includes(true)) missed.push(handle.dataset.svcHandle + " " + hits);
  }
  return { targets, missed };
})()`;

test("handles are targets of 24 px at every zoom, and a wire is drawn where the whole canvas is small", async () => {
  const { page, stored, complaints } = await open({
    ...DEFINITION,
    connections: DEFINITION.connections.slice(1),
  });
  const missed = () => page.evaluate<{ targets: number; missed: string[] }>(MISSED);
  const zoom = async (key: "Zoom in" | "Zoom out") => {
    const before = await page.textContent(".zoom-n");
    await page.getByLabel(key).click();
    await expect.poll(() => page.textContent(".zoom-n"), { timeout: PATIENCE_MS }).not.toBe(before);
  };
  await page.click(".zoom-n");
  await expect.poll(() => page.textContent(".zoom-n"), { timeout: PATIENCE_MS }).toBe("100%");
  const counts: number[] = [];
  for (let step = 0; step < 6; step += 1) {
    // The animation of the zoom has ended once a card stays where it is.
    await page.locator("[data-svc-node=line]").hover({ trial: true });
    const { targets, missed: wrong } = await missed();
    expect(wrong, (await page.textContent(".zoom-n")) ?? "").toEqual([]);
    counts.push(targets);
    await zoom("Zoom out");
  }
  // Handles are targets as long as they are large enough, and then those of no card.
  expect([counts[0]! > 5, counts.at(-1)]).toEqual([true, 0]);

  await page.locator("[data-svc-node=name]").hover({ trial: true });
  await page.locator("[data-svc-node=name] b").click();
  await page.locator("[data-svc-node=name].is-lifted").waitFor();
  await expect.poll(missed, { timeout: PATIENCE_MS }).toEqual({ targets: 1, missed: [] });
  const from = await middleOf(page, '[data-svc-handle="name:out:text"]');
  const line = await middleOf(page, "[data-svc-node=line]");
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(line.x, line.y, { steps: 8 });
  // Below the pointer the other card is lifted too.
  await page.locator("[data-svc-node=line].is-lifted").waitFor();
  const to = await middleOf(page, '[data-svc-handle="line:in:who"]');
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
  await says(page, "Connected");
  // By the keyboard: a card that has the focus is lifted, and its handles follow it.
  await page.keyboard.press("Escape");
  await page.locator("[data-svc-node=shown]").focus();
  await page.locator("[data-svc-node=shown].is-lifted").waitFor();
  await page.keyboard.press("Tab");
  await page.locator('[data-svc-handle="shown:in:image"]:focus').waitFor();
  await expect.poll(missed, { timeout: PATIENCE_MS }).toMatchObject({ missed: [] });
  await save(page);
  expect((await stored()).connections).toContainEqual({
    from: { node: "name", port: "text" },
    to: { node: "line", port: "who" },
  });
  expect(complaints).toEqual([]);
  await page.close();
});

test("the overview moves the view to where it is pressed, follows a drag, and zooms by the wheel", async () => {
  const { page, complaints } = await open();
  const map = (await page.locator(".minimap").boundingBox())!;
  /** Middle of the view and its zoom, in pixels of the canvas. */
  const view = () =>
    page.evaluate<{ x: number; y: number; zoom: number }>(`(() => {
      const { clientWidth, clientHeight } = document.querySelector(".react-flow");
      const { a, e, f } = new DOMMatrix(getComputedStyle(document.querySelector(".react-flow__viewport")).transform);
      return { x: (clientWidth / 2 - e) / a, y: (clientHeight / 2 - f) / a, zoom: a };
    })()`);
  /** Where the middle of the rectangle is that shows the view. */
  const shown = async () => {
    const box = (await page.locator(".minimap > i").boundingBox())!;
    return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
  };
  const start = await view();
  const middle = { x: map.x + map.width / 2, y: map.y + map.height / 2 };
  await page.mouse.move(middle.x - 30, middle.y - 10);
  await page.mouse.down();
  await expect
    .poll(shown, { timeout: PATIENCE_MS })
    .toEqual([middle.x - 30, middle.y - 10].map(Math.round));
  const pressed = await view();
  await page.mouse.move(middle.x + 40, middle.y + 10, { steps: 4 });
  await expect
    .poll(shown, { timeout: PATIENCE_MS })
    .toEqual([middle.x + 40, middle.y + 10].map(Math.round));
  const dragged = await view();
  await page.mouse.up();
  expect([pressed.x < start.x, pressed.y < start.y, pressed.x < dragged.x]).toEqual([
    true,
    true,
    true,
  ]);
  expect(dragged.zoom).toBe(start.zoom);
  // Without a pressed button nothing moves; the wheel zooms around the middle of the view.
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.wheel(0, -100);
  await expect
    .poll(async () => (await view()).zoom, { timeout: PATIENCE_MS })
    .toBeGreaterThan(start.zoom);
  const zoomed = await view();
  expect([Math.round(zoomed.x), Math.round(zoomed.y)]).toEqual([
    Math.round(dragged.x),
    Math.round(dragged.y),
  ]);
  expect(complaints).toEqual([]);
  await page.close();
});

test("Tab reaches the next node of a large graph, in view or not, and leaves the canvas behind the last", async () => {
  const [count, steps] = [205, 30];
  const { page, complaints } = await open({
    nodes: Array.from({ length: count }, (_, at) => ({
      id: `n${String(at)}`,
      type: "input/text",
      label: `Text ${String(at)}`,
      parameters: {},
      // Far from each other, but for the last two, which are beside the one at which the test gets there.
      position:
        at < count - 2
          ? { x: (at % 3) * 2_000, y: Math.floor(at / 3) * 1_500 }
          : { x: (steps % 3) * 2_000, y: (steps / 3) * 1_500 + (count - at) * 150 },
    })),
    connections: [],
  });
  const focused = () =>
    page.evaluate<string>(
      `document.activeElement?.closest("[data-svc-node]")?.dataset.svcNode ?? "none"`,
    );
  const go = async (key: string, end: string) => {
    const seen = [await focused()];
    while (seen.at(-1) !== end && seen.length < count) {
      await page.keyboard.press(key);
      await page.locator("[data-svc-node]:focus, [data-svc-node] :focus").waitFor();
      const now = await focused();
      if (now !== seen.at(-1)) {
        seen.push(now);
      }
    }
    return seen;
  };
  // The first card in view, which need not be the first of all.
  await page.locator("[data-svc-node]").first().focus();
  await go("Shift+Tab", "n0");
  const names = Array.from({ length: steps + 1 }, (_, at) => `n${String(at)}`);
  expect(await go("Tab", names.at(-1)!)).toEqual(names);
  // The view is near now, and most cards are not in the document.
  expect(await page.locator("[data-svc-node]").count()).toBeLessThan(count);
  const [before, last] = [count - 2, count - 1].map((at) => `n${String(at)}`);
  await page.locator(`[data-svc-node=${before!}]`).focus();
  expect(await go("Tab", last!)).toEqual([before, last]);
  // Its handle, and then what follows the canvas.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect.poll(focused, { timeout: PATIENCE_MS }).toBe("none");
  expect(complaints).toEqual([]);
  await page.close();
});

test("presets, effects and models are those of the service", async () => {
  interface Listed {
    readonly data: readonly { readonly code: string; readonly name: string }[];
  }
  const type = "ai/style_transfer";
  const { client } = service;
  const entry = await client.call<{
    readonly parameters: readonly { readonly name: string; readonly category?: string }[];
  }>("GET", `/api/v1/node-types/${type}`);
  const category = entry.parameters.find(({ name }) => name === "preset")?.category ?? "";
  const presets = (await client.call<Listed>("GET", `/api/v1/presets?category=${category}`)).data;
  const effects = (await client.call<Listed>("GET", "/api/v1/effects")).data;
  const { capabilities } = await client.call<{
    readonly capabilities: readonly { readonly models: readonly { readonly model: string }[] }[];
  }>("GET", `/api/v1/node-types/${type}/models`);
  const models = capabilities.flatMap((each) => each.models.map(({ model }) => model));
  expect([presets.length > 2, effects.length > 2, models.length > 0]).toEqual([true, true, true]);

  const { page, stored } = await open({
    nodes: [
      ...DEFINITION.nodes,
      { id: "styled", type, parameters: {}, position: { x: 280, y: 400 } },
    ],
    connections: [
      ...DEFINITION.connections,
      { from: { node: "picture", port: "image" }, to: { node: "styled", port: "image" } },
    ],
  });
  await page.click("[data-svc-node=styled] .node-h");
  const control = (name: string) => page.locator(`[data-svc-parameter=${name}]`);
  for (const [name, list] of [
    ["preset", presets],
    ["effect", effects],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one control after the other
    await control(name)
      .locator(`select option[value="${list[1]!.code}"], img`)
      .first()
      .waitFor({ state: "attached" });
    // oxlint-disable-next-line no-await-in-loop -- one control after the other
    const shown = await control(name).locator("select option, .pick").allTextContents();
    expect(shown.slice(1)).toEqual(list.map((each) => each.name));
    // oxlint-disable-next-line no-await-in-loop -- one control after the other
    await ((await control(name).locator("select").count()) > 0
      ? control(name).locator("select").selectOption(list[1]!.code)
      : control(name).locator(".pick", { hasText: list[1]!.name }).click());
  }
  await page.click("[data-svc-panel] details summary");
  await control("model").locator(`option[value="${models[0]!}"]`).waitFor({ state: "attached" });
  await control("model").locator("select").selectOption(models[0]!);
  await save(page);
  expect((await stored()).nodes.find(({ id }) => id === "styled")?.parameters).toMatchObject({
    preset: presets[1]!.code,
    effect: effects[1]!.code,
    model: models[0],
  });
  await page.close();
});

test("a template is picked by its name, and its fields become inputs", async () => {
  const template = await publishTemplate(service.client, {
    schemaVersion: "2.0",
    pages: [
      {
        id: guid(1),
        width: 200,
        height: 100,
        elements: [
          {
            $type: "text",
            id: guid(2),
            left: 10,
            top: 10,
            width: 180,
            height: 30,
            text: "Nobody",
            placeholder: { id: guid(3), name: "Whom", code: "whom", placeholderType: "text" },
          },
        ],
      },
    ],
  });
  const { page } = await open({ nodes: [], connections: [] });
  await page.click('[data-svc-palette-item="design/template_render"]');
  const node = "[data-svc-node=template_render]";
  await page.locator(node).waitFor();
  const select = page.locator("[data-svc-parameter=template_id] select");
  await select.locator(`option[value="${template}"]`).waitFor({ state: "attached" });
  expect(await select.locator(`option[value="${template}"]`).textContent()).toBe("Label");
  await select.selectOption(template);
  await page.locator('[data-svc-handle="template_render:in:whom"][data-port=text]').waitFor();
  await page.close();
});

test("a template beyond the newest 100 is found by its name", async () => {
  const listed = (name: string, at: number) => ({
    id: `tpl_${at.toString(16).padStart(32, "0")}`,
    name,
  });
  const { page } = await newPage(browser);
  // A workspace with 101 published templates, as the list answers for it.
  await page.route("**/api/v1/design-templates?*", async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const all = Array.from({ length: 101 }, (_, at) => listed(`Label ${String(at)}`, at));
    const found = all.filter(({ name }) => name.includes(query.get("name") ?? ""));
    await route.fulfill({
      json: { object: "list", data: found.slice(0, 100), has_more: found.length > 100 },
    });
  });
  await visitEditor(page, service.baseUrl, { token, name: "Templates" });
  await page.click('[data-svc-palette-item="design/template_render"]');
  const parameter = page.locator("[data-svc-parameter=template_id]");
  const last = listed("Label 100", 100).id;
  await parameter.locator("option").nth(100).waitFor({ state: "attached" });
  expect(await parameter.locator(`option[value="${last}"]`).count()).toBe(0);
  await parameter.locator("input[type=search]").fill("label 100".slice(1));
  await parameter.locator(`option[value="${last}"]`).waitFor({ state: "attached" });
  await parameter.locator("select").selectOption(last);
  await parameter.locator("input[type=search]").fill("nothing");
  await parameter.getByText("Nothing matches").waitFor();
  // What is chosen stays chosen, though it is not among what was found.
  await expect.poll(() => parameter.locator("select").inputValue()).toBe(last);
  await page.close();
});

test("a save that cannot be published keeps the definition, and marks the node and the parameter", async () => {
  const { page, id, stored } = await open();
  // The checks while editing would mark the same.
  await page.route("**/validate", (route) => route.abort());
  await page.click("[data-svc-node=picture] .node-h");
  await page.keyboard.press("Delete");
  await page.locator("[data-svc-node=picture]").waitFor({ state: "detached" });
  await page.click("[data-svc-node=line] .node-h");
  await page.fill("#node-label", "Mine");
  const template = page.locator("[data-svc-parameter=template]");
  await template.locator("textarea, input").fill("");
  await page.click("[data-svc-action=save]");
  await says(page, "Nothing was published");
  await page.locator("[data-svc-node=shown] .badge.bad").waitFor();
  await page.locator("[data-svc-node=line] .badge.bad").waitFor();
  await template.locator(".errs .err").waitFor();
  expect(await page.locator("[data-svc-issue=shown]").count()).toBe(1);
  await page.locator("[data-svc-issue=shown]").press("Enter");
  await page.locator("[data-svc-panel=shown]").waitFor();
  const kept = await stored();
  expect(kept.nodes.find((node) => node.id === "line")?.label).toBe("Mine");
  expect(kept.nodes.some((node) => node.id === "picture")).toBe(false);
  const { status } = await service.client.call<{ status: string }>(
    "GET",
    `/api/v1/workflows/${id}`,
  );
  expect(status).toBe("draft");
  await page.close();
});

test("the interfaces tab binds, orders, names and presets what an embed shows", async () => {
  const copy = { id: "copy", type: "output/text", label: "Copy", parameters: {} };
  const { page, id, stored, complaints } = await open({
    nodes: [...DEFINITION.nodes.filter(({ id: each }) => /name|line|out/.test(each)), copy],
    connections: [
      ...DEFINITION.connections.slice(0, 2),
      { from: { node: "line", port: "text" }, to: { node: "copy", port: "text" } },
    ],
  });
  await page.click("#tab-interfaces");
  await page.click("[data-svc-action=add-interface]");
  const tab = page.locator("[data-svc-interface='0']");
  const fields = tab.getByRole("group", { name: "Fields", exact: true });
  await page.fill("#interface-0-name", "For guests");
  expect(await fields.locator(".entry").count()).toBe(1);
  const add = tab.getByLabel("Add field");
  // Parameters that the catalog calls exposable, of any node.
  const parameters = (await add.locator("option").allTextContents()).filter((text) =>
    text.startsWith("Greeting: "),
  );
  expect(parameters.length).toBeGreaterThan(0);
  await add.selectOption({ label: parameters[0]! });
  expect(await fields.locator(".entry").count()).toBe(2);
  // Removed, it is offered again.
  await fields.locator(".entry").nth(1).getByLabel("Delete").click();
  expect(await fields.locator(".entry").count()).toBe(1);
  await add.selectOption({ label: parameters[0]! });
  // The parameter first, then the name.
  await fields.locator(".entry").nth(1).getByLabel("Move up").click();
  await page.fill("#interface-0-fields-0-label", "Wording");
  await page.fill("#interface-0-fields-0-default_value", 'Dear "[who]"');
  await page.fill("#interface-0-fields-1-label", "Your name");
  await page.fill("#interface-0-fields-1-key", "guest");
  const outputs = tab.getByRole("group", { name: "Outputs", exact: true });
  expect(await outputs.locator(".entry").count()).toBe(2);
  await outputs.locator(".entry").nth(1).getByLabel("Delete").click();
  await page.fill("#interface-0-outputs-0-label", "Your card");
  await save(page);

  const [saved] = (await stored()).interfaces ?? [];
  expect(saved).toMatchObject({ name: "For guests", is_default: true });
  expect(saved?.fields.map(({ label, bind }) => [label, bind?.node])).toEqual([
    ["Wording", "line"],
    ["Your name", "name"],
  ]);
  const minted = await service.client.call<{ token: string }>("POST", "/api/v1/embed/tokens", {
    body: { workflow: id, interface: saved?.id, allowed_origins: ["http://localhost"] },
  });
  const response = await fetch(`${service.baseUrl}/api/embed/config`, {
    headers: { authorization: `Bearer ${minted.token}` },
  });
  const config = (await response.json()) as {
    readonly interface: { readonly name: string };
    readonly fields: readonly Entry[];
    readonly outputs: readonly Entry[];
  };
  expect(config.interface.name).toBe("For guests");
  expect(config.fields.map(({ key, label }) => [key, label])).toEqual([
    [saved?.fields[0]?.key, "Wording"],
    ["guest", "Your name"],
  ]);
  expect(JSON.parse(config.fields[0]?.default_value ?? "null")).toBe('Dear "[who]"');
  expect(config.outputs.map(({ label }) => label)).toEqual(["Your card"]);
  expect(complaints).toEqual([]);
  await page.close();
});

test("an error page passes the rules of accessibility in each theme and language", async () => {
  const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const { page } = await newPage(browser, { width: 320 });
  for (const locale of Object.keys(WORD_TABLES)) {
    for (const theme of ["light", "dark"]) {
      await page.goto(`${service.baseUrl}/embed/editor?locale=${locale}&theme=${theme}`);
      expect(await page.getAttribute('meta[name="svc-error"]', "content")).toBe("token_missing");
      expect(await page.getAttribute("html", "lang")).toBe(locale);
      await page.evaluate(axe);
      const { violations } = await page.evaluate<AxeResults>(
        `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })`,
      );
      expect(
        violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html ?? ""}`),
        `${locale} ${theme}`,
      ).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    }
  }
  await page.close();
});

describe("texts", () => {
  /** Puts brackets around each English text of the built script, which has the table as an object. */
  const bracket = (code: string): string =>
    Object.entries(WORD_TABLES.en)
      .flatMap(([key, text]) => (typeof text === "string" ? [[key, text]] : Object.entries(text)))
      .reduce((changed, [key = "", text = ""]) => {
        const literal = `${key}:\`${text}\``;
        if (!changed.includes(literal)) {
          throw new Error(`The built script has no text ${literal}.`);
        }
        return changed.replaceAll(literal, `${key}:\`⟦${text}⟧\``);
      }, code);
  /** What a person can read or hear, except what the catalog says of types, and the name of the canvas' package. */
  const READ = `(() => {
    const texts = [];
    const isLeftOut = (element) => element.closest("[data-svc-palette-item], [data-svc-palette] h2, .help, .react-flow__attribution, [aria-hidden=true]") !== null;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (!isLeftOut(parent) && parent.closest("script, style") === null) texts.push(walker.currentNode.data);
    }
    for (const element of document.querySelectorAll("body *")) {
      if (isLeftOut(element)) continue;
      for (const name of ["aria-label", "title", "alt", "placeholder", "aria-valuetext"]) {
        texts.push(element.getAttribute(name) ?? "");
      }
    }
    return texts;
  })()`;
  /** Words of the definition and of its types, of keys, and the product. */
  async function knownWords(): Promise<ReadonlySet<string>> {
    const entries = await Promise.all(
      [...new Set(DEFINITION.nodes.map(({ type }) => type))].map((type) =>
        service.client.call("GET", `/api/v1/node-types/${type}`),
      ),
    );
    const texts = JSON.stringify([DEFINITION, entries, "Controls Ctrl Shift Tab Enter Delete Esc"]);
    return new Set([...texts.matchAll(/\p{L}{2,}/gu)].map(([word]) => word.toLowerCase()));
  }

  async function rawWords(rewrite: (code: string) => string): Promise<readonly string[]> {
    const known = await knownWords();
    const { id } = await service.client.call<{ id: string }>("POST", "/api/v1/workflows", {
      body: { name: "Controls", definition: DEFINITION },
    });
    const { page } = await newPage(browser);
    await page.route("**/embed/assets/editor-*.js", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: rewrite(await response.text()) });
    });
    await visitEditor(page, service.baseUrl, { token, workflow: id });
    const found = new Set<string>();
    const collect = async () => {
      for (const text of await page.evaluate<string[]>(READ)) {
        for (const [word] of text.replaceAll(/⟦[^⟧]*⟧/g, " ").matchAll(/\p{L}{2,}/gu)) {
          if (!known.has(word.toLowerCase())) {
            found.add(word);
          }
        }
      }
    };
    await page.locator("[data-svc-issues][data-check=done]").waitFor();
    await collect();
    await page.click("[data-svc-node=line] .node-h");
    await page.locator("[data-svc-panel=line]").waitFor();
    await collect();
    await page.locator("body").press("?");
    await page.locator("dialog[open]").waitFor();
    await collect();
    await page.keyboard.press("Escape");
    await page.click("#tab-interfaces");
    await page.click("[data-svc-action=add-interface]");
    await page.locator("[data-svc-interface='0']").waitFor();
    await collect();
    await page.click("[data-svc-action=list]");
    await page.locator("[data-svc-list]").waitFor();
    await collect();
    await page.click("[data-svc-action=run]");
    await page.locator("[data-svc-action=start-run]").waitFor();
    await collect();
    await page.close();
    return [...found];
  }

  test("come from the language alone", async () => {
    expect(await rawWords(bracket)).toEqual([]);
    // A text that does not come from the language is found.
    expect(
      await rawWords((code) => bracket(code).replaceAll("save:`⟦Save⟧`", "save:`Keep now`")),
    ).toEqual(["Keep", "now"]);
  });

  test("are those of the page's language, in its direction", async () => {
    const { page, complaints } = await newPage(browser);
    await visitEditor(page, service.baseUrl, { token, name: "Neu", locale: "ar-EG" });
    expect(await page.getAttribute("html", "dir")).toBe("rtl");
    expect(await page.textContent("[data-svc-action=save]")).toBe(WORD_TABLES.ar.save);
    expect(await page.textContent("[data-svc-empty] b")).toBe(WORD_TABLES.ar.emptyTitle);
    // The palette is at the beginning of the line, the panel at its end.
    const palette = (await page.locator("[data-svc-palette]").boundingBox())!;
    const panel = (await page.locator("[data-svc-panel]").boundingBox())!;
    expect(palette.x).toBeGreaterThan(panel.x);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

/** The editor in a real browser: keys alone, the list view, a planted node type, conflicts, and the rules of accessibility. */
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { ApiClient } from "../../scripts/api-client.ts";
import { testInProof, testOfOneSize as test } from "../support/in-proof.ts";
import {
  newPage as newPageIn,
  type PageOptions,
  PATIENCE_MS,
  says,
  visitEditor,
} from "../support/node/editor-page.ts";
import { motionOf } from "../support/node/motion.ts";
import { openBrowser } from "../support/node/open-browser.ts";
import { type SharedService, sharedService } from "../support/node/shared-service.ts";

let service: SharedService;
let browser: Browser;
let token: string;
/** A page of another origin that embeds the editor, whose address is its query, and keeps the messages. */
let host: Server;
let hostOrigin: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([sharedService("own"), openBrowser()]);
  host = createServer((request, response) => {
    const query = new URL(request.url ?? "/", "http://localhost").search;
    const source = `${service.baseUrl}/embed/editor${query.replaceAll("&", "&amp;")}`;
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>Host</title><script>
      window.messages = [];
      addEventListener("message", ({ data }) => messages.push(data));
    </script><iframe title="Editor" width="1200" height="800" src="${source}"></iframe>`);
  });
  await new Promise<void>((resolve) => {
    host.listen(0, "127.0.0.1", resolve);
  });
  hostOrigin = `http://localhost:${String((host.address() as AddressInfo).port)}`;
  const minted = await service.client.call<{ token: string }>(
    "POST",
    "/api/v1/embed/editor/tokens",
    { body: { allowed_origins: [hostOrigin] } },
  );
  ({ token } = minted);
});

afterAll(async () => {
  await browser?.close();
  host?.close();
});

const newPage = (options: PageOptions = {}) => newPageIn(browser, options);
const visit = (page: Page, query: Readonly<Record<string, string>>) =>
  visitEditor(page, service.baseUrl, { token, ...query });

/** The editor as a page of its own, when it is ready. */
async function open(query: Readonly<Record<string, string>>, options: PageOptions = {}) {
  const opened = await newPage(options);
  await visit(opened.page, query);
  return opened;
}

/** Presses Tab until the element has the focus; every stop on the way is one that a person passes. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let stops = 0; stops < 400; stops += 1) {
    if (
      await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)}) === true`)
    ) {
      return;
    }
    // oxlint-disable-next-line no-await-in-loop -- one stop after another
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never reached ${selector}.`);
}

async function addByKeys(page: Page, search: string): Promise<void> {
  await page.locator("body").press("/");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(search);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
}

interface Definition {
  readonly nodes: readonly { readonly id: string; readonly type: string; label?: string }[];
  readonly connections: readonly { from: { node: string }; to: { node: string; port: string } }[];
}

async function definitionOf(name: string): Promise<Definition & { readonly id: string }> {
  const { data } = await service.client.call<{ data: { id: string; name: string }[] }>(
    "GET",
    "/api/v1/workflows",
  );
  const id = data.find((workflow) => workflow.name === name)!.id;
  return {
    id,
    ...(await service.client.call<Definition>("GET", `/api/v1/workflows/${id}/definition`)),
  };
}

const CHAIN = {
  nodes: [
    { id: "name", type: "input/text", label: "Name", parameters: {}, position: { x: 0, y: 0 } },
    { id: "picture", type: "input/image", parameters: {}, position: { x: 0, y: 200 } },
    {
      id: "line",
      type: "text/template",
      parameters: { template: "Hello [who]", placeholders: [{ inputPort: "who" }] },
      position: { x: 280, y: 0 },
    },
    { id: "out", type: "output/text", label: "Line", parameters: {}, position: { x: 560, y: 0 } },
    { id: "shown", type: "output/image", parameters: {}, position: { x: 560, y: 200 } },
  ],
  connections: [
    { from: { node: "name", port: "text" }, to: { node: "line", port: "who" } },
    { from: { node: "line", port: "text" }, to: { node: "out", port: "text" } },
    { from: { node: "picture", port: "image" }, to: { node: "shown", port: "image" } },
  ],
};

async function createWorkflow(name: string, definition: object = CHAIN): Promise<string> {
  const { id } = await service.client.call<{ id: string }>("POST", "/api/v1/workflows", {
    body: { name, definition },
  });
  return id;
}

/** A workflow that a runtime token may be for. */
async function publishedEcho(): Promise<string> {
  const id = await createWorkflow("Published");
  await service.client.call("POST", `/api/v1/workflows/${id}/publish`);
  return id;
}

test("builds, wires, saves and runs a workflow by the keyboard alone", async () => {
  const { page, complaints } = await open({ name: "Made by keys" });
  expect(page.url()).not.toContain(token);
  await page.locator("[data-svc-empty]").waitFor();
  await addByKeys(page, "input/text");
  await page.locator("[data-svc-node=text]:focus").waitFor();
  await addByKeys(page, "output/text");
  await page.locator("[data-svc-node=text_2]:focus").waitFor();
  await tabTo(page, '[data-svc-handle="text_2:in:text"]');
  await page.keyboard.press("Enter");
  await tabTo(page, '[data-svc-handle="text:out:text"]');
  await page.keyboard.press("Enter");
  await says(page, "Connected");
  await page.locator("[data-svc-node=text_2]").press("ArrowRight");
  expect(await page.getAttribute(".ed", "data-svc-dirty")).toBe("true");
  await page.keyboard.press("ControlOrMeta+s");
  await says(page, "Saved and published as version 1");
  expect(await page.getAttribute(".ed", "data-svc-dirty")).toBe("false");
  const saved = await definitionOf("Made by keys");
  expect(saved.connections).toEqual([
    { from: { node: "text", port: "text" }, to: { node: "text_2", port: "text" } },
  ]);

  await tabTo(page, "[data-svc-action=run]");
  await page.keyboard.press("Enter");
  await tabTo(page, "[data-svc-run-input]");
  await page.keyboard.type("Ada <b>& Co</b>");
  await tabTo(page, "[data-svc-action=start-run]");
  await page.keyboard.press("Enter");
  const gallery = page.locator("[data-svc-gallery]");
  await gallery.waitFor();
  // As text, not as markup.
  expect(await gallery.locator("pre").textContent()).toBe("Ada <b>& Co</b>");
  expect(await page.getAttribute("[data-svc-node=text_2]", "data-state")).toBe("completed");
  await page.keyboard.press("Escape");
  await gallery.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
  await page.close();
});

test("shows a planted node type with its ports, parameters and dynamic ports", async () => {
  const { page } = await newPage();
  const entry = {
    ...PLANTED,
    dynamic_ports: [
      {
        derivation: "named",
        direction: "input",
        parameter: "columns",
        items_path: "",
        name_field: "port",
        type_field: "type",
      },
    ],
  };
  await page.route("**/api/v1/node-types", async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: object[] };
    await route.fulfill({ response, json: { ...body, data: [...body.data, PLANTED] } });
  });
  await page.route("**/api/v1/node-types/planted/thing", async (route) => {
    await route.fulfill({
      json: { ...entry, capabilities: [], roles: [], has_dynamic_ports: true },
    });
  });
  await visit(page, { name: "Planted" });
  await page.click('[data-svc-palette-item="planted/thing"]');
  const node = page.locator('[data-svc-node=thing][data-type="planted/thing"]');
  await node.waitFor();
  await page.locator('[data-svc-handle="thing:out:made"][data-port=video]').waitFor();
  expect(await page.locator("[data-svc-parameter=shape] input[type=radio]").count()).toBe(2);
  expect(await page.locator("[data-svc-parameter=size]").count()).toBe(0);
  await page.locator("[data-svc-parameter=shape] label", { hasText: "round" }).click();
  await page.locator("[data-svc-parameter=size] input").fill("12");
  await page.locator("[data-svc-parameter=columns] button", { hasText: "Add row" }).click();
  await page.locator("[data-svc-parameter=columns] input").first().fill("title");
  await page.locator('[data-svc-handle="thing:in:title"][data-port=text]').waitFor();
  await page.locator("[data-svc-parameter=columns] select").selectOption("number");
  await page.locator('[data-svc-handle="thing:in:title"][data-port=number]').waitFor();
  await page.close();
});

const PLANTED = {
  type: "planted/thing",
  version: "1.0",
  name: "Planted thing",
  description: "A type that the service does not have.",
  when_to_use: "Never.",
  category: "planted",
  sub_category: null,
  status: "stable",
  supports_effects: false,
  enumerable: false,
  inputs: [],
  outputs: [
    { name: "made", type: "video", required: true, label: "Made", multi: false, enumerable: false },
  ],
  parameters: [
    parameter("shape", "enum", { type: "string", enum: ["square", "round"], default: "square" }),
    {
      ...parameter("size", "integer", { type: "integer", minimum: 1, maximum: 20 }),
      visible_when: { parameter: "shape", value: ["round"] },
    },
    parameter("columns", "json", {
      type: "array",
      items: {
        type: "object",
        properties: {
          port: { type: "string" },
          type: {
            type: "string",
            enum: ["text", "number", "image", "video", "audio"],
            default: "text",
          },
        },
        required: ["port", "type"],
      },
    }),
  ],
  cost_milli_credits: 0,
  cost_unit: null,
  time_limit_ms: null,
  needs: [],
  icon: "no-such-icon",
  color: "#336699",
};

function parameter(name: string, type: string, valueSchema: object) {
  return {
    name,
    type,
    label: name,
    required: false,
    advanced: false,
    exposable: true,
    hidden: false,
    value_schema: valueSchema,
  };
}

describe("embedded in a page of another origin", () => {
  interface Message {
    readonly type: string;
    readonly payload: Record<string, unknown>;
  }

  /** The editor in a frame of a page of another origin, which keeps the messages. */
  async function embed(query: Record<string, string>, prepare = (_page: Page): void => undefined) {
    const { page } = await newPage();
    prepare(page);
    await page.goto(`${hostOrigin}/?${new URLSearchParams({ token, ...query })}`);
    const heard = async (type: string, count = 1): Promise<Message> => {
      await page.waitForFunction(
        ([wanted, least]) =>
          (globalThis as unknown as { messages: Message[] }).messages.filter(
            (message) => message.type === wanted,
          ).length >= Number(least),
        [type, count] as const,
      );
      const all = (await page.evaluate("messages")) as Message[];
      return all.filter((message) => message.type === type).at(-1)!;
    };
    const post = async (message: object): Promise<void> => {
      const [data, origin] = [JSON.stringify(message), JSON.stringify(service.baseUrl)];
      await page.evaluate(
        `document.querySelector("iframe").contentWindow.postMessage(${data}, ${origin})`,
      );
    };
    const { acceptedMessages } = (await heard("svc:editor:ready")).payload;
    expect(acceptedMessages).toContain("svc:editor:save");
    const frame = page.frames().find((each) => each.url().includes("/embed/editor"))!;
    return { page, frame, heard, post };
  }

  testInProof("says why it cannot load, and is ready once a second attempt succeeds", async () => {
    const { page } = await newPage();
    let isDown = true;
    await page.route("**/api/v1/node-types**", (route) =>
      isDown
        ? route.fulfill({ status: 503, json: { code: "service_unavailable", title: "Down" } })
        : route.continue(),
    );
    await page.goto(`${hostOrigin}/?${new URLSearchParams({ token, name: "Late" })}`);
    const heard = (type: string) =>
      page.waitForFunction((wanted) => {
        const { messages } = globalThis as unknown as { readonly messages: readonly Message[] };
        return messages.find((message) => message.type === wanted)?.payload;
      }, type);
    expect(await (await heard("svc:error")).jsonValue()).toMatchObject({
      code: "service_unavailable",
    });
    isDown = false;
    await page.frameLocator("iframe").locator(".failure button").click();
    expect(await (await heard("svc:editor:ready")).jsonValue()).toMatchObject({ version: "1" });
    await page.close();
  });

  test("that could not load loads with a new token of its host", async () => {
    const { token: renewed } = await service.client.call<{ token: string }>(
      "POST",
      "/api/v1/embed/editor/tokens",
      { body: { allowed_origins: [hostOrigin] } },
    );
    const { page } = await newPage();
    await page.route("**/api/v1/node-types**", (route) =>
      route.request().headers()["authorization"] === `Bearer ${token}`
        ? route.fulfill({ status: 401, json: { code: "unauthorized", reason: "token_expired" } })
        : route.continue(),
    );
    await page.goto(`${hostOrigin}/?${new URLSearchParams({ token, name: "Renewed" })}`);
    const count = (type: string) =>
      page.evaluate<number>(`messages.filter(({ type }) => type === "${type}").length`);
    const setToken = async (given: string, requestId: string) => {
      const command = { type: "svc:setToken", payload: { token: given }, requestId };
      await page.evaluate(
        `document.querySelector("iframe").contentWindow.postMessage(${JSON.stringify(command)}, ${JSON.stringify(service.baseUrl)})`,
      );
      const answered = await page.waitForFunction(
        (id) =>
          (globalThis as unknown as { readonly messages: readonly Message[] }).messages.find(
            ({ type, payload }) => type === "svc:result" && payload["requestId"] === id,
          )?.payload,
        requestId,
      );
      return await answered.jsonValue();
    };
    await expect.poll(() => count("svc:error"), { timeout: PATIENCE_MS }).toBe(1);
    expect(await setToken("x", "wrong")).toMatchObject({ error: { code: "wrong_token" } });
    expect(await setToken(token, "same")).toMatchObject({ error: { code: "token_expired" } });
    expect(await count("svc:editor:ready")).toBe(0);
    expect(await setToken(renewed, "renewed")).toMatchObject({ ok: true });
    expect(await count("svc:editor:ready")).toBe(1);
    expect(await page.frameLocator("iframe").locator(".failure").count()).toBe(0);
    await page.close();
  });

  test("keeps the local work when another save was first, and overwrites when told to", async () => {
    const id = await createWorkflow("Contested");
    const { page, frame, heard, post } = await embed({ workflow: id });
    await frame.locator("[data-svc-node=name] .node-h").click();
    await frame.locator("#node-label").fill("Mine");
    const response = await service.client.send("GET", `/api/v1/workflows/${id}/definition`);
    await service.client.call("PUT", `/api/v1/workflows/${id}/definition`, {
      body: { ...CHAIN, settings: {} },
      headers: { "if-match": response.headers.get("etag")! },
    });
    await post({ type: "svc:editor:save", payload: {}, requestId: "r1" });
    expect(await heard("svc:editor:saveFailed")).toMatchObject({
      payload: { code: "precondition_failed", requestId: "r1" },
    });
    expect(await heard("svc:result")).toMatchObject({
      payload: { requestId: "r1", ok: false, error: { code: "precondition_failed" } },
    });
    await frame.locator("[data-svc-conflict]").waitFor();
    expect(await frame.locator("#node-label").inputValue()).toBe("Mine");
    await frame.locator("[data-svc-action=overwrite]").click();
    expect(await heard("svc:editor:saved")).toMatchObject({
      payload: { workflowId: id, name: "Contested", version: 1, created: false },
    });
    await expect
      .poll(() => frame.locator("[data-svc-conflict]").count(), { timeout: PATIENCE_MS })
      .toBe(0);
    expect((await definitionOf("Contested")).nodes[0]?.label).toBe("Mine");
    await post({ type: "svc:editor:save", payload: {}, requestId: "r2" });
    expect(await heard("svc:result", 2)).toMatchObject({
      payload: { requestId: "r2", ok: true, value: { workflowId: id } },
    });
    await page.close();
  });

  test("saves and runs by a command, and wears the theme and the style sheet of its host", async () => {
    const definition = {
      nodes: [
        { id: "line", type: "text/template", parameters: { template: "Hello" } },
        { id: "out", type: "output/text", label: "Line", parameters: {} },
      ],
      connections: [{ from: { node: "line", port: "text" }, to: { node: "out", port: "text" } }],
    };
    const id = await createWorkflow("Commanded", definition);
    const { page, frame, heard, post } = await embed({ workflow: id });
    await post({ type: "svc:editor:setTheme", payload: { mode: "dark", primaryColor: "#ff0000" } });
    await frame.locator("[data-svc-root][data-theme=dark]").waitFor();
    // `auto` is the scheme of the system, at each moment.
    await post({ type: "svc:editor:setTheme", payload: { mode: "auto" } });
    for (const colorScheme of ["light", "dark"] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await page.emulateMedia({ colorScheme });
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await frame.locator(`[data-svc-root][data-theme=${colorScheme}]`).waitFor();
    }
    await post({ type: "svc:editor:setTheme", payload: { primaryColor: "url(x)" } });
    expect(await heard("svc:error")).toMatchObject({ payload: { code: "invalid_theme" } });
    const css = ".node { outline: 3px solid rgb(1, 2, 3); background: url(https://example.com/x) }";
    await post({ type: "svc:editor:setCustomCss", payload: { css }, requestId: "css" });
    expect(await heard("svc:error", 2)).toMatchObject({ payload: { code: "css_sanitized" } });
    const outline = "getComputedStyle(document.querySelector('.node')).outlineColor";
    expect(await frame.evaluate(outline)).toBe("rgb(1, 2, 3)");
    await post({ type: "svc:editor:run", payload: {}, requestId: "run" });
    expect(await heard("svc:result", 2)).toMatchObject({
      payload: { requestId: "run", ok: true, value: { status: "completed" } },
    });
    expect(await heard("svc:editor:saved")).toMatchObject({ payload: { workflowId: id } });
    await frame.locator("[data-svc-gallery] pre", { hasText: "Hello" }).waitFor();
    // A run has no event of its own, and the editor tells no size.
    const types = await page.evaluate<string[]>("messages.map(({ type }) => type)");
    expect([...new Set(types)].toSorted()).toEqual([
      "svc:editor:ready",
      "svc:editor:saved",
      "svc:error",
      "svc:result",
    ]);
    await page.close();
  });

  test("works on with a renewed token, and keeps both out of addresses, referrers, bodies, HTML, storage, messages, logs and the console", async () => {
    const { client } = service;
    const mintFrom = (body: object, from = client) =>
      from.call<{ token: string }>("POST", "/api/v1/embed/editor/tokens", {
        body: { allowed_origins: [hostOrigin], ...body },
      });
    const { token: renewed } = await mintFrom({ end_user_id: "ann" });
    const { token: foreign } = await mintFrom({}, (await sharedService("own")).client);
    const { token: runtime } = await client.call<{ token: string }>(
      "POST",
      "/api/v1/embed/tokens",
      { body: { workflow: await publishedEcho(), allowed_origins: [hostOrigin] } },
    );
    const id = await createWorkflow("Renewed");
    const sent: { readonly shown: string; readonly authorization: string }[] = [];
    const lines: string[] = [];
    const { page, frame, heard, post } = await embed({ workflow: id }, (opened) => {
      opened.on("console", (message) => lines.push(message.text()));
      opened.on("pageerror", (error) => lines.push(error.stack ?? error.message));
      opened.on("request", (request) => {
        const { authorization = "", referer = "" } = request.headers();
        // The address of the frame has the token, which the host's page was given here in its own.
        if (!request.isNavigationRequest()) {
          const shown = `${request.url()} ${referer} ${request.postData() ?? ""}`;
          sent.push({ shown, authorization });
        }
      });
    });
    for (const wrong of [foreign, runtime, "x", 5, `${renewed.split(".")[0]}..`]) {
      const count = await page.evaluate<number>(
        `messages.filter(({ type }) => type === "svc:result").length`,
      );
      await post({ type: "svc:setToken", payload: { token: wrong }, requestId: "wrong" });
      expect(await heard("svc:result", count + 1)).toMatchObject({
        payload: { requestId: "wrong", ok: false, error: { code: "wrong_token" } },
      });
    }
    const asked = sent.length;
    await frame.locator("[data-svc-node=name] .node-h").click();
    await frame.locator("#node-label").fill("Mine");
    await post({ type: "svc:setToken", payload: { token: renewed }, requestId: "renew" });
    await post({ type: "svc:editor:save", payload: {}, requestId: "save" });
    expect(await heard("svc:editor:saved")).toMatchObject({ payload: { workflowId: id } });
    const bearers = (requests: typeof sent) =>
      new Set(requests.map(({ authorization }) => authorization.replace("Bearer ", "")));
    expect(bearers(sent.slice(0, asked).filter((each) => each.authorization !== ""))).toEqual(
      new Set([token]),
    );
    const later = sent.slice(asked).filter(({ shown }) => /definition|publish/.test(shown));
    expect([later.length, bearers(later)]).toEqual([2, new Set([renewed])]);
    const held = await frame.evaluate(`(async () => JSON.stringify([
      location.href, document.referrer, document.cookie, history.state, window.name,
      document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }, await indexedDB.databases(),
    ]))()`);
    const places = {
      held,
      console: lines.join("\n"),
      messages: JSON.stringify(await page.evaluate("messages")),
      requests: sent.map(({ shown }) => shown).join("\n"),
      log: service.log(),
    };
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [token, renewed, foreign, runtime]) {
        // The signature is what makes it a token.
        expect(String(text).includes(secret.split(".")[2]!), place).toBe(false);
      }
    }
    await page.close();
  });

  testInProof("gives the local work up for theirs", async () => {
    const id = await createWorkflow("Theirs");
    const { page } = await open({ workflow: id });
    await page.click("[data-svc-node=name] .node-h");
    await page.fill("#node-label", "Mine");
    const response = await service.client.send("GET", `/api/v1/workflows/${id}/definition`);
    await service.client.call("PUT", `/api/v1/workflows/${id}/definition`, {
      body: {
        ...CHAIN,
        nodes: CHAIN.nodes.map((node) => ({ ...node, label: `Their ${node.id}` })),
      },
      headers: { "if-match": response.headers.get("etag")! },
    });
    await page.click("[data-svc-action=save]");
    await page.click("[data-svc-action=load-theirs]");
    await page.locator("[data-svc-node=name] b", { hasText: "Their name" }).waitFor();
    await page.close();
  });
});

describe("the editor", () => {
  testInProof("refuses a connection with its code and reason, and takes steps back", async () => {
    const { page, complaints } = await open({ workflow: await createWorkflow("Refusing") });
    await page.click('[data-svc-handle="picture:out:image"]');
    await page.click('[data-svc-handle="line:in:template"]');
    await says(page, "CONNECTION_TYPE_MISMATCH");
    await page.keyboard.press("Escape");
    await page.click('[data-svc-handle="picture:out:image"]');
    await page.click('[data-svc-handle="shown:in:image"]');
    await says(page, "PORT_ALREADY_CONNECTED");
    await page.keyboard.press("Escape");
    await page.click('[data-svc-handle="line:out:text"]');
    await page.click('[data-svc-handle="line:in:template"]');
    await says(page, "CYCLE");
    // The line leaves after some seconds. The same refusal is shown again, as an element of its own.
    const opacity = await page.evaluate<string>(`(() => {
      const shown = document.querySelector("[data-svc-status] > *");
      shown.dataset.former = "";
      for (const animation of shown.getAnimations()) animation.finish();
      return getComputedStyle(shown).opacity;
    })()`);
    expect(opacity).toBe("0");
    await page.click('[data-svc-handle="line:in:template"]');
    await page
      .locator("[data-svc-status] > :not([data-former])", { hasText: "CYCLE" })
      .waitFor({ state: "attached" });
    await page.keyboard.press("Escape");

    const wires = page.locator(".react-flow__edge");
    await expect.poll(() => wires.count(), { timeout: PATIENCE_MS }).toBe(3);
    await page.click("[data-svc-node=line] .node-h");
    await page.click("[data-svc-parameter=placeholders] [aria-label='Remove row 1']");
    await says(page, "Removed connections of ports that are gone: name.text – line.who");
    await expect.poll(() => wires.count(), { timeout: PATIENCE_MS }).toBe(2);
    await page.click("[data-svc-action=undo]");
    await page.locator('[data-svc-handle="line:in:who"]').waitFor();
    await expect.poll(() => wires.count(), { timeout: PATIENCE_MS }).toBe(3);
    expect(complaints).toEqual([]);
    await page.close();
  });

  testInProof(
    "shows issues on the node, in the list and beside the parameter, and goes there",
    async () => {
      const definition = {
        ...CHAIN,
        nodes: CHAIN.nodes.map((node) =>
          node.id === "line" ? { ...node, parameters: { ...node.parameters, planted: 1 } } : node,
        ),
        connections: CHAIN.connections.slice(1),
      };
      const { page } = await open({ workflow: await createWorkflow("Faulty", definition) });
      await page.locator("[data-svc-issues][data-check=done]").waitFor();
      const entries = page.locator("[data-svc-issue=line]");
      expect(await entries.count()).toBeGreaterThan(0);
      await page.locator("[data-svc-node=line] .badge").waitFor();
      await page.click("[data-svc-node=name] .node-h");
      await entries.first().focus();
      await page.keyboard.press("Enter");
      await page.locator("[data-svc-panel=line]").waitFor();
      await page.close();
    },
  );

  test("edits, saves and runs through the list view", async () => {
    const { page, complaints } = await open({ name: "Made in the list" }, { width: 360 });
    await page.locator("[data-svc-list]").waitFor();
    for (const type of ["input/text", "text/template", "output/text"]) {
      // oxlint-disable-next-line no-await-in-loop -- one node after another
      await page.click("[data-svc-action=add]");
      // oxlint-disable-next-line no-await-in-loop -- one node after another
      await page.click(`[data-svc-palette-item="${type}"]`);
    }
    await page.locator("[data-svc-list-node=text_2]").waitFor();
    const select = (input: string) => page.locator(`[data-svc-list-input="${input}"]`);
    await select("template:template").selectOption("text:text");
    await select("text_2:text").selectOption("template:text");
    expect(await select("text_2:text").locator("option").allTextContents()).toHaveLength(3);
    await select("text_2:text").selectOption("");
    await select("text_2:text").selectOption("template:text");
    await page.click("[data-svc-action=run]");
    await page.fill("[data-svc-run-input]", "Through the list");
    await page.click("[data-svc-action=start-run]");
    expect(await page.locator("[data-svc-gallery] pre").textContent()).toBe("Through the list");
    await page.keyboard.press("Escape");
    await page.locator('[data-svc-list-node=text_2][data-state="completed"]').waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    const wider = () =>
      page.evaluate(`[document.documentElement, ...document.querySelectorAll(".ed, .list, .ln, .ln *")]
        .filter((element) => element.getBoundingClientRect().right > innerWidth || (element.matches("html, .list") && element.scrollWidth > element.clientWidth)).length`);
    expect(await wider()).toBe(0);
    // The same look finds a row that is too wide.
    await page.evaluate(`document.querySelector(".ln-h").style.inlineSize = "400px"`);
    expect(await wider()).not.toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("moves, deletes, takes back, selects all and explains its keys, and lays a graph out in one step", async () => {
    const { page, complaints } = await open({ workflow: await createWorkflow("Keys") });
    const places = async () => {
      await page.keyboard.press("ControlOrMeta+s");
      await expect
        .poll(() => page.getAttribute(".ed", "data-svc-dirty"), { timeout: PATIENCE_MS })
        .toBe("false");
      const { nodes } = await definitionOf("Keys");
      return new Map(
        nodes.map((node) => [
          node.id,
          (node as unknown as { readonly position: { x: number; y: number } }).position,
        ]),
      );
    };
    const count = (number: number) =>
      expect
        .poll(() => page.locator("[data-svc-node]").count(), { timeout: PATIENCE_MS })
        .toBe(number);
    const name = page.locator("[data-svc-node=name]");
    await name.focus();
    for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowUp"]) {
      // oxlint-disable-next-line no-await-in-loop -- one key after another
      await page.keyboard.press(key);
    }
    const moved = await places();
    expect([moved.get("name"), moved.get("line")]).toEqual([
      { x: 20, y: -10 },
      { x: 280, y: 0 },
    ]);
    await name.focus();
    await page.keyboard.press("Delete");
    await count(4);
    await page.keyboard.press("ControlOrMeta+z");
    await count(5);
    await expect
      .poll(() => page.locator(".react-flow__edge").count(), { timeout: PATIENCE_MS })
      .toBe(3);
    await page.keyboard.press("ControlOrMeta+Shift+Z");
    await count(4);
    await page.keyboard.press("ControlOrMeta+z");
    await page.locator("[data-svc-node=line]").focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("Delete");
    await count(0);
    await page.keyboard.press("ControlOrMeta+z");
    await count(5);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.click("[data-svc-action=layout]");
    await expect
      .poll(() => page.getAttribute(".ed", "data-svc-dirty"), { timeout: PATIENCE_MS })
      .toBe("true");
    const laid = await places();
    const columns = ["name", "line", "out"].map((id) => laid.get(id)!.x);
    expect(columns).toEqual([...columns].sort((a, b) => a - b));
    expect(new Set(columns).size).toBe(3);
    await page.locator("[data-svc-node=line]").focus();
    await page.keyboard.press("ControlOrMeta+z");
    expect(await places()).toEqual(moved);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("takes a drag as one step, lays out in a worker, and fits the graph beside what lies over the canvas", async () => {
    const { page, complaints } = await open({ workflow: await createWorkflow("Dragged") });
    const place = (node: string) =>
      page.evaluate<string>(
        `document.querySelector('.react-flow__node[data-id="${node}"]').style.transform`,
      );
    const places = async () => [await place("name"), await place("shown")];
    const isEnabled = (action: string) => page.isEnabled(`[data-svc-action=${action}]`);
    /** As a hand does, over several frames of the browser. */
    const drag = async (node: string, dx: number, dy: number) => {
      const box = (await page.locator(`[data-svc-node=${node}] .node-h`).boundingBox())!;
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      const seen = new Set<string>();
      for (let step = 1; step <= 8; step += 1) {
        // oxlint-disable-next-line no-await-in-loop -- one movement after another
        await page.mouse.move(x + (dx * step) / 8, y + (dy * step) / 8);
        // oxlint-disable-next-line no-await-in-loop -- one movement after another
        seen.add(await place(node));
      }
      await page.mouse.up();
      // What the last movement changed is drawn in one of the next two frames.
      await page.evaluate(
        "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
      );
      // The document changed with each movement, so that a step for each would be possible.
      expect(seen.size).toBeGreaterThan(4);
    };
    const start = await places();
    expect(await isEnabled("undo")).toBe(false);
    await drag("name", 90, -40);
    const once = await places();
    await drag("name", 30, -30);
    await drag("shown", -60, 50);
    const thrice = await places();
    expect([once[0] === start[0], once[1], thrice[1] === start[1]]).toEqual([
      false,
      start[1],
      false,
    ]);
    for (let step = 0; step < 2; step += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one step after another
      await page.keyboard.press("ControlOrMeta+z");
    }
    await expect.poll(places, { timeout: PATIENCE_MS }).toEqual(once);
    await page.keyboard.press("ControlOrMeta+z");
    await expect.poll(places, { timeout: PATIENCE_MS }).toEqual(start);
    expect(await isEnabled("undo")).toBe(false);
    for (let step = 0; step < 3; step += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one step after another
      await page.keyboard.press("ControlOrMeta+Shift+Z");
    }
    await expect.poll(places, { timeout: PATIENCE_MS }).toEqual(thrice);
    expect(await isEnabled("redo")).toBe(false);

    // Without the worker's script nothing is laid out, which the page says.
    await page.route("**/embed/assets/layout-worker-*.js", (route) => route.abort());
    await page.click("[data-svc-action=layout]");
    await says(page, "The command failed.");
    expect(await places()).toEqual(thrice);
    await page.unroute("**/embed/assets/layout-worker-*.js");
    const [worker] = await Promise.all([
      page.waitForEvent("worker"),
      page.click("[data-svc-action=layout]"),
    ]);
    expect(worker.url()).toMatch(/\/embed\/assets\/layout-worker-[\w-]{8}\.js$/);
    await says(page, "Arranged.");
    // The text is in the page before the cards are drawn at their new places.
    await expect.poll(places, { timeout: PATIENCE_MS }).not.toEqual(thrice);

    /** Cards that are cut by the edge of the canvas, or lie below what is over it. */
    const covered = () =>
      page.evaluate<string[]>(`(() => {
        const box = (selector) => document.querySelector(selector).getBoundingClientRect();
        const canvas = box("[data-svc-canvas]");
        const over = [box(".minimap"), box(".zoom")];
        return [...document.querySelectorAll("[data-svc-node]")].filter((card) => {
          const { left, right, top, bottom } = card.getBoundingClientRect();
          return left < canvas.left || right > canvas.right || top < canvas.top || bottom > canvas.bottom ||
            over.some((each) => left < each.right && right > each.left && top < each.bottom && bottom > each.top);
        }).map((card) => card.dataset.svcNode);
      })()`);
    // A high graph and a wide one: what is over the canvas lies in its lower corners.
    for (const [dx, dy] of [
      [0, 420],
      [560, 0],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await page.locator(".zoom-n").click();
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await drag("shown", dx, dy);
      // A card that is selected would be shown at 100 %.
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await page.keyboard.press("Escape");
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await page.click("[data-svc-action=fit]");
      await expect.poll(covered, { timeout: PATIENCE_MS }).toEqual([]);
    }
    // The same look finds a card below the overview.
    const map = (await page.locator(".minimap").boundingBox())!;
    const card = (await page.locator("[data-svc-node=shown] .node-h").boundingBox())!;
    await page.mouse.move(card.x + 20, card.y + card.height / 2);
    await page.mouse.down();
    await page.mouse.move(map.x - 20, map.y + 20, { steps: 4 });
    await page.mouse.up();
    expect(await covered()).toContain("shown");
    // The first of two complaints is the browser's, about the script that was held back.
    expect(complaints.filter((text) => !text.includes("net::ERR_FAILED"))).toEqual([]);
    await page.close();
  });

  test("nothing moves where the person asked for reduced motion", async () => {
    const texts = new Set(["name", "line", "out"]);
    const id = await createWorkflow("Still", {
      nodes: CHAIN.nodes.filter((node) => texts.has(node.id)),
      connections: CHAIN.connections.filter(({ from }) => texts.has(from.node)),
    });
    const look = async (reducedMotion: "reduce" | "no-preference") => {
      const { page } = await newPage({ reducedMotion });
      await page.route("**/api/v1/executions", (route) =>
        route.fulfill({ status: 202, json: { id: `run_${"1".repeat(32)}`, status: "pending" } }),
      );
      // A run that goes on: the stream ends, and the page asks again.
      await page.route(/\/api\/v1\/executions\/run_\w+(\/events)?$/, (route) =>
        route.fulfill(
          route.request().url().endsWith("/events")
            ? {
                contentType: "text/event-stream",
                body: `id: 1-1\nevent: status\ndata: {"status":"running"}\n\nid: 1-2\nevent: node\ndata: {"node_id":"line","state":"running"}\n\n`,
              }
            : { json: { status: "running", progress: 10 } },
        ),
      );
      await visit(page, { workflow: id });
      await page.click("[data-svc-action=run]");
      await page.locator("[data-svc-run-input]").first().fill("Ada");
      await page.click("[data-svc-action=start-run]");
      await page.locator("[data-svc-node=line][data-state=running]").waitFor();
      await page.locator(".react-flow__edge.flow").first().waitFor({ state: "attached" });
      // The package's own class of wires, which this page gives to none.
      const seen = await motionOf(page, [
        ".react-flow__edge.animated path",
        ".react-flow__connection .animated",
      ]);
      expect(await page.locator(".react-flow .animated").count()).toBe(0);
      await page.close();
      return seen;
    };
    expect(await look("reduce")).toEqual({ animations: [], transitions: [], unstilled: [] });
    // The same look finds what moves for everybody else.
    const { animations, transitions } = await look("no-preference");
    const names = new Set(animations.map((animation) => animation.split(" ")[0]));
    expect([names.has("flow"), names.has("turn"), transitions.length > 0]).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("copies nodes into another editor through the clipboard of the system, by keys and by buttons", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const id = await createWorkflow("Copied");
    const [{ page: from }, { page: to }] = await Promise.all([
      open({ workflow: id }, { permissions }),
      open({ name: "Pasted" }, { permissions }),
    ]);
    await from.bringToFront();
    await from.locator("[data-svc-node=name] .node-h").click();
    await from.keyboard.press("Escape");
    await from.keyboard.press("ControlOrMeta+A");
    await from.keyboard.press("ControlOrMeta+C");
    await says(from, "Copied 5 nodes");
    const text = await from.evaluate<string>("navigator.clipboard.readText()");
    expect(JSON.parse(text)).toMatchObject({
      svc: "graph/v1",
      nodes: CHAIN.nodes.map(({ id: node, type }) => ({ id: node, type })),
      connections: CHAIN.connections,
    });
    await to.bringToFront();
    await to.locator("[data-svc-empty]").waitFor();
    await to.keyboard.press("ControlOrMeta+V");
    await says(to, "Pasted 5 nodes");
    // By the button: once more, and each node gets an id of its own.
    await to.click("[data-svc-action=paste]");
    await to.locator("[data-svc-node]").nth(9).waitFor();
    const ids = await to.evaluate<string[]>(
      `[...document.querySelectorAll("[data-svc-node]")].map((node) => node.dataset.svcNode)`,
    );
    expect([ids.length, new Set(ids).size]).toEqual([10, 10]);
    await to.click("[data-svc-action=save]");
    await says(to, "Saved and published as version 1");
    const saved = await definitionOf("Pasted");
    const typeOf = new Map(saved.nodes.map((node) => [node.id, node.type]));
    const ends = saved.connections.map(
      ({ from: source, to: target }) => `${typeOf.get(source.node)!} ${typeOf.get(target.node)!}`,
    );
    expect(ends.toSorted()).toEqual(
      ["input/image output/image", "input/text text/template", "text/template output/text"].flatMap(
        (pair) => [pair, pair],
      ),
    );
    // By both buttons.
    await from.bringToFront();
    await from.keyboard.press("Escape");
    await from.locator("[data-svc-node=line] .node-h").click();
    await from.click("[data-svc-action=copy]");
    await says(from, "Copied 1 node.");
    await to.bringToFront();
    await to.click("[data-svc-action=paste]");
    await says(to, "Pasted 1 node.");
    expect(await to.locator("[data-svc-node]").count()).toBe(11);
    await Promise.all([from.close(), to.close()]);
  });

  testInProof("has no Run for a token that may not run", async () => {
    const { baseUrl, credentials } = service;
    const response = await fetch(`${baseUrl}/admin/v1/api-keys`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${credentials.admin_token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        workspace_id: credentials.workspace_id,
        name: "Edits",
        permissions: ["ws:workflows:manage", "ws:workflows:read"],
      }),
    });
    const { client_id, client_secret } = (await response.json()) as Record<string, string>;
    const edits = new ApiClient({
      ...credentials,
      client_id: client_id ?? "",
      client_secret: client_secret ?? "",
    });
    const minted = await edits.call<{ token: string }>("POST", "/api/v1/embed/editor/tokens", {
      body: { allowed_origins: [hostOrigin] },
    });
    const { page } = await newPage();
    await visitEditor(page, baseUrl, { token: minted.token, name: "Edited" });
    expect(await page.locator("[data-svc-action=save]").count()).toBe(1);
    expect(await page.locator("[data-svc-action=run]").count()).toBe(0);
    await page.close();
  });

  testInProof("is read-only once the service refuses to save", async () => {
    const { page } = await open({ workflow: await createWorkflow("Forbidden") });
    await page.route("**/definition", async (route) => {
      await (route.request().method() === "PUT"
        ? route.fulfill({ status: 403, json: { code: "forbidden", title: "Forbidden" } })
        : route.continue());
    });
    await page.click("[data-svc-action=save]");
    await page.locator("[data-svc-action=save]").waitFor({ state: "detached" });
    await page.click("[data-svc-node=name] .node-h");
    expect(await page.locator("#node-label").isDisabled()).toBe(true);
    await page.close();
  });

  testInProof(
    "pastes 1,000 nodes with 1,500 wires, and says that they cannot be saved",
    async () => {
      const { page } = await open({ name: "Many" });
      const many = {
        svc: "graph/v1",
        nodes: Array.from({ length: 1_000 }, (_, at) => ({
          id: `n${String(at)}`,
          type: "utility/merge",
          label: `<b>${String(at)}</b>`,
          position: { x: (at % 40) * 260, y: Math.floor(at / 40) * 200 },
        })),
        connections: Array.from({ length: 1_500 }, (_, at) => ({
          from: { node: `n${String(at % 999)}`, port: "value" },
          to: { node: `n${String((at % 999) + 1)}`, port: "inputs" },
        })),
      };
      const text = JSON.stringify(JSON.stringify(many));
      await page.evaluate(`{
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", ${text});
        document.body.dispatchEvent(
          new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
        );
      }`);
      await says(page, "Pasted 1,000 nodes");
      await says(page, "at most 500 nodes");
      await page.locator("[data-svc-node]").first().waitFor();
      await page.keyboard.press("Escape");
      await page.click("[data-svc-action=fit]");
      const outside = `(() => {
        const canvas = document.querySelector("[data-svc-canvas]").getBoundingClientRect();
        const cards = [...document.querySelectorAll("[data-svc-node]")].map((card) => card.getBoundingClientRect());
        return [cards.length, cards.filter(({ left, right, top, bottom }) =>
          left < canvas.left || right > canvas.right || top < canvas.top || bottom > canvas.bottom).length];
      })()`;
      await expect.poll(() => page.evaluate(outside), { timeout: PATIENCE_MS }).toEqual([1_000, 0]);
      expect(await page.locator("[data-svc-node] b b").count()).toBe(0);
      await page.click("[data-svc-action=save]");
      await says(page, /Nothing was published|Not saved/);
      await page.close();
    },
  );

  // Each language in each theme, each width in each theme. On a phone the list is shown.
  testInProof.each([
    ["light", 1440, "en"],
    ["dark", 1440, "ja"],
    ["light", 1024, "de"],
    ["dark", 1024, "ar"],
    ["light", 768, "ar"],
    ["dark", 768, "de"],
    ["light", 360, "es"],
    ["dark", 360, "en"],
    ["light", 320, "fr"],
    ["dark", 320, "es"],
    ["light", 1440, "ja"],
    ["dark", 768, "fr"],
  ] as const)(
    "passes the rules of accessibility in the %s theme at %i px in the language %s",
    async (colorScheme, width, locale) => {
      const axe = await readFile(
        createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
        "utf8",
      );
      const texts = /name|line|out/;
      const definition = {
        ...CHAIN,
        nodes: CHAIN.nodes.filter(({ id }) => texts.test(id)),
        connections: CHAIN.connections.filter(({ from }) => texts.test(from.node)),
      };
      const { page } = await open(
        { workflow: await createWorkflow("Accessible", definition), locale },
        { width, colorScheme },
      );
      const judge = async (state: string) => {
        await page.evaluate(axe);
        // The line of the status leaves after some seconds: while it fades, or a color changes, the contrast is any.
        await page.evaluate(`for (const animation of document.getAnimations()) {
          if (animation instanceof CSSTransition) animation.finish();
          else {
            animation.currentTime = 0;
            animation.pause();
          }
        }`);
        const { violations } = (await page.evaluate(
          `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })`,
        )) as AxeResults;
        const found = violations.flatMap(({ id, nodes }) =>
          nodes.map(({ html }) => `${id}: ${html}`),
        );
        expect(found, state).toEqual([]);
      };
      expect(await page.getAttribute("html", "lang")).toBe(locale);
      await judge("loaded");
      await page.locator("[data-svc-node=line], [data-svc-list-node=line] .ln-t").press("Enter");
      await page.locator("[data-svc-panel=line]").waitFor();
      await judge("selected");
      await page.locator("body").press("?");
      await judge("keys");
      await page.keyboard.press("Escape");
      await page.locator("#tab-interfaces").click();
      await page.locator("[data-svc-action=add-interface]").click();
      await judge("interfaces");
      if (width >= 768) {
        await page.click("[data-svc-action=list]");
        await judge("list");
      }
      await page.click("[data-svc-action=run]");
      await page.locator("[data-svc-run-input]").first().fill("Ada");
      await judge("inputs of a run");
      await page.click("[data-svc-action=start-run]");
      await page.locator("[data-svc-gallery]").waitFor();
      await judge("results");
      await page.keyboard.press("Escape");
      await page.locator("[data-svc-gallery]").waitFor({ state: "detached" });
      await judge("after a run");
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      await page.close();
    },
  );
});

/**
 * Embed pages in a browser, on pages of other origins: who can show them, who is heard, what happens without storage, and
 * where the token goes (docs/embeds.md).
 */
import { readdir, readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EmbedHost, startEmbedHost } from "../../scripts/embed-host.ts";
import { freePort } from "../../scripts/free-port.ts";
import { publish } from "../../scripts/provision.ts";
import { openBrowser } from "../support/node/open-browser.ts";
import { type SharedService, sharedService } from "../support/node/shared-service.ts";

const SDKS = "test/fixtures/sdk";
const ECHO = {
  name: "Echo",
  definition: {
    nodes: [
      { id: "words", type: "input/text", label: "Words", parameters: { required: true } },
      { id: "said", type: "output/text", label: "Said", parameters: {} },
    ],
    connections: [{ from: { node: "words", port: "text" }, to: { node: "said", port: "text" } }],
  },
};

let service: SharedService;
let browser: Browser;
/** The page that the tokens name, and one that they do not. */
let host: EmbedHost;
let stranger: EmbedHost;

beforeAll(async () => {
  [service, browser] = await Promise.all([sharedService(), openBrowser()]);
  const workflowId = await publish(service.client, ECHO);
  const port = await freePort();
  const minted = { allowed_origins: [`http://127.0.0.1:${String(port)}`] };
  const common = { client: service.client, workflowId, minted, pages: await pages() };
  host = await startEmbedHost({ ...common, port });
  stranger = await startEmbedHost({ ...common, port: await freePort(), hostName: "localhost" });
});

afterAll(async () => {
  await Promise.all([browser?.close(), host?.stop(), stranger?.stop()]);
});

/** A page with the SDK as a script, the page of the guide, and one page for each SDK that was ever published. */
async function pages(): Promise<Record<string, string>> {
  const page = (script: string) =>
    `<!doctype html><title>Host</title><div id="c" data-service="${service.baseUrl}"></div>${script}`;
  const guide = await readFile("docs/embeds.md", "utf8");
  const printed = /```html\n(.*?)```/s.exec(guide)?.[1] ?? "";
  return {
    "/script": page(`<script src="${service.baseUrl}/embed/sdk/v1.js"></script>`),
    "/bare": page(""),
    // As a module, of the address that it takes for the service's.
    "/module": page(
      `<script type="module">
        import * as Edgeloom from "${service.baseUrl}/embed/sdk/v1.mjs";
        window.Edgeloom = Edgeloom;
      </script>`,
    ),
    "/guide": printed.replaceAll("https://edgeloom.example.com", service.baseUrl),
    ...Object.fromEntries(
      await Promise.all(
        (await readdir(SDKS)).map(async (name) => [
          `/sdk/${name}`,
          page(`<script>${await readFile(`${SDKS}/${name}`, "utf8")}</script>`),
        ]),
      ),
    ),
  };
}

interface Opened {
  readonly page: Page;
  readonly console: string[];
}

async function open(address: string, prepare?: (page: Page) => Promise<void>): Promise<Opened> {
  const page = await browser.newPage();
  const lines: string[] = [];
  page.on("console", (message) => lines.push(message.text()));
  page.on("pageerror", (error) => lines.push(String(error)));
  await prepare?.(page);
  await page.goto(address);
  return { page, console: lines };
}

/** Runs a body of an async function in the page, and returns what it returns. */
function evaluate<Result>({ page }: Opened, body: string): Promise<Result> {
  return page.evaluate(`(async () => { ${body} })()`);
}

const TOKEN = `const fetchToken = async () => (await fetch("/token", { method: "POST" })).text();`;
/** Opens the workflow, sets a value, and returns what the frame said. */
const drive = `${TOKEN}
  window.changes = [];
  window.runtime = Edgeloom.createRuntime({
    container: "#c", fetchToken, baseUrl: document.querySelector("#c").dataset.service,
    on: { "values:changed": ({ value }) => window.changes.push(value) },
  });
  const { fields, version } = await window.runtime.ready;
  await window.runtime.setValues({ words: "Ada" });
  return { version, fields: fields.map(({ key }) => key), changes: window.changes };`;
const DRIVEN = { version: "1", fields: ["words"], changes: ["Ada"] };

describe("a page that the token names", () => {
  test("drives the workflow by each published version of the SDK", async () => {
    const names = await readdir(SDKS);
    expect(names.length).toBeGreaterThan(0);
    for (const path of ["script", ...names.map((name) => `sdk/${name}`)]) {
      const opened = await open(`${host.origin}/${path}`);
      expect(await evaluate(opened, drive), path).toEqual(DRIVEN);
      const run = `const { executionId, outputs } = await window.runtime.execute();
        return [executionId.slice(0, 4), outputs.map(({ value }) => value)];`;
      expect(await evaluate(opened, run), path).toEqual(["run_", ["Ada"]]);
      expect(opened.console, path).toEqual([]);
      await opened.page.close();
    }
  });

  test("shows the workflow with the page that the guide prints, without another request to the service", async () => {
    const calls: string[] = [];
    const opened = await open(`${host.origin}/guide`, (page) => {
      page.on("request", (request) => {
        if (request.url().includes("/api/")) {
          calls.push(request.url());
        }
      });
      return Promise.resolve();
    });
    const frame = opened.page.frameLocator("iframe");
    await frame.locator('[data-svc-root][data-phase="idle"]').waitFor({ state: "attached" });
    expect([calls, opened.console]).toEqual([[], []]);
    await opened.page.close();
  });

  test("drives the workflow by bare messages", async () => {
    const opened = await open(`${host.origin}/bare`);
    const said = await evaluate<readonly { type: string; payload: unknown }[]>(
      opened,
      `${TOKEN}
      const token = await fetchToken();
      const { wf } = JSON.parse(atob(token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/")));
      const said = [];
      const frame = document.createElement("iframe");
      frame.src = "${service.baseUrl}/embed/" + wf + "?token=" + token;
      const answered = new Promise((done) => addEventListener("message", (event) => {
        if (event.source !== frame.contentWindow || event.origin !== "${service.baseUrl}") return;
        said.push(event.data);
        if (event.data.type === "svc:ready") {
          const post = (message) => frame.contentWindow.postMessage(message, "${service.baseUrl}");
          post({ type: "svc:setValues", payload: { words: "Ada" } });
          post({ type: "svc:execute", requestId: "run" });
        }
        if (event.data.type === "svc:result") done();
      }));
      document.body.append(frame);
      await answered;
      return said;`,
    );
    expect(said.find(({ type }) => type === "svc:ready")?.payload).toMatchObject({ version: "1" });
    expect(said.at(-1)).toMatchObject({
      type: "svc:result",
      payload: { requestId: "run", ok: true, value: { outputs: [{ value: "Ada" }] } },
    });
    await opened.page.close();
  });

  test("needs no storage of the browser, and asks for none", async () => {
    const opened = await open(`${host.origin}/script`, async (page) => {
      // In the frame as in the page: what a browser does that blocks the storage of third parties, and a note of each attempt.
      await page.addInitScript(`window.touched = [];
        for (const [object, name] of [[window, "localStorage"], [window, "sessionStorage"], [window, "indexedDB"],
            [window, "caches"], [Document.prototype, "cookie"]]) {
          const deny = () => { window.touched.push(name); throw new DOMException("denied", "SecurityError"); };
          Object.defineProperty(object, name, { get: deny, set: deny });
        }`);
    });
    expect(await evaluate(opened, drive)).toEqual(DRIVEN);
    const frame = opened.page.frames().find((each) => each.url().startsWith(service.baseUrl));
    expect(await frame?.evaluate("window.touched")).toEqual([]);
    expect(await frame?.evaluate("try { localStorage } catch { window.touched }")).toEqual([
      "localStorage",
    ]);
    await opened.page.close();
  });

  test("keeps the token out of the address, the HTML, referrers, logs, the console and storage", async () => {
    const requests: { url: string; referrer: string; authorization: string }[] = [];
    const opened = await open(`${host.origin}/script`, async (page) => {
      page.on("request", (request) => {
        const headers = request.headers();
        requests.push({
          url: request.url(),
          referrer: headers["referer"] ?? "",
          authorization: headers["authorization"] ?? "",
        });
      });
      await Promise.resolve();
    });
    expect(
      await evaluate(
        opened,
        `${drive.replace("return {", "await window.runtime.execute(); return {")}`,
      ),
    ).toEqual(DRIVEN);
    const navigation = requests.find(({ url }) => url.includes("/embed/wf_"));
    const token = new URL(navigation?.url ?? "").searchParams.get("token") ?? "";
    // Its signature: what makes it a token.
    const secret = token.split(".")[2] ?? "";
    expect(secret).toHaveLength(43);
    const calls = requests.filter(({ url }) => url.startsWith(`${service.baseUrl}/api/embed/`));
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.every(({ authorization }) => authorization.includes(secret))).toBe(true);
    expect(
      requests.filter(
        (request) => request !== navigation && (request.url + request.referrer).includes(secret),
      ),
    ).toEqual([]);
    const frame = opened.page.frames().find((each) => each.url().startsWith(service.baseUrl));
    const held =
      await frame?.evaluate(`JSON.stringify([location.href, document.referrer, document.cookie,
      document.documentElement.outerHTML, { ...localStorage }, { ...sessionStorage }])`);
    for (const text of [frame?.url(), held, opened.console.join("\n"), service.log()]) {
      expect(text).not.toContain(secret);
    }
    await opened.page.close();
  });

  test("learns at once why a frame shows nothing", async () => {
    const opened = await open(`${host.origin}/script`);
    const codes = await evaluate<readonly string[]>(
      opened,
      `${TOKEN}
      const token = await fetchToken();
      const codeOf = (options, create = "createRuntime") => {
        const errors = [];
        const frame = Edgeloom[create]({ container: "#c", token, on: { error: ({ code }) => errors.push(code) }, ...options });
        return Promise.allSettled([frame.ready, (frame.execute ?? frame.save)()]).then(([ready, call]) => {
          frame.destroy();
          return [ready.reason.code, call.reason.code, ...errors].join(" ");
        });
      };
      return Promise.all([
        codeOf({ workflow: "wf_" + "0".repeat(32) }),
        codeOf({ interface: "int_" + "0".repeat(32) }),
        codeOf({ name: "New" }, "createEditor"),
      ]);`,
    );
    expect(codes).toEqual(
      ["workflow_mismatch", "interface_not_found", "wrong_token_type"].map((code) =>
        [code, code, code].join(" "),
      ),
    );
    await opened.page.close();
  });
});

describe("a page that the token does not name", () => {
  test("is refused the frame by the browser itself", async () => {
    const opened = await open(`${stranger.origin}/script`);
    const code = await evaluate<string>(
      opened,
      `${TOKEN}
      const runtime = Edgeloom.createRuntime({ container: "#c", fetchToken, readyTimeoutMs: 500 });
      const loaded = new Promise((done) => runtime.iframe.addEventListener("load", done));
      const settled = await runtime.ready.catch((error) => error.code);
      await loaded;
      return settled;`,
    );
    expect(code).toBe("blocked_or_unreachable");
    await expect.poll(() => opened.console.join("\n")).toMatch(/frame-ancestors/);
    expect(await opened.page.frames()[1]?.evaluate("location.href")).toBe(
      "chrome-error://chromewebdata/",
    );
    await opened.page.close();
  });

  test("is not heard by a frame that another page shows, and hears nothing", async () => {
    const opened = await open(`${host.origin}/script`);
    expect(await evaluate(opened, drive)).toEqual(DRIVEN);
    // A frame of the stranger beside the workflow's, which can reach it by name and number.
    await evaluate(
      opened,
      `const frame = document.createElement("iframe");
      frame.src = "${stranger.origin}/bare";
      await new Promise((done) => { frame.addEventListener("load", done); document.body.append(frame); });`,
    );
    const beside = opened.page.frames().find((each) => each.url().startsWith(stranger.origin));
    await beside?.evaluate(`window.heard = [];
      addEventListener("message", ({ data }) => window.heard.push(data));
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => window.heard.push(data);
      parent.frames[0].postMessage({ type: "svc:hello", payload: { versions: ["1"] } }, "*", [port2]);
      parent.frames[0].postMessage({ type: "svc:setValues", payload: { words: "Mallory" }, requestId: "set" }, "*");
      parent.frames[0].postMessage({ type: "svc:reset", requestId: "reset" }, "*");`);
    // A command of the host after those of the stranger: messages to one window arrive in their order.
    const changes = `await window.runtime.setValues({ words: "Bob" }); return window.changes;`;
    expect(await evaluate(opened, changes)).toEqual(["Ada", "Bob"]);
    expect(await beside?.evaluate("window.heard")).toEqual([]);
    await opened.page.close();
  });
});

describe("the SDK", () => {
  test("makes a frame with a title, two permissions and no border, in the height of its content", async () => {
    const opened = await open(`${host.origin}/script`);
    expect(await evaluate(opened, drive)).toEqual(DRIVEN);
    const look = `const { iframe } = window.runtime;
      const style = getComputedStyle(iframe);
      return [iframe.title !== "", iframe.allow, style.borderTopWidth, iframe.parentElement.id];`;
    expect(await evaluate(opened, look)).toEqual([true, "clipboard-write; fullscreen", "0px", "c"]);
    const frame = opened.page.frames().find((each) => each.url().startsWith(service.baseUrl));
    await expect
      .poll(async () => {
        const content = await frame?.evaluate<number>("document.documentElement.scrollHeight");
        return (
          content === (await evaluate<number>(opened, "return window.runtime.iframe.offsetHeight"))
        );
      })
      .toBe(true);
    await opened.page.close();
  });

  test("drives the editor as it drives a workflow, as a module", async () => {
    const { id } = await service.client.call<{ id: string }>("POST", "/api/v1/workflows", {
      body: {
        name: "Line",
        definition: {
          nodes: [
            { id: "line", type: "text/template", parameters: { template: "Hello" } },
            { id: "out", type: "output/text", label: "Line", parameters: {} },
          ],
          connections: [
            { from: { node: "line", port: "text" }, to: { node: "out", port: "text" } },
          ],
        },
      },
    });
    const opened = await open(`${host.origin}/module`);
    const driven = await evaluate(
      opened,
      `const { createEditor, createRuntime, version } = window.Edgeloom;
      const events = [];
      const editor = createEditor({
        container: document.querySelector("#c"),
        fetchToken: async () => (await fetch("/editor-token", { method: "POST" })).text(),
        workflow: "${id}",
        theme: "dark",
        on: { "editor:saved": ({ workflowId }) => events.push(workflowId) },
      });
      const { version: protocol, acceptedMessages } = await editor.ready;
      await editor.setTheme({ primaryColor: "#ff0000" });
      await editor.setCustomCss(".svc-none { color: red }");
      const saved = await editor.save();
      const { executionId, status } = await editor.run();
      const members = Object.keys(editor).filter((name) => name !== "iframe" && name !== "ready").sort();
      editor.destroy();
      return {
        kinds: [typeof createRuntime, typeof version],
        protocol, acceptedMessages, events, members, saved,
        run: [executionId.slice(0, 4), status],
        left: document.querySelectorAll("iframe").length,
      };`,
    );
    expect(driven).toEqual({
      kinds: ["function", "string"],
      protocol: "1",
      acceptedMessages: [
        "svc:editor:save",
        "svc:editor:run",
        "svc:editor:setTheme",
        "svc:editor:setCustomCss",
        "svc:setToken",
      ],
      events: [id],
      members: expect.arrayContaining(["destroy", "on", "run", "save", "setCustomCss", "setTheme"]),
      saved: {
        workflowId: id,
        name: "Line",
        version: 1,
        etag: expect.any(String),
        created: false,
        requestId: expect.any(String),
      },
      run: ["run_", "completed"],
      left: 0,
    });
    expect(opened.console).toEqual([]);
    await opened.page.close();
  });

  test("greets a frame that is loaded again, and leaves nothing behind when it is destroyed", async () => {
    const opened = await open(`${host.origin}/script`, async (page) => {
      await page.addInitScript(`window.listening = 0;
        const [add, remove] = [addEventListener, removeEventListener];
        window.addEventListener = (type, ...rest) => { if (type === "message") window.listening += 1; return add(type, ...rest); };
        window.removeEventListener = (type, ...rest) => { if (type === "message") window.listening -= 1; return remove(type, ...rest); };`);
    });
    expect(await evaluate(opened, drive)).toEqual(DRIVEN);
    // A run that does not begin: its call is open when the frame is loaded again.
    await opened.page.route("**/api/embed/check-execution", () => undefined);
    const result = await evaluate(
      opened,
      `const { runtime } = window;
      const codeOf = ({ code }) => code;
      const asked = new Promise((done) => { const off = runtime.on("ready", () => { off(); done(); }); });
      const lost = runtime.execute().catch(codeOf);
      runtime.iframe.src = runtime.iframe.src;
      const codes = [await lost];
      await asked;
      await runtime.setValues({ words: "Bob" });
      const open = runtime.execute().catch(codeOf);
      const before = window.listening;
      runtime.destroy();
      runtime.destroy();
      codes.push(await open, await runtime.reset().catch(codeOf));
      return [codes, window.changes.at(-1), before, window.listening, document.querySelectorAll("iframe").length];`,
    );
    expect(result).toEqual([["reloaded", "destroyed", "destroyed"], "Bob", 1, 0, 0]);
    await opened.page.close();
  });
});

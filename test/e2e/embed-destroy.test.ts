/** Frames of the SDK that are destroyed, again and again and at any moment: what is left of them in the browser. */
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EmbedHost, startEmbedHost } from "../../scripts/embed-host.ts";
import { freePort } from "../../scripts/free-port.ts";
import { publish } from "../../scripts/provision.ts";
import { openBrowser } from "../support/node/open-browser.ts";
import { type SharedService, sharedService } from "../support/node/shared-service.ts";
import { sizeOf } from "../support/sizes.ts";

const WORKFLOW = {
  name: "Words",
  definition: {
    nodes: [
      { id: "words", type: "input/text", parameters: {} },
      { id: "said", type: "output/text", parameters: {} },
    ],
    connections: [{ from: { node: "words", port: "text" }, to: { node: "said", port: "text" } }],
  },
};

let service: SharedService;
let browser: Browser;
let host: EmbedHost;

beforeAll(async () => {
  [service, browser] = await Promise.all([sharedService(), openBrowser()]);
  const script = `<!doctype html><title>Host</title><script src="${service.baseUrl}/embed/sdk/v1.js"></script>`;
  host = await startEmbedHost({
    client: service.client,
    workflowId: await publish(service.client, WORKFLOW),
    port: await freePort(),
    pages: { "/script": `${script}<div id="c"></div>` },
  });
});

afterAll(async () => {
  await Promise.all([browser?.close(), host?.stop()]);
});

/** Counts what the SDK opens and closes on the page of the host. */
const COUNTING = `if (window === top) {
  window.live = { listeners: 0, ports: 0 };
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (...all) {
    live.listeners += 1;
    return addEventListener.apply(this, all);
  };
  EventTarget.prototype.removeEventListener = function (...all) {
    live.listeners -= 1;
    return removeEventListener.apply(this, all);
  };
  const Channel = MessageChannel;
  window.MessageChannel = function () {
    const channel = new Channel();
    live.ports += 1;
    channel.port1.close = () => {
      live.ports -= 1;
      MessagePort.prototype.close.call(channel.port1);
    };
    return channel;
  };
}`;

interface Left {
  readonly listeners: number;
  readonly ports: number;
  readonly frames: number;
  readonly elements: number;
}

/**
 * Opens frames one after another and ends each: at once, when its document has loaded, when it is ready, and with a call
 * that has no answer yet. Returns what is left of them.
 */
function openAndEnd(page: Page, count: number, end: string): Promise<Left> {
  return page.evaluate<Left>(`(async () => {
    const token = await (await fetch("/token", { method: "POST" })).text();
    const moments = [
      async () => undefined,
      ({ iframe }) => new Promise((done) => { iframe.onload = done; }),
      ({ ready }) => ready,
      async (runtime) => {
        await runtime.ready;
        runtime.setValues({ words: "x" }).catch(() => undefined);
      },
    ];
    for (let round = 0; round < ${String(count)}; round += 1) {
      const runtime = Edgeloom.createRuntime({ container: "#c", token, on: { ready: () => undefined } });
      await moments[round % moments.length](runtime);
      ${end};
    }
    return { ...live, frames: frames.length, elements: document.querySelectorAll("iframe").length };
  })()`);
}

/** Documents and listeners of the process, which host and frame share because they are of one site. */
async function held(session: CDPSession): Promise<readonly [documents: number, listeners: number]> {
  await session.send("HeapProfiler.collectGarbage");
  const { documents, jsEventListeners } = await session.send("Memory.getDOMCounters");
  return [documents, jsEventListeners];
}

test("a destroyed frame leaves no listener, no port, no frame and no document", async () => {
  const count = sizeOf("destroyedFrames");
  const page = await browser.newPage();
  await page.addInitScript(COUNTING);
  await page.goto(`${host.origin}/script`);
  const session = await page.context().newCDPSession(page);
  await openAndEnd(page, 4, "runtime.destroy()");
  const before = await held(session);
  expect(await openAndEnd(page, count, "runtime.destroy()")).toEqual({
    listeners: 0,
    ports: 0,
    frames: 0,
    elements: 0,
  });
  // A collection may leave some for the next one; what is leaked is left by each.
  let grown: readonly number[] = [];
  for (let pass = 0; pass < 50; pass += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one collection after the other
    const now = await held(session);
    grown = now.map((value, i) => value - (before[i] ?? 0));
    if (grown.every((value) => value < count / 2)) {
      break;
    }
  }
  expect(grown.filter((value) => value >= count / 2)).toEqual([]);

  // Frames that are removed, and not destroyed, leave two listeners each, and the port of each that was greeted.
  expect(await openAndEnd(page, 4, "runtime.iframe.remove()")).toEqual({
    listeners: 8,
    ports: 3,
    frames: 0,
    elements: 0,
  });
  await page.close();
});

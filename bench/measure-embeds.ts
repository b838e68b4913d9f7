import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { build as buildWithVite } from "vite";
import type { ApiClient } from "../scripts/api-client.ts";
import { startEmbedHost } from "../scripts/embed-host.ts";
import { freePort } from "../scripts/free-port.ts";
import { publish } from "../scripts/provision.ts";
import { webSizes } from "../scripts/web-budgets.ts";
import type { WebManifest } from "../src/contracts/embeds/web-manifest.ts";
import { openBrowser } from "../test/support/node/open-browser.ts";
import { atMost, type Figure } from "./figure.ts";
import { median, spread } from "./statistics.ts";

const MANIFEST = "dist/assets/embed/manifest.json";
/** What a host needs of these packages to talk to a frame and to give it the height of its content. */
const PEERS = {
  penpal: `export { connect, WindowMessenger } from "penpal";`,
  "open-iframe-resizer": `export { initialize } from "@open-iframe-resizer/core";`,
};
const FRAMES = 20;
const WORKFLOW = {
  name: "Bench: a field",
  definition: {
    nodes: [
      { id: "words", type: "input/text", parameters: { required: true } },
      { id: "said", type: "output/text", parameters: {} },
    ],
    connections: [{ from: { node: "words", port: "text" }, to: { node: "said", port: "text" } }],
  },
};

/** Sizes of what browsers load, compressed with Brotli, beside packages that do the same and the editor built with React. */
export async function measureWebSizes(directory: string): Promise<Figure[]> {
  const manifest = JSON.parse(await readFile(MANIFEST, "utf8")) as WebManifest;
  const sizes = new Map(webSizes(manifest).map(({ name, bytes }) => [name, bytes / 1000]));
  const sizeOf = (name: string) => sizes.get(name) ?? Number.NaN;
  const peers = await Promise.all(
    Object.entries(PEERS).map(async ([name, source]) => ({
      name,
      value: spread([await bundledSize(source)]),
    })),
  );
  const peersTogether = peers.reduce((sum, { value }) => sum + value.median, 0);
  const sdk = Math.max(sizeOf("SDK v1.js"), sizeOf("SDK v1.mjs"));
  const editor = sizeOf("editor");
  const onReact = await editorOnReact(directory);
  return [
    {
      name: "the widget, script and style, Brotli",
      unit: "kB",
      ours: spread([sizeOf("widget")]),
      beside: [],
      targets: [atMost("≤ 45 kB", sizeOf("widget"), 45)],
    },
    {
      name: "the SDK, Brotli",
      unit: "kB",
      ours: spread([sdk]),
      beside: peers,
      targets: [
        atMost("≤ 3 kB", sdk, 3),
        atMost("≤ 0.6 × the two packages together", sdk / peersTogether, 0.6),
      ],
    },
    {
      name: "the editor with all that it loads at start, Brotli",
      unit: "kB",
      ours: spread([editor]),
      beside: [{ name: "the same built with React", value: spread([onReact]) }],
      targets: [
        atMost("≤ 160 kB", editor, 160),
        atMost("≤ 0.75 × the same with React", editor / onReact, 0.75),
      ],
    },
  ];
}

async function bundledSize(source: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    write: false,
  });
  return brotliCompressSync(outputFiles[0]?.contents ?? new Uint8Array()).length / 1000;
}

async function editorOnReact(directory: string): Promise<number> {
  const outDir = await mkdtemp(`${directory}-react-`);
  // Read by vite.config.ts.
  process.env["EDITOR_WITH_REACT"] = "1";
  try {
    await buildWithVite({ configFile: "vite.config.ts", mode: "editor", build: { outDir } });
    const names = (await readdir(outDir)).filter((name) => /^editor-.*\.(?:js|css)$/.test(name));
    const sizes = await Promise.all(
      names.map(async (name) => brotliCompressSync(await readFile(join(outDir, name))).length),
    );
    return sizes.reduce((sum, size) => sum + size, 0) / 1000;
  } finally {
    delete process.env["EDITOR_WITH_REACT"];
    await rm(outDir, { recursive: true, force: true });
  }
}

/** From the creation of a frame until it is ready, beside a frame of the same service with a text and one read of JSON. */
export async function measureEmbedStart(client: ApiClient): Promise<Figure[]> {
  const workflowId = await publish(client, WORKFLOW);
  const host = await startEmbedHost({
    client,
    workflowId,
    port: await freePort(),
    pages: {
      "/bench": `<!doctype html><title>Host</title><script src="${client.baseUrl}/embed/sdk/v1.js"></script>`,
    },
  });
  const browser = await openBrowser();
  try {
    return await measureIn(browser, `${host.origin}/bench`, client.baseUrl);
  } finally {
    await browser.close();
    await host.stop();
  }
}

async function measureIn(browser: Browser, address: string, service: string): Promise<Figure[]> {
  const page = await browser.newPage();
  await page.goto(address);
  // In turns, each in a frame of its own. The first of each is not counted: it fills the browser's cache.
  const alone = await page.evaluate<{ widget: number[]; empty: number[] }>(`(async () => {
    const token = await (await fetch("/token", { method: "POST" })).text();
    const took = { widget: [], empty: [] };
    for (let round = 0; round <= ${String(FRAMES)}; round++) {
      let begun = performance.now();
      const runtime = Edgeloom.createRuntime({ container: document.body, token });
      await runtime.ready;
      const widget = performance.now() - begun;
      runtime.destroy();
      begun = performance.now();
      const frame = document.createElement("iframe");
      frame.src = "${service}/embed/sdk/v1.d.ts";
      await new Promise((done) => { frame.addEventListener("load", done); document.body.append(frame); });
      await (await fetch("${service}/embed/sdk/v1.d.mts", { cache: "no-store" })).text();
      const empty = performance.now() - begun;
      frame.remove();
      if (round > 0) { took.widget.push(widget); took.empty.push(empty); }
    }
    return took;
  })()`);
  const together = await page.evaluate<number>(`(async () => {
    const token = await (await fetch("/token", { method: "POST" })).text();
    const begun = performance.now();
    const runtimes = Array.from({ length: ${String(FRAMES)} }, () =>
      Edgeloom.createRuntime({ container: document.body, token }));
    await Promise.all(runtimes.map(({ ready }) => ready));
    return performance.now() - begun;
  })()`);
  const ratio = median(alone.widget) / median(alone.empty);
  return [
    {
      name: "a widget, from the creation of its frame to ready",
      unit: "ms",
      ours: spread(alone.widget),
      beside: [
        { name: "a frame with a text of the service, and one read", value: spread(alone.empty) },
      ],
      targets: [atMost("≤ 2.5 × the empty frame", ratio, 2.5)],
    },
    {
      name: `${String(FRAMES)} widgets on one page, until all are ready`,
      unit: "ms",
      ours: spread([together]),
      beside: [],
      targets: [atMost("≤ 2 s", together, 2_000)],
    },
  ];
}

/**
 * `node scripts/build-web.ts FOLDER`: builds the browser code of embeds with Vite into this folder, with its manifest.json.
 * A process of its own, because Vite is large; `bringUpWeb` starts it.
 */
import { brotliCompressSync, constants } from "node:zlib";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { PAGE_MODES, SDK_MODES } from "../vite.config.ts";
import type { WebManifest, WebPage } from "../src/contracts/embeds/web-manifest.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SDK_TYPES = join(ROOT, "src/web/sdk/v1-types.ts");

/** One entry of Vite's own manifest. */
interface ViteChunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
}

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  ts: "text/plain; charset=utf-8",
  mts: "text/plain; charset=utf-8",
};

const [target] = process.argv.slice(2);
if (target === undefined) {
  throw new Error("Usage: node scripts/build-web.ts FOLDER");
}
await buildWeb(target);

async function buildWeb(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const pages: Record<string, WebPage> = {};
  for (const mode of PAGE_MODES) {
    await vite(mode, join(folder, "assets"));
    pages[mode] = await pageOf(join(folder, "assets/vite-manifest.json"));
  }
  for (const mode of SDK_MODES) {
    await vite(mode, join(folder, "sdk"));
  }
  await writeSdkTypes(join(folder, "sdk"));
  const [assets, sdk] = await Promise.all([
    filesIn(join(folder, "assets")),
    filesIn(join(folder, "sdk")),
  ]);
  const manifest: WebManifest = { pages: pages as WebManifest["pages"], assets, sdk };
  await writeFile(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

async function vite(mode: string, outDir: string): Promise<void> {
  await build({ configFile: join(ROOT, "vite.config.ts"), mode, build: { outDir } });
}

/** What the page loads at start: its entry, the chunks that the entry imports, and the style sheets of both. */
async function pageOf(path: string): Promise<WebPage> {
  const chunks = JSON.parse(await readFile(path, "utf8")) as Readonly<Record<string, ViteChunk>>;
  await rm(path);
  const entry = Object.values(chunks).find(({ isEntry }) => isEntry === true);
  if (entry === undefined) {
    throw new Error("Vite built no entry.");
  }
  const started = new Set<ViteChunk>([entry]);
  for (const chunk of started) {
    for (const name of chunk.imports ?? []) {
      const imported = chunks[name];
      if (imported !== undefined) {
        started.add(imported);
      }
    }
  }
  return {
    script: entry.file,
    preloads: [...started].flatMap((chunk) => (chunk === entry ? [] : [chunk.file])),
    styles: [...new Set([...started].flatMap(({ css }) => css ?? []))],
  };
}

/** The declarations of the SDK for script tags (with the global name) and for modules. */
async function writeSdkTypes(folder: string): Promise<void> {
  const declared = (await readFile(SDK_TYPES, "utf8")).replace(/^\/\/.*\n/, "");
  await writeFile(join(folder, "v1.d.ts"), `export as namespace Edgeloom;\n\n${declared}`);
  await writeFile(join(folder, "v1.d.mts"), declared);
}

async function filesIn(folder: string): Promise<WebManifest["assets"]> {
  const files: Record<string, WebManifest["assets"][string]> = {};
  for (const name of (await readdir(folder)).toSorted()) {
    const bytes = await readFile(join(folder, name));
    const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
    if (type === undefined) {
      throw new Error(`Vite built ${name}, and scripts/build-web.ts has no media type for it.`);
    }
    files[name] = { type, brotli_bytes: brotliSize(bytes) };
  }
  return files;
}

/** As a content delivery network sends a file that it compresses once. */
function brotliSize(bytes: Uint8Array): number {
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  }).length;
}

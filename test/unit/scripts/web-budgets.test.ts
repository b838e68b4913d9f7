import { readFile } from "node:fs/promises";
import { brotliCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { webSizes } from "../../../scripts/web-budgets.ts";
import type { WebManifest } from "../../../src/contracts/embeds/web-manifest.ts";

const FOLDER = "dist/assets/embed";
const manifest = JSON.parse(await readFile(`${FOLDER}/manifest.json`, "utf8")) as WebManifest;

test("the manifest states the sizes of its files, and each is within its budget", async () => {
  for (const folder of ["assets", "sdk"] as const) {
    for (const [name, { brotli_bytes: stated }] of Object.entries(manifest[folder])) {
      const bytes = await readFile(`${FOLDER}/${folder}/${name}`);
      expect(brotliCompressSync(bytes).length, name).toBe(stated);
    }
  }
  const sizes = webSizes(manifest);
  expect(sizes.map(({ name }) => name)).toEqual([
    "widget",
    "editor",
    "error",
    "SDK v1.js",
    "SDK v1.mjs",
  ]);
  expect(sizes.filter(({ bytes, bytesMax }) => bytes > bytesMax)).toEqual([]);
  expect(sizes.filter(({ files, filesMax }) => files > filesMax)).toEqual([]);
});

test("a page counts with its chunks and style sheets, and one above its budget is found", () => {
  const { widget } = manifest.pages;
  const planted = {
    ...manifest,
    pages: {
      ...manifest.pages,
      widget: { ...widget, preloads: ["chunk.js"], styles: ["page.css"] },
    },
    assets: {
      ...manifest.assets,
      "chunk.js": { type: "text/javascript", brotli_bytes: 30_000 },
      "page.css": { type: "text/css", brotli_bytes: 15_001 },
    },
  };
  const over = webSizes(planted).filter(({ bytes, bytesMax }) => bytes > bytesMax);
  expect(over.map(({ name }) => name)).toEqual(["widget"]);
  const late = webSizes(planted).filter(({ files, filesMax }) => files > filesMax);
  expect(late.map(({ name }) => name)).toEqual(["widget"]);
  const missing = { ...manifest, assets: {} };
  expect(() => webSizes(missing)).toThrow(/does not list/);
});

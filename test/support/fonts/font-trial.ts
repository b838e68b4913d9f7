import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { FontTrial } from "../../../src/workers/runner/try-font.ts";

// Node may compile bytes at run time; the types are those of a Worker, which may not.
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;

/** A module of a file of the repository. */
export function compiled(path: string): WebAssembly.Module {
  return new Module(readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url).href)));
}

/** HarfBuzz as the runner has it, for tests in Node. */
export const FONT_TRIAL: FontTrial = {
  modules: {
    harfBuzz: compiled("node_modules/harfbuzzjs/dist/harfbuzz.wasm"),
    outlineCallbacks: compiled("src/render/fonts/outline-callbacks.wasm"),
  },
  nowMs: () => Date.now(),
  pause: () => new Promise((resolve) => setTimeout(resolve, 0)),
};

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { initWasm } from "@resvg/resvg-wasm";

const WASM = "../../../node_modules/@resvg/resvg-wasm/index_bg.wasm";
/** Of the process: its test files evaluate this module again, and the package refuses a second start. */
const STARTED = Symbol.for("edgeloom.test.resvg");
const shared = globalThis as { [STARTED]?: Promise<void> };

/** Starts the resvg of its package once in a process. */
export async function startResvg(): Promise<void> {
  shared[STARTED] ??= readFile(fileURLToPath(new URL(WASM, import.meta.url).href)).then(initWasm);
  await shared[STARTED];
}

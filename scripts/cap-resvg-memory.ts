/**
 * Writes src/images/svg/resvg.wasm: the renderer of @resvg/resvg-wasm with a maximum for its memory, which the package
 * does not set. A drawing that needs more memory fails. Nothing else in the module changes; a test compares the file
 * with the package.
 *
 * node scripts/cap-resvg-memory.ts
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { withMemoryMax } from "./wasm-memory.ts";
import { RENDERER_BYTES_MAX } from "../src/images/svg/renderer-memory.ts";

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url).href);
const SOURCE = at("node_modules/@resvg/resvg-wasm/index_bg.wasm");
const TARGET = at("src/images/svg/resvg.wasm");

await writeFile(TARGET, withMemoryMax(await readFile(SOURCE), RENDERER_BYTES_MAX));

/**
 * Writes src/render/shaping/harfbuzz-subset.wasm: the subsetter of harfbuzzjs with less memory than the 65 MB that the
 * package gives it. A font that does not fit is embedded whole. Nothing else in the module changes; a test compares the
 * file with the package.
 *
 * node scripts/cap-subset-memory.ts
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { SUBSETTER_BYTES } from "../src/render/shaping/subsetter-memory.ts";
import { withMemorySize } from "./wasm-memory.ts";

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url).href);
const SOURCE = at("node_modules/harfbuzzjs/dist/harfbuzz-subset.wasm");
const TARGET = at("src/render/shaping/harfbuzz-subset.wasm");

await writeFile(TARGET, withMemorySize(await readFile(SOURCE), SUBSETTER_BYTES));

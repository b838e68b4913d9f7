/**
 * Writes src/images/svg/resvg.wasm: the renderer of @resvg/resvg-wasm with a maximum for its memory, which the package
 * does not set. A drawing that needs more memory fails. Nothing else in the module changes; a test compares the file
 * with the package.
 *
 * node scripts/cap-resvg-memory.ts
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { RENDERER_BYTES_MAX } from "../src/images/svg/renderer-memory.ts";

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url).href);
const SOURCE = at("node_modules/@resvg/resvg-wasm/index_bg.wasm");
const TARGET = at("src/images/svg/resvg.wasm");

const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;
const PAGE_BYTES = 65_536;

/** Returns the module with a maximum for its one memory. Throws if it has none, several, or a maximum already. */
export function withMemoryMax(module: Uint8Array, bytesMax: number): Uint8Array {
  for (let from = HEADER_BYTES; from < module.length;) {
    const [length, body] = readLeb(module, from + 1);
    const end = body + length;
    if (module[from] === MEMORY_SECTION) {
      const [count, flagsAt] = readLeb(module, body);
      const [min, minEnd] = readLeb(module, flagsAt + 1);
      if (count !== 1 || module[flagsAt] !== 0 || minEnd !== end) {
        throw new Error("The module's memory already has a maximum.");
      }
      const limits = [1, 1, ...leb(min), ...leb(Math.floor(bytesMax / PAGE_BYTES))];
      return Buffer.concat([
        module.subarray(0, from),
        Buffer.from([MEMORY_SECTION, ...leb(limits.length), ...limits]),
        module.subarray(end),
      ]);
    }
    from = end;
  }
  throw new Error("The module has no memory.");
}

/** An unsigned number and the offset after it. */
function readLeb(bytes: Uint8Array, from: number): [value: number, end: number] {
  let value = 0;
  for (let i = from, shift = 0; ; i++, shift += 7) {
    const byte = bytes[i] ?? 0;
    value |= (byte & 127) << shift;
    if ((byte & 128) === 0) {
      return [value >>> 0, i + 1];
    }
  }
}

function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await writeFile(TARGET, withMemoryMax(await readFile(SOURCE), RENDERER_BYTES_MAX));
}

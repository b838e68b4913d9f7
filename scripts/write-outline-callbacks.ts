/**
 * Writes src/render/fonts/outline-callbacks.wasm: functions with the signatures of HarfBuzz's draw callbacks, imported
 * and exported again. wasm can call a JavaScript function by pointer only if it comes from a module, and a Worker must
 * not compile one at run time.
 *
 * node scripts/write-outline-callbacks.ts
 */
import { writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const TARGET = fileURLToPath(
  new URL("../src/render/fonts/outline-callbacks.wasm", import.meta.url),
);

const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const [I32, F32] = [0x7f, 0x7d];
/** draw_funcs, draw_data, draw_state, then coordinates, then user_data (hb-draw.h). */
const signature = (coordinates: number): number[] => [
  I32,
  I32,
  I32,
  ...Array.from({ length: coordinates }, () => F32),
  I32,
];
const TYPES = [signature(2), signature(4), signature(6), signature(0)];
const FUNCTIONS: readonly (readonly [name: string, type: number])[] = [
  ["moveTo", 0],
  ["lineTo", 0],
  ["quadraticTo", 1],
  ["cubicTo", 2],
  ["closePath", 3],
];

/** The bytes of the module. All lengths are below 128, so each takes one byte. */
export function outlineCallbacks(): Uint8Array {
  const text = (value: string): number[] => [value.length, ...Buffer.from(value)];
  const section = (id: number, items: readonly number[][]): number[] => {
    const body = [items.length, ...items.flat()];
    if (body.length > 127) {
      throw new Error(`Section ${id} has ${body.length} bytes; lengths above 127 take two.`);
    }
    return [id, body.length, ...body];
  };
  return Uint8Array.from([
    ...HEADER,
    ...section(
      1,
      TYPES.map((parameters) => [0x60, parameters.length, ...parameters, 0]),
    ),
    ...section(
      2,
      FUNCTIONS.map(([name, type]) => [...text("js"), ...text(name), 0, type]),
    ),
    ...section(
      7,
      FUNCTIONS.map(([name], index) => [...text(name), 0, index]),
    ),
  ]);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await writeFile(TARGET, outlineCallbacks());
}

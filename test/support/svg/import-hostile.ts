/**
 * Imports and reads all hostile drawings one after another, in a process whose heap the caller limits. With `keep` it keeps
 * what it has read, as a leak would.
 */
import { importDrawing } from "../../../src/render/svg/import-drawing.ts";
import { readDrawing } from "../../../src/render/svg/read-drawing.ts";
import { HARMLESS } from "./harmless-drawings.ts";
import { HOSTILE } from "./hostile-drawings.ts";

const BOX = { name: null, left: 0, top: 0, width: 100, height: 100 };
const kept: unknown[] = [];
const drawings = [
  ...HOSTILE.map(({ svg }) => svg),
  ...HARMLESS.map(
    ({ svg }) =>
      () =>
        svg,
  ),
];
for (const svg of drawings) {
  const source = svg();
  const made = [
    importDrawing({ mode: "editable", svg: source, ...BOX }),
    importDrawing({ mode: "preserved", svg: source, ...BOX }),
    readDrawing(source),
  ];
  if (process.argv[2] === "keep") {
    // As often as a busy isolate would.
    kept.push(made, structuredClone(made), `${source}${kept.length}`.split(""));
  }
}
process.stdout.write(String(drawings.length));

import { expect, test } from "vitest";
import { drawCode } from "../../../../src/images/code/draw-code.ts";
import { logoPainter } from "../../../../src/images/code/logo-painter.ts";
import { readCodes } from "../../../../src/images/code/read-codes.ts";
import { isolateMemory, WORK_BYTES_MAX } from "../../../../src/lib/memory/memory-budget.ts";
import { codeSpec } from "../../../support/images/code-spec.ts";
import { codeReader, imageCodecs, svgRenderer } from "../../../support/images/wasm-modules.ts";

const drawn = await drawCode(codeSpec({}), logoPainter(imageCodecs, svgRenderer));
const read = [{ format: "QRCode", text: drawn.text }];

/** Takes all memory for a moment: a kept reader, also one of an earlier test file, is dropped. */
function takeAll(): void {
  const ticket = isolateMemory.join(isolateMemory.holder(), WORK_BYTES_MAX);
  isolateMemory.tryTake(ticket, 0)?.release();
  isolateMemory.leave(ticket);
}

test("a reader that failed to start is started by the next call", async () => {
  takeAll();
  // Another module does not have the reader's imports.
  await expect(readCodes(drawn, svgRenderer)).rejects.toThrow();
  expect(await readCodes(drawn, codeReader)).toEqual(read);
});

test("a reader keeps its memory from the call to the result, and is dropped after", async () => {
  expect(await readCodes(drawn, codeReader)).toEqual(read);
  expect(isolateMemory.keptBytes).toBeGreaterThan(0);
  const reading = readCodes(drawn, codeReader);
  takeAll();
  expect(await reading).toEqual(read);
  takeAll();
  expect(isolateMemory.keptBytes).toBe(0);
  expect(await readCodes(drawn, codeReader)).toEqual(read);
});

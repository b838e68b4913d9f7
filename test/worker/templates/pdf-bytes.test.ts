import { expect, it } from "vitest";
import pixels from "../../../src/images/pixels/pixels.wasm";
import { SAME_BYTES, digestOf, shapesAndPicture } from "../../support/pdf/same-bytes.ts";

it("a PDF has the same bytes in workerd as in Node", async () => {
  expect(await digestOf(await shapesAndPicture(pixels))).toBe(SAME_BYTES);
});

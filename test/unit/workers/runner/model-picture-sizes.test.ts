/** docs/contract/models.md#pictures: the pictures of a call are limited before they are read, and a picture's size follows from them. */
import { expect, test } from "vitest";
import type { ImagePrompt, ModelPicture } from "../../../../src/contracts/models/model-calls.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import {
  checkSizes,
  scaledSize,
  sizeInPixels,
} from "../../../../src/workers/runner/model-picture-sizes.ts";
import { encodePng } from "../../../support/images/encode-png.ts";

const MB = 1024 * 1024;
const file = (sizeBytes: number, name = "a.png") =>
  new FileRef({ key: name, name, contentType: "image/png", sizeBytes });

test("a picture of 20 MiB is sent, one of a byte more is refused by its name", () => {
  expect(() => checkSizes([file(20 * MB)])).not.toThrow();
  expect(() => checkSizes([file(1), file(20 * MB + 1, "large.png")])).toThrow(
    expect.objectContaining({
      code: "IMAGE_TOO_LARGE",
      message: expect.stringContaining("large.png") as string,
    }) as Error,
  );
});

test("pictures of 24 MiB together are sent, and not of a byte more", () => {
  expect(() => checkSizes([file(12 * MB), file(12 * MB)])).not.toThrow();
  expect(() => checkSizes([file(12 * MB), file(12 * MB), file(1)])).toThrow(
    expect.objectContaining({ code: "IMAGE_TOO_LARGE" }) as Error,
  );
});

const asked = (size: ImagePrompt["size"]) => ({ size }) as ImagePrompt;
const pictureOf = (width: number, height: number): ModelPicture => ({
  contentType: "image/png",
  bytes: encodePng(new Uint8ClampedArray(width * height * 4), width, height),
});

test("a picture has the exact size, or the proportions with 1,024 px on its longest side", () => {
  const exact = { kind: "exact", width: 320, height: 200 } as const;
  expect(sizeInPixels(asked(exact), [])).toEqual({ width: 320, height: 200 });
  const of = (ratio: "of_first_image" | { readonly width: number; readonly height: number }) =>
    asked({ kind: "ratio", ratio, longestSide: 1_024 } as ImagePrompt["size"]);
  expect(sizeInPixels(of({ width: 9, height: 16 }), [])).toEqual({ width: 576, height: 1_024 });
  expect(sizeInPixels(of("of_first_image"), [pictureOf(200, 100), pictureOf(1, 9)])).toEqual({
    width: 1_024,
    height: 512,
  });
  expect(sizeInPixels(of("of_first_image"), [])).toEqual({ width: 1_024, height: 1_024 });
});

test("an enlarged picture has exactly its scale, up to the largest result", () => {
  expect(scaledSize({ width: 1_000, height: 500 }, 2, 2_000_000)).toEqual({
    width: 2_000,
    height: 1_000,
  });
  expect(() => scaledSize({ width: 1_001, height: 500 }, 2, 2_000_000)).toThrow(
    expect.objectContaining({ code: "IMAGE_TOO_LARGE" }) as Error,
  );
});

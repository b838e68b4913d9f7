/** All that an isolate of the renderer holds at one time in wasm and in buffers, bound by bound. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../../src/lib/limits/limits-table.ts";
import { PageDrawer } from "../../../../src/render/pages/page-drawer.ts";
import { KEPT_RUN_BYTES } from "../../../../src/render/shaping/shaper.ts";
import { KEPT_CUT_BYTES } from "../../../../src/render/shaping/subsetter.ts";
import { SUBSETTER_BYTES } from "../../../../src/render/shaping/subsetter-memory.ts";
import { SPARING_BYTES } from "../../../../src/storage/r2/put-pieces.ts";
import {
  preparePicture,
  preparingBytes,
} from "../../../../src/render/pdf/pictures/prepare-picture.ts";
import type { PixelStream } from "../../../../src/render/pdf/pictures/prepared-picture.ts";
import { GLYPH_WORDS, shapeOptions } from "../../../../src/templates/text/font-face.ts";
import { UNREAD_BYTES_MAX } from "../../../../src/workers/renderer/held-responses.ts";
import { RenderRoom } from "../../../../src/workers/renderer/render-room.ts";
import { PROFILE_BYTES_MAX } from "../../../../src/workers/renderer/resources/load-pdf-mode.ts";
import { AHEAD_BYTES_MAX } from "../../../../src/workers/renderer/resources/read-ahead.ts";
import { compiledPackageFile } from "../../../support/compiled-package-file.ts";
import { pngFile, samplePicture } from "../../../support/images/sample-files.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";
import { makeShaper, openFont } from "../../../support/fonts/shaper.ts";
import { NO_RESOURCES, PLAIN_OPTIONS, joined, pageOf } from "../../../support/pdf/plain-options.ts";
import { writePdf } from "../../../../src/render/pdf/write-pdf.ts";

const MB = 1024 * 1024;
const BYTES_MAX = 100_000_000;
/** Of a character while its text is laid out: the arrays of `Section`, and its glyph in a `ShapedRun`. */
const CHARACTER_BYTES = 8 + 4 + 4 * 1 + GLYPH_WORDS * 4;

const of = (name: keyof typeof LIMITS) => LIMITS[name].value;
const sum = (bytes: readonly number[]) => bytes.reduce((all, one) => all + one, 0);

/** What outlives a render, and is used by the next. */
const KEPT = [KEPT_CUT_BYTES, KEPT_RUN_BYTES, PROFILE_BYTES_MAX, UNREAD_BYTES_MAX];
const TEXT = of("render_text") * CHARACTER_BYTES;

describe("the bounds of an isolate of the renderer", () => {
  it.each<[string, readonly number[]]>([
    [
      "while the pictures are read",
      [of("render_instances"), AHEAD_BYTES_MAX, of("render_kept_pictures"), SPARING_BYTES],
    ],
    [
      "while pages are laid out and held as a PDF",
      [of("render_instances"), of("render_kept_pictures"), of("held_pdf"), TEXT],
    ],
    [
      "while they are stored as a PDF",
      [of("render_instances"), of("render_kept_pictures"), SPARING_BYTES, TEXT],
    ],
    ["while pages are drawn", [of("render_drawing"), of("held_pdf"), of("render_images")]],
    ["while a document is copied", [of("read_file"), of("merged_objects"), SPARING_BYTES]],
  ])("stay together below 100 MB %s", (_, bounds) => {
    expect(sum([...bounds, ...KEPT])).toBeLessThan(BYTES_MAX);
  });

  it("leave room for the largest font, beside the subsetter", () => {
    expect(of("render_fonts") + SUBSETTER_BYTES).toBeLessThanOrEqual(of("render_instances"));
    expect(of("render_fonts")).toBeGreaterThan(of("font_file") + 12 * MB);
  });
});

describe("a picture that is decoded", () => {
  it("has room for its pixels while they are compressed, and is too large beyond", async () => {
    const picture = pngFile(samplePicture(64, 64, true));
    const rules = { allowsCmyk: true };
    const { decoderBytes, packedBytes } = preparingBytes(picture);
    expect([decoderBytes > 0, packedBytes]).toEqual([true, 4 * 64 * 64]);
    const made = await preparePicture(picture, imageCodecs, rules);
    const size = typeof made === "string" ? 0 : sizeOf(made.pixels) + sizeOf(made.alpha);
    expect([size > 0, size <= packedBytes]).toEqual([true, true]);
    const packedBytesMax = size / 2;
    expect(await preparePicture(picture, imageCodecs, { ...rules, packedBytesMax })).toBe(
      "too_large",
    );
  });
});

const sizeOf = (stream: PixelStream | null) =>
  sum((stream?.data ?? []).map(({ byteLength }) => byteLength));

/** A shaper and a drawer that have been used, in one room. */
async function used() {
  const shaper = makeShaper();
  const drawer = new PageDrawer(
    compiledPackageFile("@hyzyla/pdfium/dist/pdfium.wasm"),
    imageCodecs.pixels,
  );
  const room = new RenderRoom({ shaper, drawer });
  shaper.limitBy(room.hasRoom);
  const face = openFont(shaper, "sans");
  const pdf = await joined(writePdf([pageOf([])], NO_RESOURCES, PLAIN_OPTIONS));
  await drawer.use([pdf], (document) => [...document.draw(0, 64).pieces()].length);
  face.subset([1, 2, 3]);
  return { shaper, drawer, room, face };
}

const OPTIONS = shapeOptions({ script: "Latn", language: "", features: [], isRightToLeft: false });
const INSTANCES = of("render_instances");

describe("the room of the instances", () => {
  it("is not passed by fonts: PDFium makes room for them, and then they are refused", async () => {
    const { shaper, drawer, room } = await used();
    expect(drawer.memoryBytes).toBeGreaterThan(0);
    shaper.open("large", new Uint8Array(24 * MB));
    expect([drawer.memoryBytes, room.bytes <= INSTANCES]).toEqual([0, true]);
    expect(() => shaper.open("larger", new Uint8Array(24 * MB))).toThrow(RangeError);
    expect(room.bytes).toBeLessThanOrEqual(INSTANCES);
  });

  it("would be passed if the fonts did not ask for it", async () => {
    const { shaper, room, face } = await used();
    shaper.limitBy(() => true);
    shaper.open("large", new Uint8Array(24 * MB));
    expect(room.bytes).toBeGreaterThan(INSTANCES);
    expect(face.postScriptName).toBe("NotoSans-Regular");
  });

  it("is given to a picture by PDFium, then the subsetter, then the fonts", async () => {
    const { shaper, drawer, room } = await used();
    const lease = room.lease(() => Promise.resolve());
    const fonts = () => shaper.memoryBytes;
    const before = fonts();
    lease.grow(INSTANCES - before);
    expect([drawer.memoryBytes, fonts()]).toEqual([0, before]);
    lease.grow(1);
    expect(fonts()).toBe(before - SUBSETTER_BYTES);
    lease.grow(INSTANCES);
    expect(fonts()).toBe(0);
    await lease.end();
    expect(room.bytes).toBe(0);
  });

  it("is the fonts' again after it, which print the same with the same faces", async () => {
    const { shaper, room, face } = await used();
    const lease = room.lease((faces) => {
      expect(faces).toEqual([face]);
      expect(openFont(shaper, "sans")).toBe(face);
      return Promise.resolve();
    });
    lease.grow(INSTANCES);
    expect(shaper.find(face.key)).toBeUndefined();
    await lease.end();
    const fresh = openFont(makeShaper(), "sans");
    expect(face.shape("Affluent", OPTIONS, "", "")).toEqual(
      fresh.shape("Affluent", OPTIONS, "", ""),
    );
    expect(face.subset([5, 6])).toEqual(fresh.subset([5, 6]));
  });
});

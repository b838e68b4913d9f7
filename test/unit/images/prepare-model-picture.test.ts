/** docs/contract/models.md#pictures: what a picture's file says besides its pixels does not leave the service. */
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { prepareModelPicture } from "../../../src/images/prepare-model-picture.ts";
import { createPictureTools } from "../../../src/images/create-picture-tools.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import { imageCodecs, svgRenderer } from "../../support/images/wasm-modules.ts";

const tools = createPictureTools(imageCodecs, svgRenderer);
const prepare = (bytes: Uint8Array, contentType: string) =>
  prepareModelPicture(bytes, contentType, (given, type) => tools.convert(given, type, "png"));

const MARKER = "MARKER-51.5074N";

/** 48 × 32 px: no two corners are alike. */
const picture = () =>
  sharp({ create: { width: 48, height: 32, channels: 3, background: "#336699" } }).composite([
    {
      input: { create: { width: 20, height: 10, channels: 3, background: "#ffcc00" } },
      left: 3,
      top: 2,
    },
  ]);
const described = () =>
  picture()
    .withExif({ IFD0: { Copyright: MARKER, ImageDescription: MARKER } })
    .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><a>${MARKER}</a></x:xmpmeta>`);

/** With a text chunk, a comment segment and bytes after the end. */
function withTexts(png: Buffer): Buffer {
  const text = Buffer.from(`Comment\0${MARKER}`);
  const chunk = Buffer.alloc(12 + text.length);
  chunk.writeUInt32BE(text.length);
  chunk.write("tEXt", 4, "latin1");
  text.copy(chunk, 8);
  const at = 8 + 25;
  return Buffer.concat([png.subarray(0, at), chunk, png.subarray(at), Buffer.from(MARKER)]);
}

function withComment(jpeg: Buffer): Buffer {
  const text = Buffer.from(MARKER);
  const head = Buffer.from([0xff, 0xfe, 0, text.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, text, jpeg.subarray(2), Buffer.from(MARKER)]);
}

const pixelsOf = async (bytes: Uint8Array) =>
  (await sharp(bytes).rotate().removeAlpha().raw().toBuffer()).toString("base64");

const FILES: Readonly<Record<string, { type: string; make: () => Promise<Buffer> }>> = {
  png: { type: "image/png", make: async () => withTexts(await described().png().toBuffer()) },
  jpeg: {
    type: "image/jpeg",
    make: async () => withComment(await described().jpeg({ progressive: true }).toBuffer()),
  },
  "jpeg with a color profile": {
    type: "image/jpeg",
    make: () => described().withIccProfile("p3").jpeg().toBuffer(),
  },
  webp: { type: "image/webp", make: () => described().webp({ lossless: true }).toBuffer() },
  "webp of a photograph": { type: "image/webp", make: () => described().webp().toBuffer() },
};

describe.each(Object.entries(FILES))("%s", (_name, { type, make }) => {
  test("keeps its format and its pixels, and loses all else", async () => {
    const given = await make();
    expect(given.includes(MARKER)).toBe(true);
    const sent = await prepare(new Uint8Array(given), type);
    expect(sent.contentType).toBe(type);
    expect(Buffer.from(sent.bytes).includes(MARKER)).toBe(false);
    expect(await pixelsOf(sent.bytes)).toBe(await pixelsOf(given));
    const [before, after] = [await sharp(given).metadata(), await sharp(sent.bytes).metadata()];
    expect(after.icc?.length).toBe(before.icc?.length);
    expect([after.exif, after.xmp, after.iptc, after.comments]).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
  });

  test("cut short anywhere is refused or still decodes, and never throws anything else", async () => {
    const given = new Uint8Array(await make());
    for (let length = 0; length < given.length; length += 7) {
      // oxlint-disable-next-line no-await-in-loop -- the first failure names its length
      const code = await prepare(given.subarray(0, length), type).then(
        () => "sent",
        (error: unknown) => (error instanceof NodeError ? error.code : String(error)),
      );
      expect(["sent", "IMAGE_UNREADABLE", "IMAGE_TOO_LARGE"], `at ${length}`).toContain(code);
    }
  });
});

test.each([2, 3, 4, 5, 6, 7, 8])(
  "a picture of orientation %i is turned, as a PNG",
  async (turn) => {
    const given = await picture()
      .withMetadata({ orientation: turn })
      .jpeg({ quality: 95 })
      .toBuffer();
    const sent = await prepare(new Uint8Array(given), "image/jpeg");
    expect(sent.contentType).toBe("image/png");
    const [ours, theirs] = await Promise.all(
      [sent.bytes, given].map((bytes) =>
        sharp(bytes).rotate().removeAlpha().raw().toBuffer({ resolveWithObject: true }),
      ),
    );
    expect([ours?.info.width, ours?.info.height]).toEqual([
      theirs?.info.width,
      theirs?.info.height,
    ]);
    const worst = Math.max(
      ...(ours?.data ?? []).map((value, at) => Math.abs(value - (theirs?.data[at] ?? 0))),
    );
    expect(worst).toBeLessThanOrEqual(24);
  },
);

test.each([
  ["image/gif", () => picture().gif().toBuffer()],
  [
    "image/svg+xml",
    () =>
      Promise.resolve(
        Buffer.from(
          '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
        ),
      ),
  ],
])("a picture of the type %s is sent as a PNG", async (type, make) => {
  const sent = await prepare(new Uint8Array(await make()), type);
  expect((await sharp(sent.bytes).metadata()).format).toBe("png");
});

import { describe, expect, it } from "vitest";
import { readExifOrientation } from "../../../../src/images/header/read-jpeg-header.ts";
import { readImageHeader } from "../../../../src/images/header/read-image-header.ts";
import type { NodeError } from "../../../../src/lib/errors/node-error.ts";
import {
  AVIF,
  GIF,
  HOSTILE_FILES,
  JPEG,
  PNG,
  WEBP,
  WEBP_CLEAR,
  WEBP_LOSSLESS,
} from "../../../support/images/hostile-files.ts";
import {
  orientedJpeg,
  progressiveJpegFile,
  samplePicture,
} from "../../../support/images/sample-files.ts";

const ascii = (text: string) => Buffer.from(text, "latin1");

describe("readImageHeader", () => {
  it.each([
    ["png", PNG],
    ["jpeg", JPEG],
    ["jpeg", progressiveJpegFile(samplePicture(40, 30))],
    ["webp", WEBP],
    ["webp", WEBP_LOSSLESS],
    ["webp", WEBP_CLEAR],
    ["gif", GIF],
    ["avif", AVIF],
  ] as const)("reads the size of a %s", (format, bytes) => {
    expect(readImageHeader(bytes)).toMatchObject({ format, width: 40, height: 30, turns: [] });
  });

  it.each(HOSTILE_FILES)("rejects $name with the reason", ({ bytes, code, says }) => {
    let refusal: NodeError | undefined;
    try {
      readImageHeader(bytes);
    } catch (error) {
      refusal = error as NodeError;
    }
    expect(refusal).toMatchObject({ name: "NodeError", code });
    expect(refusal?.message).toMatch(says);
    // Every rejection also states a fix.
    expect(refusal?.message).toMatch(/(?:Save|Send|Scale) .*\.$/);
  });

  it("has at least 40 hostile files", () => {
    expect(HOSTILE_FILES.length).toBeGreaterThanOrEqual(40);
    expect(new Set(HOSTILE_FILES.map(({ name }) => name)).size).toBe(HOSTILE_FILES.length);
  });

  it("never reads beyond a file that is cut at any byte", () => {
    for (const whole of [PNG, JPEG, WEBP, WEBP_LOSSLESS, WEBP_CLEAR, GIF]) {
      for (let end = 0; end < whole.length - 1; end++) {
        try {
          const header = readImageHeader(whole.subarray(0, end));
          // A GIF's first frame may be complete before the file is, and a JPEG's end is found when it is decoded.
          expect(["gif", "jpeg"]).toContain(header.format);
          expect(header).toMatchObject({ width: 40, height: 30 });
        } catch (error) {
          expect(error).toMatchObject({ code: "IMAGE_UNREADABLE" });
        }
      }
    }
  });

  it("uses the largest of an AVIF's sizes and its rotations in order", () => {
    const property = (name: string, body: readonly number[]) => [
      0,
      0,
      0,
      8 + body.length,
      ...ascii(name),
      ...body,
    ];
    const ispe = (width: number, height: number) =>
      property("ispe", [
        0,
        0,
        0,
        0,
        0,
        0,
        width >> 8,
        width & 255,
        0,
        0,
        height >> 8,
        height & 255,
      ]);
    const ipco = property("ipco", [
      ...ispe(40, 30),
      ...ispe(300, 200),
      ...property("irot", [1]),
      ...property("imir", [1]),
    ]);
    const ipma = property("ipma", [0, 0, 0, 0, 0, 0, 0, 1, 0, 7, 3, 1, 0x83, 0x84]);
    const meta = property("meta", [
      0,
      0,
      0,
      0,
      ...property("pitm", [0, 0, 0, 0, 0, 7]),
      ...property("iprp", [...ipco, ...ipma]),
    ]);
    const file = Uint8Array.from([...property("ftyp", [...ascii("avif"), 0, 0, 0, 0]), ...meta]);
    expect(readImageHeader(file)).toMatchObject({ width: 300, height: 200, turns: [8, 2] });
  });
});

describe("readExifOrientation", () => {
  const tiff = (patch: (view: DataView) => void = () => undefined) => {
    const bytes = orientedJpeg(JPEG, 6).slice(2 + 4 + 6, 2 + 36);
    patch(new DataView(bytes.buffer));
    return bytes;
  };

  it("reads both byte orders", () => {
    expect(readExifOrientation(tiff())).toBe(6);
    expect(readExifOrientation(orientedJpeg(JPEG, 8, true).slice(12, 38))).toBe(8);
  });

  it.each([
    ["a value of 0", (view: DataView) => view.setUint16(18, 0)],
    ["a value of 9", (view: DataView) => view.setUint16(18, 9)],
    ["a value that is not a short", (view: DataView) => view.setUint16(12, 2)],
    ["an unknown byte order", (view: DataView) => view.setUint16(0, 0x4d49)],
    ["no 42", (view: DataView) => view.setUint16(2, 43)],
    ["a directory beyond the end", (view: DataView) => view.setUint32(4, 0xffff_fff0)],
    [
      "65535 entries that are not there",
      (view: DataView) => (view.setUint16(8, 65_535), view.setUint16(10, 1)),
    ],
  ])("treats %s as no rotation", (_name, patch) => {
    expect(readExifOrientation(tiff(patch))).toBe(1);
  });

  it("treats an empty block as no rotation", () => {
    expect(readExifOrientation(new Uint8Array(0))).toBe(1);
  });
});

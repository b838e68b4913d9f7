/** AVIFs that are cut, changed or lie: each ends with its pixels or with one code, and the next file is read. */
import { describe, expect, it } from "vitest";
import { readAvifItems } from "../../../../src/images/avif/avif-items.ts";
import { AVIF_INITIAL_BYTES } from "../../../../src/images/avif/avif-memory.ts";
import { type CodecFault, PictureCodec } from "../../../../src/images/codec/picture-codec.ts";
import { readImageHeader } from "../../../../src/images/header/read-image-header.ts";
import { openImage } from "../../../../src/images/open-image.ts";
import { readRaster } from "../../../../src/images/raster/raster.ts";
import { LIMITS } from "../../../../src/lib/limits/limits-table.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { withHiddenFrames } from "../../../support/images/hidden-frames.ts";
import { framesOf, makeAvif } from "../../../support/images/make-avif.ts";
import { avifFile, samplePicture } from "../../../support/images/sample-files.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";
import { sizeOf } from "../../../support/sizes.ts";

const MB = 1024 * 1024;
const FLIPS = sizeOf("flippedAvifs");

const opaque = samplePicture(40, 30);
const frames = framesOf(avifFile(opaque, 60, 1));
const grid = { rows: 1, columns: 2, width: 80, height: 30 };
const [narrow] = framesOf(avifFile(samplePicture(20, 30), 60, 1));
const [wide] = framesOf(avifFile(samplePicture(64, 30), 60, 1));
const [, otherAlpha] = framesOf(avifFile(samplePicture(33, 21, true), 60, 1));
const FILES = [
  avifFile(opaque, 60, 1),
  avifFile(samplePicture(33, 21, true), 60, 3),
  avifFile(opaque, 60, 0),
  avifFile(opaque, 60, 1, { bitDepth: 10 }),
  avifFile(opaque, 40, 1, { denoiseLevel: 40 }),
  makeAvif({ color: { frames: [frames[0]!, frames[0]!], grid }, irot: 1 }),
];

const decode = async (bytes: Uint8Array, memoryMax = 12 * MB) =>
  readRaster(await openImage(bytes, readImageHeader(bytes), imageCodecs, memoryMax));

/** The code of the refusal, "read" for pixels of the stated size; other errors are thrown. */
async function outcomeOf(bytes: Uint8Array): Promise<string> {
  try {
    const { rgba, width, height } = await decode(bytes);
    return rgba.length === width * height * 4 ? "read" : "wrong size";
  } catch (error) {
    if (error instanceof NodeError) {
      return error.code;
    }
    throw error;
  }
}

/** The file with other bytes behind the only place of a box's name. */
function patched(file: Uint8Array, name: string, at: number, bytes: readonly number[]): Uint8Array {
  const changed = Buffer.from(file);
  const place = changed.indexOf(name);
  expect(place).toBeGreaterThan(0);
  changed.set(bytes, place + at);
  return Uint8Array.from(changed);
}

/** Its box `ipma` states as many entries. */
const MANY_ASSOCIATIONS = patched(FILES[0]!, "ipma", 8, [0, 0, 0x10, 0]);

describe("an AVIF", () => {
  it(
    `with a changed byte is read or refused, ${FLIPS} times over ${FILES.length} files`,
    { timeout: 600_000 },
    async () => {
      const outcomes = new Map<string, number>();
      let state = 20_261_128;
      const random = (below: number) => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
        return Math.floor(((state >>> 8) / 2 ** 24) * below);
      };
      for (let i = 0; i < FLIPS; i++) {
        const bytes = Uint8Array.from(FILES[i % FILES.length]!);
        bytes[12 + random(bytes.length - 12)]! ^= 1 << random(8);
        const outcome = await outcomeOf(bytes);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
      const known = ["IMAGE_TOO_LARGE", "IMAGE_UNREADABLE", "read"];
      expect([...outcomes.keys()].filter((outcome) => !known.includes(outcome))).toEqual([]);
      // Both occur, so both paths were tested.
      expect(outcomes.get("read")).toBeGreaterThan(FLIPS / 20);
      expect(outcomes.get("IMAGE_UNREADABLE")).toBeGreaterThan(FLIPS / 20);
      expect(await outcomeOf(FILES[0]!)).toBe("read");
    },
  );

  it("that is cut is refused", async () => {
    for (const file of FILES) {
      for (let end = 20; end < file.length; end += Math.ceil(file.length / 9)) {
        expect(await outcomeOf(file.subarray(0, end))).toBe("IMAGE_UNREADABLE");
      }
    }
  });

  it.each([
    ["a box of 2 GB", patched(FILES[0]!, "mdat", -4, [0x80, 0, 0, 0]), /does not fit/],
    ["a frame of another size", patched(FILES[0]!, "ispe", 8, [0, 0, 0, 44]), /another size/],
    ["a main item that is not there", patched(FILES[0]!, "pitm", 8, [0, 9]), /not coded as AV1/],
    ["data beyond its end", patched(FILES[5]!, "iloc", 22, [0x7f]), /not where it states/],
    ["more cells than it has", patched(FILES[5]!, "dimg", 6, [0, 1]), /cells are not all there/],
    [
      "a narrower second cell",
      makeAvif({ color: { frames: [frames[0]!, narrow!], grid } }),
      /cells have unequal sizes/,
    ],
    [
      "a wider second cell",
      makeAvif({ color: { frames: [frames[0]!, wide!], grid } }),
      /cells have unequal sizes/,
    ],
    [
      "smaller transparency",
      makeAvif({ color: { frames }, alpha: { frames: [otherAlpha!] } }),
      /transparency of another size: 33 × 21 px for 40 × 30/,
    ],
    [
      "transparency in fewer cells",
      makeAvif({
        color: { frames: [frames[0]!, frames[0]!], grid },
        alpha: { frames: [frames[0]!], grid: { rows: 1, columns: 1, width: 40, height: 30 } },
      }),
      /transparency of another size/,
    ],
    ["data that overlap", makeAvif({ color: { frames }, timesStated: 40 }), /data overlap/],
    ["4,096 associations", MANY_ASSOCIATIONS, /more than 2000 boxes/],
  ])("with %s is refused", async (_, bytes, says) => {
    await expect(decode(bytes)).rejects.toMatchObject({
      code: "IMAGE_UNREADABLE",
      message: expect.stringMatching(says) as string,
    });
  });
});

describe("frames that are decoded and not shown", () => {
  const file = (count: number) => {
    const [frame] = frames;
    return makeAvif({
      color: { frames: [{ ...frame!, data: withHiddenFrames(frame!.data, count) }] },
    });
  };

  const max = LIMITS.avif_frames.value;

  it(`are read up to ${max} with the one that shows the last of them, with the pixels of it alone`, async () => {
    const alone = await decode(FILES[0]!);
    expect((await decode(file(1))).rgba).toEqual(alone.rgba);
    expect((await decode(file(max - 1))).rgba).toEqual(alone.rgba);
  });

  it.each([max, 40_000])(
    "are refused from one more on, before one is decoded: %i",
    async (count) => {
      await expect(decode(file(count))).rejects.toMatchObject({
        code: "IMAGE_UNREADABLE",
        message: expect.stringMatching(/more frames than any layers need/) as string,
      });
      expect(await outcomeOf(FILES[0]!)).toBe("read");
    },
  );

  it("are counted in cells too", async () => {
    const [frame] = frames;
    const many = { ...frame!, data: withHiddenFrames(frame!.data, max) };
    const cells = makeAvif({ color: { frames: [frame!, many], grid } });
    await expect(decode(cells)).rejects.toMatchObject({
      code: "IMAGE_UNREADABLE",
      message: expect.stringMatching(/more frames than any layers need/) as string,
    });
  });
});

describe("the items of an AVIF", () => {
  it("are not looked for in more associations than the limit of boxes", () => {
    expect(readAvifItems(FILES[0]!).color.width).toBe(40);
    expect(() => readAvifItems(MANY_ASSOCIATIONS)).toThrow(/more than 2000 boxes/);
  });
});

interface ReaderExports {
  readonly room: (bytes: number) => number;
  readonly frame: (
    layer: number,
    bytes: number,
    length: number,
    point: number,
    width: number,
    height: number,
  ) => void;
  readonly cell: (
    layer: number,
    bytes: number,
    length: number,
    point: number,
    cellWidth: number,
    cellHeight: number,
    left: number,
    top: number,
    width: number,
    height: number,
  ) => void;
}

const faultOf = (work: () => unknown): CodecFault => {
  try {
    work();
  } catch (error) {
    return error as CodecFault;
  }
  throw new Error("there was no fault");
};

describe("a fault of the codec", () => {
  it("is too little memory, which is IMAGE_TOO_LARGE", async () => {
    const large = avifFile(samplePicture(900, 700), 60, 1);
    await expect(decode(large, AVIF_INITIAL_BYTES)).rejects.toMatchObject({
      code: "IMAGE_TOO_LARGE",
    });
    expect((await decode(large)).width).toBe(900);
  });

  const frameOf = () => {
    const codec = new PictureCodec<ReaderExports>(imageCodecs.avif, {
      initialBytes: AVIF_INITIAL_BYTES,
      bytesMax: 8 * MB,
    });
    const { data } = frames[0]!;
    const at = codec.room(data.length);
    codec.bytes(at, data.length).set(data);
    return { codec, at, length: data.length };
  };

  // The header's check keeps such sizes away from the codec; it does not rely on that.
  it.each([
    ["whose bytes overflow 32 bits", 65_536, 65_536, "damaged"],
    ["of 2³² - 2 pixels", 0x7fff_ffff, 2, "no_memory"],
    ["of a width below 0", -1, 30, "damaged"],
    ["without a height", 80, 0, "damaged"],
  ] as const)("is a whole of cells %s", (_, width, height, reason) => {
    const { codec, at, length } = frameOf();
    const copied = () =>
      codec.call(({ cell }) => {
        cell(0, at, length, 0, 40, 30, 0, 0, width, height);
      });
    expect(faultOf(copied).reason).toBe(reason);
  });

  it("is a frame whose pixels, in 32 bits, are 0", () => {
    const { codec, at, length } = frameOf();
    const decoded = () =>
      codec.call(({ frame }) => {
        frame(0, at, length, 0, 65_536, 65_536);
      });
    expect(faultOf(decoded)).toMatchObject({
      reason: "damaged",
      message: "the picture has no possible size",
    });
  });

  it("is a trap, after which the instance is not used again and the next file is read", async () => {
    const codec = new PictureCodec<ReaderExports>(imageCodecs.avif, {
      initialBytes: AVIF_INITIAL_BYTES,
      bytesMax: 4 * MB,
    });
    const frameOutside = () =>
      codec.call(({ frame }) => {
        frame(0, 0xffff_ff00 | 0, 200, 0, 40, 30);
      });
    expect(faultOf(frameOutside).reason).toBe("trap");
    expect(faultOf(frameOutside)).toMatchObject({ reason: "damaged" });
    expect(await outcomeOf(FILES[0]!)).toBe("read");
  });
});

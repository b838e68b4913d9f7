/** WebPs that are cut, changed or lie: each ends with its pixels or with one code, and the next file is read. */
import { describe, expect, it } from "vitest";
import { type CodecFault, PictureCodec } from "../../../../src/images/codec/picture-codec.ts";
import { readImageHeader } from "../../../../src/images/header/read-image-header.ts";
import { openImage } from "../../../../src/images/open-image.ts";
import { readRaster } from "../../../../src/images/raster/raster.ts";
import { WEBP_INITIAL_BYTES } from "../../../../src/images/webp/webp-memory.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { noise } from "../../../support/images/largest-picture.ts";
import { rustWebpFile, samplePicture, webpFile } from "../../../support/images/sample-files.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";
import { webpOf } from "../../../support/images/webp-of.ts";
import { sizeOf } from "../../../support/sizes.ts";

const MB = 1024 * 1024;
const FLIPS = sizeOf("flippedWebps");

const pictures = [samplePicture(24, 37, true), noise(19, 30, true), samplePicture(70, 40)];
const FILES = [
  ...pictures.flatMap((picture) => [
    webpFile(picture),
    webpFile(picture, true),
    rustWebpFile(picture),
  ]),
  ...(await Promise.all(pictures.map((picture) => webpOf(picture, 70)))),
];

const decode = async (bytes: Uint8Array, memoryMax = 4 * MB) =>
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

/** The file with another length of its whole and of its last chunk, so that only the decoder can find that data are missing. */
function cut(file: Uint8Array, length: number): Uint8Array {
  const bytes = Uint8Array.from(file.subarray(0, length));
  const view = new DataView(bytes.buffer);
  view.setUint32(4, length - 8, true);
  for (let at = 12; at + 8 <= length;) {
    const said = view.getUint32(at + 4, true);
    if (at + 8 + said >= length) {
      view.setUint32(at + 4, length - at - 8, true);
    }
    at += 8 + said + (said & 1);
  }
  return bytes;
}

describe("a WebP", () => {
  it("that is cut is refused, wherever it is cut", async () => {
    for (const file of FILES) {
      const step = Math.max(1, Math.floor(file.length / 12));
      for (let end = 3; end < file.length - 1; end += step) {
        expect(await outcomeOf(file.subarray(0, end))).toBe("IMAGE_UNREADABLE");
      }
      expect(await outcomeOf(file)).toBe("read");
    }
  });

  it("that is cut and states its new length is refused by the decoder", async () => {
    for (const file of FILES) {
      // Half of the picture's data, so that rows are missing.
      expect(await outcomeOf(cut(file, Math.floor(file.length / 2)))).toBe("IMAGE_UNREADABLE");
    }
  });

  it(
    `with a changed byte is read or refused, ${FLIPS} times over ${FILES.length} files`,
    { timeout: 600_000 },
    async () => {
      const outcomes = new Map<string, number>();
      let state = 20_261_124;
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

  it("with a chunk of 2 GB is refused by its header", async () => {
    const bytes = Uint8Array.from(FILES[0]!);
    new DataView(bytes.buffer).setUint32(16, 2 ** 31, true);
    await expect(decode(bytes)).rejects.toMatchObject({ code: "IMAGE_UNREADABLE" });
  });
});

interface ReaderExports {
  readonly start: (file: number, bytes: number, width: number, height: number) => void;
  readonly rows: () => number;
}

/** A reader with this file in its memory, and the file's address. */
function readerOf(file: Uint8Array, bytesMax = 4 * MB) {
  const reader = new PictureCodec<ReaderExports>(imageCodecs.webp, {
    initialBytes: WEBP_INITIAL_BYTES,
    bytesMax,
  });
  const at = reader.room(file.length);
  reader.bytes(at, file.length).set(file);
  return { reader, at };
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
  it("is too little memory, which is IMAGE_TOO_LARGE, in reading and in writing", async () => {
    const large = webpFile(noise(400, 300), true);
    await expect(decode(large, MB)).rejects.toMatchObject({ code: "IMAGE_TOO_LARGE" });
    expect((await decode(large)).width).toBe(400);
    await expect(webpOf(noise(800, 600), 100, MB)).rejects.toMatchObject({
      code: "IMAGE_TOO_LARGE",
      message: expect.stringMatching(
        /800 × 600 px with so much detail that writing it as WebP at quality 100 needs more than the 1 MB/,
      ) as string,
    });
    await expect(webpOf(noise(800, 600), 100)).resolves.toBeInstanceOf(Uint8Array);
  });

  it("is a side beyond the format, which is IMAGE_TOO_LARGE", async () => {
    await expect(webpOf(samplePicture(16_384, 1), 80)).rejects.toMatchObject({
      code: "IMAGE_TOO_LARGE",
      message: expect.stringMatching(/at most 16383 px/) as string,
    });
  });

  it("is a trap, after which the instance is not used again and the next file is read", async () => {
    const { reader } = readerOf(FILES[0]!);
    const startOutside = () =>
      reader.call(({ start }) => {
        start(0xffff_ff00 | 0, 200, 24, 37);
      });
    expect(faultOf(startOutside).reason).toBe("trap");
    expect(faultOf(startOutside)).toMatchObject({ reason: "damaged" });
    expect(await outcomeOf(FILES[0]!)).toBe("read");
  });

  it("is another size than the header states", () => {
    const { reader, at } = readerOf(FILES[0]!);
    const fault = faultOf(() => {
      reader.call(({ start }) => {
        start(at, FILES[0]!.length, 24, 38);
      });
    });
    expect(fault.reason).toBe("damaged");
    expect(fault.message).toMatch(/another size/);
  });
});

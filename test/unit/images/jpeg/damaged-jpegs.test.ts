/** JPEGs that are cut, changed or lie: each ends with its pixels or with one code, and the next file is read. */
import { describe, expect, it } from "vitest";
import { type CodecFault, PictureCodec } from "../../../../src/images/codec/picture-codec.ts";
import { readImageHeader } from "../../../../src/images/header/read-image-header.ts";
import { JPEG_INITIAL_BYTES } from "../../../../src/images/jpeg/jpeg-memory.ts";
import { openImage } from "../../../../src/images/open-image.ts";
import { readRaster } from "../../../../src/images/raster/raster.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { noise } from "../../../support/images/largest-picture.ts";
import {
  jpegFile,
  mozJpegFile,
  orientedJpeg,
  progressiveJpegFile,
  samplePicture,
} from "../../../support/images/sample-files.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";
import { sizeOf } from "../../../support/sizes.ts";

const MB = 1024 * 1024;
const FLIPS = sizeOf("flippedJpegs");

const pictures = [samplePicture(24, 17), noise(9, 30)];
/** Twenty files. */
const FILES = pictures.flatMap((picture) => {
  const sequential = mozJpegFile(picture, { progressive: false });
  const progressive = progressiveJpegFile(picture, 60);
  return [
    jpegFile(picture),
    sequential,
    progressive,
    progressiveJpegFile(picture, 95),
    mozJpegFile(picture, { color_space: 1 }),
    mozJpegFile(picture, { color_space: 2 }),
    mozJpegFile(picture, { auto_subsample: false, chroma_subsample: 4 }),
    orientedJpeg(sequential, 3),
    orientedJpeg(sequential, 8),
    orientedJpeg(progressive, 6),
  ];
});

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

interface ReaderExports {
  readonly start: (denominator: number, isTurned: number, coefficientBytes: number) => void;
  readonly rows: (to: number, max: number) => number;
}

const readerOf = (file: Uint8Array, bytesMax = 4 * MB) =>
  new PictureCodec<ReaderExports>(imageCodecs.jpeg, {
    initialBytes: JPEG_INITIAL_BYTES,
    bytesMax,
    file,
  });

const faultOf = (work: () => unknown): CodecFault => {
  try {
    work();
  } catch (error) {
    return error as CodecFault;
  }
  throw new Error("there was no fault");
};

describe("a JPEG", () => {
  it("that is cut is refused, wherever a pixel is missing", async () => {
    for (const file of FILES) {
      const whole = await decode(file);
      const step = Math.max(1, Math.floor(file.length / 12));
      for (let end = 3; end < file.length; end += step) {
        const cut = file.subarray(0, end);
        if ((await outcomeOf(cut)) === "read") {
          expect(file.length - end).toBeLessThan(8);
          expect((await decode(cut)).rgba).toEqual(whole.rgba);
        }
      }
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
        bytes[2 + random(bytes.length - 2)]! ^= 1 << random(8);
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

  it("that repeats a scan 1,000 times is refused, by its header and by the reader itself", async () => {
    const file = FILES[2]!;
    const scan = Buffer.from(file).lastIndexOf(Buffer.from([0xff, 0xda]));
    const last = file.subarray(scan, file.length - 2);
    const repeated = Buffer.concat([
      file.subarray(0, scan),
      ...Array.from({ length: 1_000 }, () => last),
      file.subarray(file.length - 2),
    ]);
    await expect(decode(repeated)).rejects.toThrow(/more than 100 scans/);
    const fault = faultOf(() => {
      readerOf(repeated).call(({ start }) => {
        start(1, 0, MB);
      });
    });
    expect(fault).toMatchObject({ reason: "unsupported", message: "more than 100 scans" });
  });

  it("that states more rows than it has is refused, without room for them", async () => {
    for (const file of [FILES[1]!, FILES[2]!]) {
      const bytes = Uint8Array.from(file);
      const frame = Buffer.from(bytes).findIndex(
        (byte, i) => byte === 0xff && (bytes[i + 1] === 0xc0 || bytes[i + 1] === 0xc2),
      );
      new DataView(bytes.buffer).setUint16(frame + 5, 16_000);
      expect(await outcomeOf(bytes)).toBe("IMAGE_UNREADABLE");
    }
  });
});

describe("a fault of the codec", () => {
  const large = progressiveJpegFile(noise(400, 300), 80);

  it("is too little memory, which is IMAGE_TOO_LARGE", async () => {
    await expect(decode(large, JPEG_INITIAL_BYTES)).rejects.toMatchObject({
      code: "IMAGE_TOO_LARGE",
    });
    expect((await decode(large)).width).toBe(400);
  });

  it("is a trap, after which the instance is not used again and the next file is read", async () => {
    const codec = readerOf(FILES[1]!);
    codec.call(({ start }) => {
      start(1, 0, MB);
    });
    // Rows beyond the end of the memory.
    const rowsOutside = () => codec.call(({ rows }) => rows(0xffff_ff00 | 0, 8));
    expect(faultOf(rowsOutside).reason).toBe("trap");
    expect(faultOf(rowsOutside)).toMatchObject({ reason: "damaged" });
    expect(await outcomeOf(FILES[1]!)).toBe("read");
  });

  it("is a refusal of the library, with its message", () => {
    const fault = faultOf(() => {
      readerOf(new Uint8Array([0xff, 0xd8, 0xff, 0xd9])).call(({ start }) => {
        start(1, 0, MB);
      });
    });
    expect(fault.reason).toBe("damaged");
    expect(fault.message).toMatch(/image/i);
  });
});

import { describe, expect, it } from "vitest";
import { CODEC_MEMORY_BYTES_MAX } from "../../../../src/images/codec/memory-bytes-max.ts";
import { WasmCodec } from "../../../../src/images/codec/wasm-codec.ts";
import {
  jpegFile,
  rustWebpFile,
  samplePicture,
  webpFile,
} from "../../../support/images/sample-files.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const Memory = WebAssembly.Memory;

/** A codec of one page that counts its starts. */
function counted(pages = 1) {
  let starts = 0;
  const codec = new WasmCodec(() => {
    starts++;
    return Promise.resolve({
      exports: { number: starts },
      memory: new Memory({ initial: pages }),
      printed: ["of the file before"],
    });
  });
  return { codec, starts: () => starts };
}

describe("WasmCodec", () => {
  it("starts with the first use and never again", async () => {
    const { codec, starts } = counted();
    expect(starts()).toBe(0);
    const numbers = await Promise.all(
      [1, 2, 3].map(() => codec.use(({ exports }) => exports.number)),
    );
    expect(numbers).toEqual([1, 1, 1]);
    expect(starts()).toBe(1);
  });

  it("starts anew after a trap, also for those who waited beside it", async () => {
    const { codec } = counted();
    const trap = () => {
      throw new WebAssembly.RuntimeError("unreachable");
    };
    const [trapped, beside] = await Promise.allSettled([
      codec.use(trap),
      codec.use(({ exports }) => exports.number),
    ]);
    expect(trapped).toMatchObject({ status: "rejected" });
    expect(beside).toEqual({ status: "fulfilled", value: 2 });
  });

  it("gives an instance up whose memory has grown large", async () => {
    const { codec, starts } = counted(513);
    await codec.use(() => undefined);
    await codec.use(() => undefined);
    expect(starts()).toBe(2);
  });

  it("gives each file an instance of its own where that is asked for", async () => {
    let starts = 0;
    const codec = new WasmCodec(
      () => Promise.resolve({ exports: ++starts, memory: new Memory({ initial: 1 }), printed: [] }),
      false,
    );
    const numbers = await Promise.all([1, 2, 3].map(() => codec.use(({ exports }) => exports)));
    expect(numbers.toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
  });

  it("forgets what was printed of the file before", async () => {
    const { codec } = counted();
    expect(await codec.use(({ printed }) => [...printed])).toEqual([]);
  });

  it("tries again after a start that failed", async () => {
    let starts = 0;
    const codec = new WasmCodec(() =>
      ++starts === 1
        ? Promise.reject(new Error("no memory"))
        : Promise.resolve({ exports: starts, memory: new Memory({ initial: 1 }), printed: [] }),
    );
    await expect(codec.use(({ exports }) => exports)).rejects.toThrow("no memory");
    expect(await codec.use(({ exports }) => exports)).toBe(2);
  });
});

/** One colour, so that large files are quickly made. */
const plain = (side: number) => ({
  rgba: new Uint8ClampedArray(side * side * 4).fill(200),
  width: side,
  height: side,
});

describe("the picture codecs", () => {
  it("grow to their cap and no further, whatever a file claims, and read the next one", async () => {
    const huge = rustWebpFile(plain(3_000));
    const bytes = await imageCodecs.webp.use(({ exports, memory }) => {
      // Past the header gate, straight at the codec.
      expect(exports.decode(huge)?.width).toBe(3_000);
      const filled = memory.buffer.byteLength;
      const more = Math.ceil((CODEC_MEMORY_BYTES_MAX - filled) / 65_536) + 1;
      expect(() => memory.grow(more)).toThrow(RangeError);
      return memory.buffer.byteLength;
    });
    expect(bytes).toBeLessThanOrEqual(CODEC_MEMORY_BYTES_MAX);
    const tooHuge = rustWebpFile(plain(4_200));
    // A picture would fill the test report, so only whether there is one is compared.
    const isRead = await imageCodecs.webp.use(({ exports }) => exports.decode(tooHuge) !== null);
    expect(isRead).toBe(false);
    const small = webpFile(samplePicture(30, 20));
    expect((await imageCodecs.webp.use(({ exports }) => exports.decode(small)))?.width).toBe(30);
  });

  it("holds no more after many pictures than after one", async () => {
    const bytes = jpegFile(samplePicture(500, 400));
    const sizes: number[] = [];
    for (let i = 0; i < 30; i++) {
      sizes.push(
        await imageCodecs.jpeg.use(({ exports, memory }) => {
          exports.decode(bytes, false);
          return memory.buffer.byteLength;
        }),
      );
    }
    expect(new Set(sizes.slice(1)).size).toBe(1);
  });
});

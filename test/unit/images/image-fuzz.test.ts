import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONVERSION_BYTES_MAX } from "../../../src/images/conversion-bytes.ts";
import { decodeImage } from "../../../src/images/open-image.ts";
import { fuzzPictures } from "../../support/fuzz/fuzz-pictures.ts";
import { JPEG } from "../../support/images/hostile-files.ts";
import { imageCodecs } from "../../support/images/wasm-modules.ts";
import { sizeOf } from "../../support/sizes.ts";

const EXECUTIONS = sizeOf("damagedPictures");
const decode = (bytes: Uint8Array) => decodeImage(bytes, imageCodecs);
const { prototype } = WebAssembly.Memory;
// oxlint-disable-next-line typescript/unbound-method -- restored unchanged
const { grow } = prototype;
let peakBytes = 0;

beforeAll(() => {
  prototype.grow = function (pages) {
    const before = grow.call(this, pages);
    peakBytes = Math.max(peakBytes, this.buffer.byteLength);
    return before;
  };
});

afterAll(() => {
  prototype.grow = grow;
});

describe("damaged pictures", () => {
  it(
    `are decoded within the caps or refused with the reason, ${EXECUTIONS} times`,
    { timeout: 600_000 },
    async () => {
      const { faults, decoded, refused } = await fuzzPictures(decode, EXECUTIONS, 20_261_120);
      expect(faults).toEqual([]);
      // Both occur, so both paths were tested.
      expect(decoded).toBeGreaterThan(EXECUTIONS / 50);
      expect(refused).toBeGreaterThan(EXECUTIONS / 3);
      expect(peakBytes).toBeLessThanOrEqual(CONVERSION_BYTES_MAX);
      expect((await decode(JPEG)).width).toBe(40);
    },
  );

  it("fails for a decoder that throws another error or returns too few pixels", async () => {
    const crashing = (bytes: Uint8Array) =>
      bytes.length % 50 === 0 ? Promise.reject(new TypeError("planted")) : decode(bytes);
    expect((await fuzzPictures(crashing, 300, 1)).faults[0]).toContain("planted");
    const lying = async (bytes: Uint8Array) => {
      const { rgba, width, height } = await decode(bytes);
      return { rgba: rgba.subarray(4), width, height };
    };
    expect((await fuzzPictures(lying, 300, 1)).faults.length).toBeGreaterThan(0);
  });
});

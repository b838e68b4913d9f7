import { constants, deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { chooseDeflate } from "../../../../src/images/png/choose-deflate.ts";
import { RowFilter } from "../../../../src/images/png/row-filter.ts";
import type { Raster } from "../../../../src/images/raster/raster.ts";
import { samplePicture } from "../../../support/images/sample-files.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const MATCHES = { level: 4, strategy: constants.Z_FILTERED };

/** Numbers from 0 to 1 that look random, the same in each run. */
function grainOf(): () => number {
  let state = 20_261_128;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Waves with the grain of a camera. */
function photograph(width: number, height: number): Raster {
  const { rgba } = samplePicture(width, height);
  const grain = grainOf();
  for (let i = 0; i < rgba.length; i++) {
    if (i % 4 !== 3) {
      rgba[i] = (rgba[i] as number) + 12 * (grain() - 0.5);
    }
  }
  return { rgba, width, height };
}

/** Lines of letters that repeat, in more colors than a palette has. */
function drawing(width: number, height: number): Raster {
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (y % 24 < 16 && ((x % 13) * 7 + (y % 24) * 5) % 11 < 4) {
        rgba.set([x % 13, (y * 300) / height, 40, 255], (y * width + x) * 4);
      }
    }
  }
  return { rgba, width, height };
}

function filteredRows({ rgba, width, height }: Raster): Uint8Array[] {
  const filter = new RowFilter(imageCodecs.pixels, width, height, 3, 512 * 1024);
  const stripes = [...filter.add(rgba)].map((stripe) => stripe.slice());
  return [...stripes, filter.rest().slice()];
}

function deflatedBytes(stripes: readonly Uint8Array[], wayOf: typeof chooseDeflate): number {
  return stripes.reduce((sum, stripe) => sum + deflateRawSync(stripe, wayOf(stripe)).length, 0);
}

describe("chooseDeflate", () => {
  it("deflates a photograph without matches, to no more bytes than with them", () => {
    const stripes = filteredRows(photograph(1_200, 900));
    expect(stripes.length).toBeGreaterThan(5);
    for (const stripe of stripes) {
      expect(chooseDeflate(stripe).strategy).not.toBe(constants.Z_FILTERED);
    }
    expect(deflatedBytes(stripes, chooseDeflate)).toBeLessThan(
      1.005 * deflatedBytes(stripes, () => MATCHES),
    );
  });

  it("deflates a drawing with matches", () => {
    const stripes = filteredRows(drawing(1_200, 900));
    for (const stripe of stripes) {
      expect(chooseDeflate(stripe)).toEqual(MATCHES);
    }
    // Without them its file has several times as many bytes.
    expect(
      deflatedBytes(stripes, () => ({ level: 4, strategy: constants.Z_HUFFMAN_ONLY })),
    ).toBeGreaterThan(3 * deflatedBytes(stripes, chooseDeflate));
  });

  it("keeps matches for a stripe that is blank in its middle", () => {
    const stripe = filteredRows(drawing(600, 250)).reduce((a, b) => (a.length > b.length ? a : b));
    stripe.fill(0, stripe.length / 2 - 40_000, stripe.length / 2 + 40_000);
    expect(chooseDeflate(stripe)).toEqual(MATCHES);
  });

  it.each([0, 1, 100])("chooses a way for %d bytes", (length) => {
    const stripe = new Uint8Array(length).map((_, i) => i * 7);
    expect(deflateRawSync(stripe, chooseDeflate(stripe)).length).toBeGreaterThan(0);
  });
});

import { expect, it } from "vitest";
import { fitRaster } from "../../../../src/images/raster/fit-raster.ts";
import { rasterPicture } from "../../../../src/images/raster/raster.ts";
import { shrinkPicture } from "../../../../src/images/raster/shrink-picture.ts";
import { samplePicture } from "../../../support/images/sample-files.ts";

it.each([
  [300, 200, 100],
  [301, 199, 100],
  [200, 1_013, 512],
  [513, 7, 512],
  [2_000, 3, 100],
])("a picture of %d × %d px shrunk to %d by rows equals one shrunk at once", async (w, h, side) => {
  const source = samplePicture(w, h, true);
  const expected = fitRaster(source, side);
  const { rgba, width, height } = await shrinkPicture(rasterPicture(source), side);
  expect([width, height]).toEqual([expected.width, expected.height]);
  const off = rgba.reduce(
    (most, value, i) => Math.max(most, Math.abs(value - expected.rgba[i]!)),
    0,
  );
  expect(off).toBeLessThanOrEqual(1);
});

it("a picture that is small enough stays unchanged", async () => {
  const source = samplePicture(50, 40, true);
  const { rgba } = await shrinkPicture(rasterPicture(source), 50);
  expect(rgba).toEqual(source.rgba);
});

import { describe, expect, it } from "vitest";
import { readImageHeader } from "../../../../src/images/header/read-image-header.ts";
import { openImage } from "../../../../src/images/open-image.ts";
import { readRaster } from "../../../../src/images/raster/raster.ts";
import { avifFile, rustWebpFile, samplePicture } from "../../../support/images/sample-files.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const MB = 1024 * 1024;

describe.each([
  ["a WebP", rustWebpFile(samplePicture(1_900, 1_500)), 8 * MB],
  ["an AVIF", avifFile(samplePicture(1_000, 800)), 3 * MB],
])("the codec of %s", (_name, bytes, memoryMax) => {
  const header = readImageHeader(bytes);

  it("is refused memory beyond its cap, for any content, and the next file is read", async () => {
    const read = async (bytesMax: number) =>
      readRaster(await openImage(bytes, header, imageCodecs, bytesMax));
    await expect(read(memoryMax)).rejects.toMatchObject({
      code: "IMAGE_TOO_LARGE",
      message: expect.stringMatching(
        /needs more than the (?:8|3) MB that are allowed\. Scale it down/,
      ) as string,
    });
    const { rgba } = await read(64 * MB);
    expect(rgba.length).toBe(header.width * header.height * 4);
  });
});

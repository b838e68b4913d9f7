import { describe, expect, it } from "vitest";
import { encodePng } from "../../../support/images/encode-png.ts";
import { flattenRaster } from "../../../../src/images/raster/flatten-raster.ts";
import { readPngSize } from "../../../../src/images/header/read-png-header.ts";
import type { FileRef } from "../../../../src/lib/files/file-ref.ts";
import { NodeInputs } from "../../../../src/nodes/define-ports.ts";
import { outputImage } from "../../../../src/nodes/output/image.ts";
import { SVG_LOGO } from "../../../support/images/code-spec.ts";
import { alphaOf, decodeElsewhere, psnr } from "../../../support/images/judge-picture.ts";
import {
  avifFile,
  gifFile,
  jpegFile,
  pngFile,
  samplePicture,
  webpFile,
} from "../../../support/images/sample-files.ts";
import { taskContext } from "../../../support/images/task-context.ts";

async function run(
  parameters: Record<string, unknown>,
  file: { name: string; contentType: string; bytes: Uint8Array },
) {
  const { context, files } = taskContext();
  const image = files.add(file.name, file.contentType, file.bytes);
  const outputs = await outputImage.run(
    context,
    new NodeInputs(new Map([["image", image]])),
    outputImage.params.parse(parameters),
  );
  const value = outputs.get("value") as FileRef;
  return { image, value, bytes: files.get(value), count: files.count() };
}

const svg = { name: "logo.svg", contentType: "image/svg+xml", bytes: SVG_LOGO };
const png = {
  name: "dot.png",
  contentType: "image/png",
  bytes: encodePng(new Uint8ClampedArray(4), 1, 1),
};

describe("output/image", () => {
  it("passes the original through in the run object itself, bytes untouched", async () => {
    expect(outputImage.placement(outputImage.params.parse({}))).toBe("inline");
    const { value, image, count } = await run({}, svg);
    expect(value).toBe(image);
    expect(count).toBe(1);
  });

  it("converts an SVG to a PNG of 2048 px, transparent where nothing is drawn", async () => {
    expect(outputImage.placement(outputImage.params.parse({ format: "png" }))).toBe("task");
    const { value, bytes } = await run({ format: "png" }, svg);
    expect(value).toMatchObject({ name: "logo.png", contentType: "image/png" });
    expect(readPngSize(bytes)).toEqual({ width: 2048, height: 2048 });
    const { context } = taskContext();
    const { rgba } = await context.images.decode(bytes);
    // Outside of the logo's round corner, and inside.
    expect(rgba[3]).toBe(0);
    expect([...rgba.subarray((300 * 2048 + 300) * 4, (300 * 2048 + 300) * 4 + 4)]).toEqual([
      0, 170, 85, 255,
    ]);
  });

  it("keeps a PNG unchanged if PNG is requested", async () => {
    const { value, image } = await run({ format: "png" }, png);
    expect(value).toBe(image);
  });

  it("gives the file the requested name, with its own extension", async () => {
    expect((await run({ file_name: "My logo" }, svg)).value.name).toBe("My logo.svg");
    expect((await run({ file_name: "a/b\\c.svg", format: "png" }, svg)).value.name).toBe(
      "a_b_c.png",
    );
    expect((await run({ file_name: "n-{index}" }, png)).value.name).toBe("n-{index}.png");
  });

  it("fails with the reason on an SVG that cannot be drawn", async () => {
    const bytes = new TextEncoder().encode(
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="x.png"/></svg>',
    );
    await expect(run({ format: "png" }, { ...svg, bytes })).rejects.toMatchObject({
      code: "SVG_UNDRAWABLE",
      message: expect.stringContaining("embeds a picture") as string,
    });
  });

  it.each([
    ["png", undefined],
    ["jpg", undefined],
    ["webp", undefined],
    ["jpg", 40],
    ["webp", 40],
  ] as const)("converts every kind of picture to %s (quality %s)", async (format, quality) => {
    const picture = samplePicture(120, 90, true);
    const sources = [
      [{ ...png, name: "a.png", bytes: pngFile(picture) }, picture],
      [{ name: "b.jpeg", contentType: "image/jpeg", bytes: jpegFile(picture) }, undefined],
      [{ name: "c.webp", contentType: "image/webp", bytes: webpFile(picture) }, picture],
      [{ name: "d.gif", contentType: "image/gif", bytes: gifFile(picture) }, undefined],
      [{ name: "e.avif", contentType: "image/avif", bytes: avifFile(picture) }, picture],
    ] as const;
    for (const [source, expected] of sources) {
      const { value, bytes, image } = await run({ format, quality }, source);
      const contentType = { png: "image/png", jpg: "image/jpeg", webp: "image/webp" }[format];
      expect(value.contentType).toBe(contentType);
      if (source.contentType === contentType && quality === undefined) {
        expect(value).toBe(image);
        continue;
      }
      expect(value.name).toBe(`${source.name[0]}.${format}`);
      const decoded = decodeElsewhere(bytes);
      expect([decoded.width, decoded.height]).toEqual([120, 90]);
      if (expected !== undefined) {
        const flat = flattenRaster(decoded);
        expect(psnr(flat, flattenRaster(expected))).toBeGreaterThan(quality === 40 ? 25 : 30);
      }
      expect(alphaOf(decoded).includes(0)).toBe(
        format !== "jpg" && source.contentType !== "image/jpeg",
      );
    }
  });

  it("encodes a JPEG again if a quality is requested, and takes fewer bytes for a lower one", async () => {
    const jpeg = {
      name: "p.jpg",
      contentType: "image/jpeg",
      bytes: jpegFile(samplePicture(300, 200)),
    };
    const [low, high] = [
      await run({ format: "jpg", quality: 20 }, jpeg),
      await run({ format: "jpg", quality: 90 }, jpeg),
    ];
    expect(low.value).toMatchObject({ name: "p.jpg", contentType: "image/jpeg" });
    expect(low.bytes.length).toBeLessThan(high.bytes.length / 2);
  });

  it.each(["jpg", "webp"])("draws an SVG as %s at 2048 px", async (format) => {
    const { bytes, value } = await run({ format }, svg);
    expect(value.name).toBe(`logo.${format}`);
    const decoded = decodeElsewhere(bytes);
    expect([decoded.width, decoded.height]).toEqual([2_048, 2_048]);
    // Outside of the logo's round corner: exactly white, or transparent.
    expect([...decoded.rgba.subarray(0, 4)].at(format === "jpg" ? 0 : 3)).toBe(
      format === "jpg" ? 255 : 0,
    );
  });

  it("rejects other formats and a quality outside of 1 to 100", () => {
    for (const wrong of [{ format: "gif" }, { quality: 0 }, { quality: 101 }, { quality: 80.5 }]) {
      expect(outputImage.params.safeParse(wrong).success).toBe(false);
    }
  });
});

/**
 * Pictures as they are converted, looked at in the middle of it, with what the codecs' wasm holds.
 * docs/decisions/pictures.md says which conversions stay below 64 MB, and what bounds the others.
 */
import { afterAll, beforeAll, test } from "vitest";
import { encodeJpeg } from "../../src/images/jpeg/encode-jpeg.ts";
import type { Raster } from "../../src/images/raster/raster.ts";
import { gifFile, pngFile, webpFile } from "../support/images/sample-files.ts";
import { FAULTS, PICTURE_POINTS } from "../support/node/live-bytes/watch-points.ts";
import { WatchedService } from "../support/node/live-bytes/watched-service.ts";

let watched: WatchedService;
const workflows = new Map<string, string>();

beforeAll(async () => {
  watched = await WatchedService.start({
    points: { runner: PICTURE_POINTS },
    faults: { runner: [FAULTS.pixels] },
  });
  for (const format of ["png", "jpg", "webp"]) {
    const workflow = await watched.publish(
      format,
      [
        { id: "picture", type: "input/image" },
        {
          id: "out",
          type: "output/image",
          parameters: { key: "out", format, ...(format !== "png" && { quality: 80 }) },
        },
      ],
      ["picture.image > out.image"],
    );
    workflows.set(format, workflow);
  }
});

afterAll(() => watched?.stop());

/** Pixels that do not compress to nothing, quickly made. */
function pattern(width: number, height: number, clear = false): Raster {
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < width * height; i++) {
    const [x, y] = [i % width, Math.floor(i / width)];
    rgba[i * 4] = (x * y) >> 6;
    rgba[i * 4 + 1] = x ^ y;
    rgba[i * 4 + 2] = x >> 4;
    rgba[i * 4 + 3] = clear ? y >> 2 : 255;
  }
  return { rgba, width, height };
}

const layered = (layers: number) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${'<g opacity="0.9"><rect width="100" height="100" fill="#0a5"/>'.repeat(layers)}<circle cx="50" cy="50" r="40"/>${"</g>".repeat(layers)}</svg>`,
  );

const convert = async (path: string, format: string) =>
  watched.run(workflows.get(format) ?? "", { picture: { asset_path: path } });

const SAMPLES = [
  ["a drawing of 2048 px", "a.svg", () => layered(1), ["png", "jpg", "webp"]],
  ["a PNG of 12 megapixels", "a.png", () => pngFile(pattern(4_096, 3_072, true)), ["jpg"]],
  ["a JPEG of 12 megapixels", "a.jpg", () => encodeJpeg(pattern(4_096, 3_072), 85), ["png", "jpg"]],
  ["a WebP of 6 megapixels", "a.webp", () => webpFile(pattern(2_900, 2_000)), ["png"]],
  ["a GIF of 8 megapixels", "a.gif", () => gifFile(pattern(3_840, 2_160)), ["png"]],
  ["a PNG of 2 megapixels", "b.png", () => pngFile(pattern(1_600, 1_300, true)), ["webp"]],
] as const;

/** The proof takes all of them. */
const CHOSEN = process.env["PROOF"] === undefined ? [SAMPLES[0], SAMPLES[2], SAMPLES[5]] : SAMPLES;

test.each(CHOSEN)("%s is converted", { timeout: 180_000 }, async (_what, name, make, formats) => {
  const path = await watched.upload(name, [make()]);
  for (const format of formats) {
    await watched.expectFlat(() => convert(path, format));
  }
});

test("a second copy of a picture's pixels is found", { timeout: 180_000 }, async () => {
  const path = await watched.upload("c.jpg", [encodeJpeg(pattern(4_800, 3_600), 85)]);
  await watched.expectCaught("runner", FAULTS.pixels, () => convert(path, "png"));
});

/** Pictures of every kind that the service reads, with their names; written by sharp where it can write them. */
import sharp from "sharp";
import type { Raster } from "../../../src/images/raster/raster.ts";
import type { PictureFile } from "./run-picture-node.ts";
import {
  avifFile,
  gifFile,
  jpegFile,
  orientedJpeg,
  progressiveJpegFile,
  samplePicture,
} from "./sample-files.ts";

const opaque = samplePicture(97, 61);
const clear = samplePicture(97, 61, true);

const pixels = ({ rgba, width, height }: Raster) =>
  sharp(rgba, { raw: { width, height, channels: 4 } });

/** Each color type of PNG with 8 and 16 bits, and palettes of 1 to 8 bits, in order and interlaced. */
async function pngs(): Promise<PictureFile[]> {
  const made = [false, true].flatMap((progressive) => {
    const end = progressive ? "-interlaced.png" : ".png";
    const colors = ["grey16", "rgb16", "b-w", "srgb"].flatMap((space) => [
      [`${space}${end}`, pixels(opaque).removeAlpha().toColourspace(space).png({ progressive })],
      [`${space}-clear${end}`, pixels(clear).toColourspace(space).png({ progressive })],
    ]);
    const palettes = [2, 4, 16, 256].flatMap((colours) => {
      const options = { progressive, palette: true, colours, dither: 0 };
      return [
        [`${colours}-colors${end}`, pixels(opaque).removeAlpha().png(options)],
        [`${colours}-colors-clear${end}`, pixels(clear).png(options)],
      ];
    });
    return [...colors, ...palettes] as [string, ReturnType<typeof sharp>][];
  });
  return written(made);
}

function jpegs(): PictureFile[] {
  const plain = jpegFile(opaque);
  const progressive = progressiveJpegFile(opaque);
  return [1, 2, 3, 4, 5, 6, 7, 8].flatMap((orientation) =>
    [plain, progressive].map((file, i) => ({
      name: `orientation-${orientation}${i === 0 ? "" : "-progressive"}.jpg`,
      contentType: "image/jpeg",
      bytes: orientedJpeg(file, orientation, orientation % 2 === 0),
    })),
  );
}

function others(): Promise<PictureFile[]> {
  return written([
    ["gray.jpg", pixels(opaque).grayscale().jpeg()],
    ["whole-colors.jpg", pixels(opaque).jpeg({ chromaSubsampling: "4:4:4" })],
    ["halved-colors.jpg", pixels(opaque).jpeg({ chromaSubsampling: "4:2:0" })],
    ["optimized.jpg", pixels(opaque).jpeg({ mozjpeg: true })],
    ["lossy.webp", pixels(opaque).webp()],
    ["lossy-clear.webp", pixels(clear).webp()],
    ["lossless.webp", pixels(opaque).webp({ lossless: true })],
    ["lossless-clear.webp", pixels(clear).webp({ lossless: true })],
    ["nearly-lossless-clear.webp", pixels(clear).webp({ nearLossless: true })],
    ["poor-alpha.webp", pixels(clear).webp({ alphaQuality: 30 })],
  ]);
}

const TYPES = { png: "image/png", jpg: "image/jpeg", webp: "image/webp" } as const;

function written(made: readonly (readonly [string, ReturnType<typeof sharp>])[]) {
  return Promise.all(
    made.map(async ([name, file]): Promise<PictureFile> => {
      const type = TYPES[name.split(".").at(-1) as "png"];
      return { name, contentType: type, bytes: new Uint8Array(await file.toBuffer()) };
    }),
  );
}

/** All of them, more than 60. */
export async function pictureCorpus(): Promise<readonly PictureFile[]> {
  const foreign: PictureFile[] = [
    { name: "opaque.gif", contentType: "image/gif", bytes: gifFile(opaque) },
    { name: "clear.gif", contentType: "image/gif", bytes: gifFile(clear) },
    { name: "opaque.avif", contentType: "image/avif", bytes: avifFile(opaque) },
    { name: "clear.avif", contentType: "image/avif", bytes: avifFile(clear) },
  ];
  return [...(await pngs()), ...jpegs(), ...(await others()), ...foreign];
}

/**
 * What conversions of pictures of 12 megapixels hold beside the file: the memory of their codecs and all buffers, after a
 * garbage collection at every few pieces. In a process of its own: `node --expose-gc bench/picture-memory.ts`. Prints the figures
 * as one JSON line.
 */
import sharp from "sharp";
import { CONVERSION_BYTES_MAX } from "../src/images/conversion-bytes.ts";
import { encodeStripes } from "../src/images/encode-stripes.ts";
import { readImageHeader } from "../src/images/header/read-image-header.ts";
import { openImage } from "../src/images/open-image.ts";
import { encodeWebp } from "../src/images/webp/webp-encoder.ts";
import { samplePicture } from "../test/support/images/sample-files.ts";
import { imageCodecs } from "../test/support/images/wasm-modules.ts";
import { atMost, type Figure } from "./figure.ts";
import { spread } from "./statistics.ts";

const MB = 1024 * 1024;
const ROUNDS = 3;
const PHOTO = { width: 4_000, height: 3_000 };
const MB_MAX = 24;
/** One in this many pieces of a file is measured, and the last. */
const STRIDE = 16;

const { gc } = globalThis as { gc?: () => void };
if (gc === undefined) {
  throw new Error("Start this with --expose-gc.");
}
/** Memories of codecs that may still exist. */
let memories: WeakRef<WebAssembly.Memory>[] = [];
WebAssembly.Memory = new Proxy(WebAssembly.Memory, {
  construct(target, given) {
    const memory = Reflect.construct(target, given) as WebAssembly.Memory;
    memories.push(new WeakRef(memory));
    return memory;
  },
});

/** Bytes of codecs and buffers. Without a turn of the event loop, no memory of a finished codec is seen as gone. */
async function heldBytes(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  gc?.();
  await new Promise((resolve) => setTimeout(resolve, 0));
  memories = memories.filter((memory) => memory.deref() !== undefined);
  const codecs = memories.reduce((sum, one) => sum + (one.deref()?.buffer.byteLength ?? 0), 0);
  return codecs + process.memoryUsage().arrayBuffers;
}

type Format = "png" | "jpg" | "webp";
const QUALITY = { png: 0, jpg: 85, webp: 80 } as const;

/** The most that a conversion holds while its rows are read and its file is taken, in MB. */
async function heldMost(file: Uint8Array, format: Format): Promise<number> {
  const before = await heldBytes();
  let most = 0;
  let count = 0;
  const measure = async () => {
    most = Math.max(most, await heldBytes());
  };
  const opened = await openImage(file, readImageHeader(file), imageCodecs, CONVERSION_BYTES_MAX);
  const picture = {
    ...opened,
    async *stripes() {
      for await (const stripe of opened.stripes()) {
        if (count++ % STRIDE === 0) {
          await measure();
        }
        yield stripe;
      }
    },
  };
  const pieces =
    format === "webp"
      ? await encodeWebp(picture, QUALITY.webp, imageCodecs.webpEncoder, CONVERSION_BYTES_MAX)
      : encodeStripes(picture, format, QUALITY[format], imageCodecs);
  await measure();
  for await (const piece of pieces) {
    if (piece.length > 0 && count++ % STRIDE === 0) {
      await measure();
    }
  }
  return (most - before) / MB;
}

async function figure(name: string, file: Uint8Array, format: Format): Promise<Figure> {
  const samples: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // oxlint-disable-next-line no-await-in-loop -- each alone
    samples.push(await heldMost(file, format));
  }
  const most = Math.max(...samples);
  return {
    name: `memory of ${name}, beside the file`,
    unit: "MB",
    ours: spread(samples),
    beside: [],
    targets: [atMost(`<= ${MB_MAX} MB`, most, MB_MAX)],
    note: `file of ${(file.length / MB).toFixed(1)} MB; a conversion may hold ${CONVERSION_BYTES_MAX / MB}`,
  };
}

const { rgba, width, height } = samplePicture(PHOTO.width, PHOTO.height);
// Grain, as a camera gives.
let state = 1;
for (let at = 0; at < rgba.length; at++) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  rgba[at] = (at & 3) === 3 ? 255 : (rgba[at] ?? 0) + (state >>> 28) - 7.5;
}
const pixels = sharp(rgba, { raw: { width, height, channels: 4 } }).removeAlpha();
const jpeg = await pixels.clone().jpeg({ quality: 85 }).toBuffer();
const progressive = await pixels.clone().jpeg({ quality: 85, progressive: true }).toBuffer();
const png = await pixels.clone().png({ compressionLevel: 4 }).toBuffer();
const webp = await pixels.clone().webp({ quality: 80 }).toBuffer();
const figures: Figure[] = [];
for (const [name, file, format] of [
  ["a JPEG of 12 megapixels to JPEG", jpeg, "jpg"],
  ["a JPEG of 12 megapixels to PNG", jpeg, "png"],
  ["a PNG of 12 megapixels to PNG", png, "png"],
  ["a WebP of 12 megapixels to PNG", webp, "png"],
  ["a JPEG of 12 megapixels to WebP", jpeg, "webp"],
  ["a progressive JPEG of 12 megapixels to JPEG", progressive, "jpg"],
] as const) {
  // oxlint-disable-next-line no-await-in-loop -- each alone
  figures.push(await figure(name, file, format));
}
console.log(JSON.stringify(figures));

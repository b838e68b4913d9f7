/** Picture files from other encoders: each format written by a library that the service does not ship. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import startAvifEncoder from "@jsquash/avif/codec/enc/avif_enc.js";
import startJpegEncoder from "@jsquash/jpeg/codec/enc/mozjpeg_enc.js";
import startWebpEncoder from "@jsquash/webp/codec/enc/webp_enc.js";
import { PhotonImage } from "@silvia-odwyer/photon-node";
import jpeg from "jpeg-js";
import { GifWriter } from "omggif";
import { encodePng } from "./encode-png.ts";
import type { Raster } from "../../../src/images/raster/raster.ts";
import { LIBWEBP_SETTINGS } from "../../../bench/peers/webp-whole/libwebp-settings.ts";

type Encode = (
  rgba: Uint8ClampedArray | Uint8Array,
  width: number,
  height: number,
  options: Readonly<Record<string, unknown>>,
) => Uint8Array | null;

// End-to-end tests are typed for Node, which has no types of WebAssembly.
const { Module, Instance } = (
  globalThis as unknown as {
    WebAssembly: {
      Module: new (bytes: Uint8Array) => object;
      Instance: new (module: object, imports: object) => { exports: object };
    };
  }
).WebAssembly;

type Glue = (settings: object) => Promise<{ encode: Encode }>;

async function encoder(glue: unknown, path: string): Promise<Encode> {
  const url = new URL(`../../../node_modules/@jsquash/${path}`, import.meta.url);
  const module = new Module(readFileSync(fileURLToPath(url.href)));
  const exports = await (glue as Glue)({
    noInitialRun: true,
    instantiateWasm(imports: object, done: (instance: object) => void) {
      const instance = new Instance(module, imports);
      done(instance);
      return instance.exports;
    },
  });
  return (...given) => exports.encode(...given)?.slice() ?? null;
}

const encodeMozJpeg = await encoder(startJpegEncoder, "jpeg/codec/enc/mozjpeg_enc.wasm");
const encodeLibwebp = await encoder(startWebpEncoder, "webp/codec/enc/webp_enc.wasm");
const encodeLibavif = await encoder(startAvifEncoder, "avif/codec/enc/avif_enc.wasm");

/** Soft waves with a hard edge; with `clear`, a disc on a transparent background. */
export function samplePicture(width: number, height: number, clear = false): Raster {
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const away = Math.hypot(x - width / 2, y - height / 2) / Math.min(width, height);
      const at = (y * width + x) * 4;
      rgba[at] = 128 + 100 * Math.sin(x / 17);
      rgba[at + 1] = 128 + 100 * Math.sin(y / 23);
      rgba[at + 2] = x * 2 > width ? 200 : 40;
      rgba[at + 3] = clear ? (0.5 - away) * 1_200 : 255;
    }
  }
  return { rgba, width, height };
}

export const pngFile = ({ rgba, width, height }: Raster) => encodePng(rgba, width, height);

export function jpegFile({ rgba, width, height }: Raster, quality = 92): Uint8Array {
  return new Uint8Array(jpeg.encode({ data: rgba, width, height }, quality).data);
}

export function progressiveJpegFile(picture: Raster, quality = 92): Uint8Array {
  return mozJpegFile(picture, { quality });
}

/** By MozJPEG, progressive unless its settings are changed. */
export function mozJpegFile(
  { rgba, width, height }: Raster,
  changes: Readonly<Record<string, unknown>>,
): Uint8Array {
  const options = {
    quality: 92,
    baseline: false,
    arithmetic: false,
    progressive: true,
    optimize_coding: true,
    smoothing: 0,
    color_space: 3,
    quant_table: 3,
    trellis_multipass: false,
    trellis_opt_zero: false,
    trellis_opt_table: false,
    trellis_loops: 1,
    auto_subsample: true,
    chroma_subsample: 2,
    separate_chroma_quality: false,
    chroma_quality: 75,
    ...changes,
  };
  return made(encodeMozJpeg(rgba, width, height, options));
}

export function webpFile({ rgba, width, height }: Raster, lossless = false): Uint8Array {
  const options = {
    ...LIBWEBP_SETTINGS,
    quality: 92,
    method: 2,
    lossless: lossless ? 1 : 0,
  };
  return made(encodeLibwebp(rgba, width, height, options));
}

/** Lossless, by image-rs. */
export function rustWebpFile({ rgba, width, height }: Raster): Uint8Array {
  return new PhotonImage(new Uint8Array(rgba), width, height).get_bytes_webp();
}

/** `subsample` 0 keeps no colors, 1 halves them, 2 halves their width, 3 keeps all. With `bitDepth` above 8, samples are repeated. */
export function avifFile(
  { rgba, width, height }: Raster,
  quality = 90,
  subsample: 0 | 1 | 2 | 3 = 3,
  changes: Readonly<Record<string, unknown>> = {},
): Uint8Array {
  const options = {
    quality,
    qualityAlpha: -1,
    denoiseLevel: 0,
    tileColsLog2: 0,
    tileRowsLog2: 0,
    speed: 9,
    subsample,
    chromaDeltaQ: false,
    sharpness: 0,
    tune: 0,
    enableSharpYUV: false,
    bitDepth: 8,
    lossless: false,
    ...changes,
  };
  const wide = (options.bitDepth as number) - 8;
  const samples =
    wide === 0
      ? new Uint8Array(rgba)
      : new Uint8Array(
          Uint16Array.from(rgba, (value) => (value << wide) | (value >> (8 - wide))).buffer,
        );
  return made(encodeLibavif(samples, width, height, options));
}

/** Colors of 6 × 6 × 6 steps, and one for transparent pixels. */
export function gifFile({ rgba, width, height }: Raster, frames = 1): Uint8Array {
  const palette = Array.from({ length: 256 }, (_, i) => {
    const step = (value: number) => (value % 6) * 51;
    return i < 216
      ? (step(Math.floor(i / 36)) << 16) | (step(Math.floor(i / 6)) << 8) | step(i)
      : 0;
  });
  const clear = 255;
  const indexes = Array.from({ length: width * height }, (_, i) => {
    const [r = 0, g = 0, b = 0, a = 0] = rgba.subarray(i * 4, i * 4 + 4);
    const step = (value: number) => Math.round(value / 51);
    return a < 128 ? clear : step(r) * 36 + step(g) * 6 + step(b);
  });
  const out: number[] = [];
  const writer = new GifWriter(out, width, height, { palette });
  for (let frame = 0; frame < frames; frame++) {
    writer.addFrame(0, 0, width, height, frame === 0 ? indexes : indexes.map(() => 0), {
      transparent: clear,
    });
  }
  return Uint8Array.from(out.slice(0, writer.end()));
}

/** A JPEG with an EXIF block that defines its rotation. */
export function orientedJpeg(file: Uint8Array, orientation: number, isLittle = false): Uint8Array {
  const body = new DataView(new ArrayBuffer(32));
  [0x45, 0x78, 0x69, 0x66, 0, 0].forEach((byte, i) => body.setUint8(i, byte));
  body.setUint16(6, isLittle ? 0x49_49 : 0x4d_4d);
  body.setUint16(8, 42, isLittle);
  body.setUint32(10, 8, isLittle);
  body.setUint16(14, 1, isLittle);
  body.setUint16(16, 0x01_12, isLittle);
  body.setUint16(18, 3, isLittle);
  body.setUint32(20, 1, isLittle);
  body.setUint16(24, orientation, isLittle);
  const exif = [0xff, 0xe1, 0, 34, ...new Uint8Array(body.buffer)];
  return Uint8Array.from([...file.subarray(0, 2), ...exif, ...file.subarray(2)]);
}

function made(bytes: Uint8Array | null): Uint8Array {
  if (bytes === null) {
    throw new Error("The sample could not be written.");
  }
  return bytes;
}

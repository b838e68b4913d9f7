import { decode, init } from "@jsquash/png/decode.js";
import { NodeError } from "../../lib/node-error.ts";
import type { Raster } from "../raster/raster.ts";
import { readPngSize } from "./read-png-size.ts";

/** 4096 × 4096 px: 64 MiB of RGBA, half of what an isolate has. */
const PNG_PIXELS_MAX = 4_096 * 4_096;
const PNG_BYTES_MAX = 25 * 1024 * 1024;

/**
 * Decodes a PNG to RGBA with the codec's compiled module. Bytes and pixels are capped before the
 * codec sees them. Throws NodeError `IMAGE_TOO_LARGE` or `IMAGE_UNREADABLE`.
 */
export async function decodePng(bytes: Uint8Array, codec: WebAssembly.Module): Promise<Raster> {
  if (bytes.length > PNG_BYTES_MAX) {
    throw new NodeError(
      "IMAGE_TOO_LARGE",
      `The PNG has ${bytes.length} bytes; at most ${PNG_BYTES_MAX} are decoded. Scale it down.`,
    );
  }
  const size = readPngSize(bytes);
  if (size === undefined) {
    throw unreadable("has no PNG header");
  }
  if (size.width * size.height > PNG_PIXELS_MAX) {
    throw new NodeError(
      "IMAGE_TOO_LARGE",
      `The PNG is ${size.width} × ${size.height} px; at most ${PNG_PIXELS_MAX} pixels (4096 × 4096) are decoded. Scale it down.`,
    );
  }
  provideImageData();
  await init(codec);
  try {
    // A copy of exactly these bytes: the codec takes a whole buffer.
    const image = await decode(bytes.slice().buffer);
    return { rgba: image.data as Uint8ClampedArray, width: image.width, height: image.height };
  } catch (cause) {
    throw unreadable("is damaged", cause);
  }
}

function unreadable(reason: string, cause?: unknown): NodeError {
  return new NodeError(
    "IMAGE_UNREADABLE",
    `The picture ${reason}. Send a valid PNG or SVG.`,
    cause === undefined ? {} : { cause },
  );
}

/** The codec's glue hands pixels over in an ImageData, a browser class that workerd and Node lack. */
function provideImageData(): void {
  const scope = globalThis as { ImageData?: unknown };
  scope.ImageData ??= class ImageData {
    readonly data: Uint8ClampedArray;
    readonly width: number;
    readonly height: number;

    constructor(data: Uint8ClampedArray, width: number, height: number) {
      this.data = data;
      this.width = width;
      this.height = height;
    }
  };
}

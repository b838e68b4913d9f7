import type { MadePicture } from "../../contracts/models/model-calls.ts";
import { PngEncoder } from "../../images/png/png-encoder.ts";
import type { Picture } from "../../images/raster/raster.ts";

/** Text chunks of every sample picture (docs/contract/sample-provider.md#pictures). */
export const SAMPLE_PNG_TEXTS = [
  ["Software", "Edgeloom sample provider"],
  ["Description", "Sample output, not made by an AI model"],
] as const;

/** A picture as the PNG of a sample model. Rows are read as the pieces are. `pixels` is pixels.wasm. */
export function writeSamplePng(pixels: WebAssembly.Module, picture: Picture): MadePicture {
  const { width, height } = picture;
  return { contentType: "image/png", bytes: encoded(pixels, picture), size: { width, height } };
}

async function* encoded(pixels: WebAssembly.Module, picture: Picture): AsyncGenerator<Uint8Array> {
  const { width, height, isOpaque } = picture;
  const encoder = new PngEncoder(pixels, width, height, isOpaque, SAMPLE_PNG_TEXTS);
  for await (const rgba of picture.stripes()) {
    yield* encoder.add(rgba);
  }
  yield* encoder.end();
}

/** Reads the code in a picture with zbar, a decoder that the service does not use. */
import { scanRGBABuffer } from "@undecaf/zbar-wasm";
import { decodePng } from "./decode-png.ts";

/** The texts of the codes found in a PNG, which is laid on white first. */
export async function readCode(png: Uint8Array): Promise<readonly string[]> {
  const { width, height, rgba } = decodePng(png);
  for (let i = 0; i < rgba.length; i += 4) {
    const alpha = rgba[i + 3]! / 255;
    for (let channel = 0; channel < 3; channel += 1) {
      rgba[i + channel] = Math.round(rgba[i + channel]! * alpha + 255 * (1 - alpha));
    }
    rgba[i + 3] = 255;
  }
  const symbols = await scanRGBABuffer(rgba.buffer as ArrayBuffer, width, height);
  return symbols.map((symbol) => symbol.decode());
}

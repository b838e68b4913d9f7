import { readGifFrame } from "../gif/read-gif-frame.ts";
import type { ImageHeader } from "./image-header.ts";
const MB = 1024 * 1024;

/** The header of a GIF whose first frame is complete. Throws NodeError `IMAGE_UNREADABLE`. */
export function readGifHeader(bytes: Uint8Array): ImageHeader {
  const { width, height } = readGifFrame(bytes);
  return {
    format: "gif",
    kind: "a GIF",
    width,
    height,
    // Its frame may be smaller than the picture.
    hasAlpha: true,
    turns: [],
    colors: undefined,
    // One color index for each pixel, the joined blocks of the file, and a stripe.
    decodingBytes: (w, h, fileBytes) => ({ kept: w * h + fileBytes + 2 * MB, fading: 0 }),
  };
}

import { readGifFrame } from "../gif/read-gif-frame.ts";
import type { ImageHeader } from "./image-header.ts";
const MB = 1024 * 1024;

/** The header of a GIF whose first frame is all there. Throws NodeError `IMAGE_UNREADABLE`. */
export function readGifHeader(bytes: Uint8Array): ImageHeader {
  const { width, height } = readGifFrame(bytes);
  return {
    format: "gif",
    kind: "a GIF",
    width,
    height,
    // Its frame may be smaller than itself.
    hasAlpha: true,
    turns: [],
    // A colour's number a pixel, the file's blocks joined, and a stripe.
    decodingBytes: (w, h, fileBytes) => ({ kept: w * h + fileBytes + 2 * MB, fading: 0 }),
  };
}

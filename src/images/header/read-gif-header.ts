import { readGifFrame } from "../gif/read-gif-frame.ts";
import type { ImageHeader } from "./image-header.ts";
import { PIXELS_MAX } from "./pixels-max.ts";

/** The header of a GIF whose first frame is all there. Throws NodeError `IMAGE_UNREADABLE`. */
export function readGifHeader(bytes: Uint8Array): ImageHeader {
  const { width, height } = readGifFrame(bytes);
  return { format: "gif", width, height, pixelsMax: PIXELS_MAX.gif, turns: [] };
}

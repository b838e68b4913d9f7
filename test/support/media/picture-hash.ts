import { createHash } from "node:crypto";
import type { Picture } from "../../../src/media/codec/ffmpeg/picture-decoder.ts";

/** MD5 of the planes without the bytes between their rows, as ffmpeg's framemd5 has it. */
export function pictureHash(picture: Picture): string {
  const hash = createHash("md5");
  for (const [i, plane] of picture.planes.entries()) {
    const shift = i === 0 ? { x: 0, y: 0 } : picture.chromaShift;
    const bytes = -(-picture.width >> shift.x) * (picture.bitDepth > 8 ? 2 : 1);
    for (let y = 0; y < -(-picture.height >> shift.y); y++) {
      const at = y * (picture.strides[i] as number);
      hash.update(plane.subarray(at, at + bytes));
    }
  }
  return hash.digest("hex");
}

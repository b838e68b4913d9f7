import {
  CONVERSION_BYTES_MAX,
  conversionBytes,
  decoderBytesMax,
  type Target,
} from "./conversion-bytes.ts";
import type { ImageHeader } from "./header/image-header.ts";
import { imageTooLarge } from "./image-too-large.ts";

const MB = 1024 * 1024;
const NAMES: Readonly<Record<Target, string>> = {
  png: "converted to PNG",
  jpg: "converted to JPEG",
  webp: "converted to WebP",
  logo: "shown in a code",
  pixels: "read whole",
};

/**
 * Refuses a picture that memory has no room for, before any of it is decoded: with its size, the
 * limit, and how large one like it may be. Answers how many bytes a codec's memory may come to.
 * Throws NodeError `IMAGE_TOO_LARGE`.
 */
export function checkConversion(header: ImageHeader, fileBytes: number, to: Target): number {
  const { width, height, kind } = header;
  const bytes = conversionBytes(header, header, fileBytes, to);
  if (bytes <= CONVERSION_BYTES_MAX) {
    return decoderBytesMax(header, fileBytes, to);
  }
  const fits = largestFit(header, fileBytes, to);
  throw imageTooLarge(
    `is ${kind} of ${width} × ${height} px and ${fileBytes} bytes: to be ${NAMES[to]} it would take ${Math.ceil(bytes / MB)} MB of memory, and ${CONVERSION_BYTES_MAX / MB} are given. Scale it down to ${fits.width} × ${fits.height} px, or save it in another format.`,
  );
}

/** The largest that the same picture may be, its file smaller as itself is. */
function largestFit(header: ImageHeader, fileBytes: number, to: Target) {
  let [fits, tooLarge] = [0, 1];
  for (let step = 0; step < 20; step++) {
    const factor = (fits + tooLarge) / 2;
    const bytes = conversionBytes(header, scaled(header, factor), fileBytes * factor ** 2, to);
    [fits, tooLarge] = bytes <= CONVERSION_BYTES_MAX ? [factor, tooLarge] : [fits, factor];
  }
  return scaled(header, fits);
}

function scaled({ width, height }: ImageHeader, factor: number) {
  return {
    width: Math.max(1, Math.floor(width * factor)),
    height: Math.max(1, Math.floor(height * factor)),
  };
}

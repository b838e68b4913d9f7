import type { ModelPicture } from "../contracts/models/model-calls.ts";
import { joinPieces } from "./byte-writer.ts";
import { dropJpegMetadata, dropPngMetadata, dropWebpMetadata } from "./drop-metadata.ts";
import { readImageHeader } from "./header/read-image-header.ts";
import { unreadableImage } from "./image-errors.ts";

/** Converts any picture to PNG, oriented as its metadata says. */
type ConvertToPng = (
  bytes: Uint8Array,
  contentType: string,
) => Promise<Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>>;

/**
 * A picture as providers receive it (docs/contract/models.md#pictures): PNG, JPEG or WebP without metadata, the pixels
 * untouched. A picture with an orientation is turned, and any other format is converted, both to PNG. Throws NodeError
 * `IMAGE_UNREADABLE`, `IMAGE_TOO_LARGE`, `SVG_UNDRAWABLE`, `TYPE_MISMATCH`.
 */
export async function prepareModelPicture(
  bytes: Uint8Array,
  contentType: string,
  convertToPng: ConvertToPng,
): Promise<ModelPicture> {
  const kept = contentType === "image/svg+xml" ? undefined : withoutMetadata(bytes);
  if (kept !== undefined) {
    return kept;
  }
  const png = await convertToPng(bytes, contentType);
  if (png instanceof Uint8Array) {
    return { contentType: "image/png", bytes: png };
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of png) {
    pieces.push(piece.slice());
  }
  return { contentType: "image/png", bytes: joinPieces(pieces) };
}

/** Undefined for a picture that must be encoded again. */
function withoutMetadata(bytes: Uint8Array): ModelPicture | undefined {
  const { format, turns, colors } = readImageHeader(bytes);
  // Providers expect colors of screens.
  if (turns.some((turn) => turn !== 1) || colors?.channels === 4) {
    return undefined;
  }
  try {
    switch (format) {
      case "png":
        return { contentType: "image/png", bytes: dropPngMetadata(bytes) };
      case "jpeg":
        return plainJpeg(bytes);
      case "webp":
        return { contentType: "image/webp", bytes: dropWebpMetadata(bytes) };
      default:
        return undefined;
    }
  } catch (error) {
    // The view of the bytes ends before a length that the file states.
    throw error instanceof RangeError ? unreadableImage("is cut short. Export it again.") : error;
  }
}

/** Undefined for a JPEG with bytes between its segments or without its end: it is decoded and written as PNG. */
function plainJpeg(bytes: Uint8Array): ModelPicture | undefined {
  try {
    return { contentType: "image/jpeg", bytes: dropJpegMetadata(bytes) };
  } catch {
    return undefined;
  }
}

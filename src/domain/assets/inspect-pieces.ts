import { ASSET_BYTES_MAX } from "../../contracts/asset.ts";
import { LastBytes } from "../../formats/last-bytes.ts";
import { SNIFF_BYTES, sniffFile } from "../../formats/sniff-file.ts";
import { sniffTail, TAIL_BYTES } from "../../formats/sniff-tail.ts";
import { cleanSvg, SVG_BYTES_MAX } from "../../formats/svg/clean-svg.ts";
import { SvgMalformedError } from "../../formats/svg/svg-malformed-error.ts";
import { AppError } from "../../lib/errors.ts";
import { typeMismatch } from "./type-mismatch.ts";

/** The code that a route answers for bytes that are not of the extension's type (docs/contract/assets.md#fields). */
export type ContentCode = "invalid_content" | "content_mismatch";

/**
 * A file's pieces on their way into storage: what is to be stored of them. Throws, once enough has
 * passed to tell, `code` for bytes that are not of the extension's type, `file_too_large` past
 * 250 MB, and `invalid_file` at the end of an empty one.
 */
export function inspectPieces(
  pieces: AsyncIterable<Uint8Array>,
  extension: string,
  code: ContentCode,
): AsyncGenerator<Uint8Array, void> {
  return extension === "svg" ? cleanedSvg(pieces, code) : inspected(pieces, extension, code);
}

/** The same pieces, refused once the beginning, the size or the end says that they are of another type. */
async function* inspected(
  pieces: AsyncIterable<Uint8Array>,
  extension: string,
  code: ContentCode,
): AsyncGenerator<Uint8Array, void> {
  const head = new Uint8Array(SNIFF_BYTES);
  const last = new LastBytes(TAIL_BYTES);
  let size = 0;
  let isChecked = false;
  const begun = () => head.subarray(0, Math.min(size, SNIFF_BYTES));
  const refuseFor = (problem: string | undefined) => {
    if (problem !== undefined) {
      throw new AppError(code, typeMismatch(extension, problem));
    }
  };
  for await (const piece of pieces) {
    if (size < SNIFF_BYTES) {
      head.set(piece.subarray(0, SNIFF_BYTES - size), size);
    }
    last.push(piece);
    size += piece.byteLength;
    if (size > ASSET_BYTES_MAX) {
      throw tooLarge();
    }
    if (!isChecked && size > SNIFF_BYTES) {
      refuseFor(await sniffFile(extension, { bytes: begun(), sizeBytes: undefined }));
      isChecked = true;
    }
    yield piece;
  }
  if (size === 0) {
    throw emptyFile();
  }
  refuseFor(await sniffFile(extension, { bytes: begun(), sizeBytes: size }));
  refuseFor(sniffTail(extension, { head: begun(), tail: last.bytes(), sizeBytes: size }));
}

/** An SVG is small enough to be held, and is stored as what is left of it after cleaning. */
async function* cleanedSvg(
  pieces: AsyncIterable<Uint8Array>,
  code: ContentCode,
): AsyncGenerator<Uint8Array, void> {
  const held: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.byteLength;
    if (size > ASSET_BYTES_MAX) {
      throw tooLarge();
    }
    // Past the cap it is only read to its end, so that the answer is about its true size.
    if (size <= SVG_BYTES_MAX) {
      held.push(piece.slice());
    }
  }
  if (size === 0) {
    throw emptyFile();
  }
  if (size > SVG_BYTES_MAX) {
    throw new AppError(
      code,
      `The SVG has ${size} bytes; at most ${SVG_BYTES_MAX} can be cleaned. Simplify it, or send it as a PNG.`,
    );
  }
  try {
    yield cleanSvg(new Uint8Array(await new Blob(held as Uint8Array<ArrayBuffer>[]).arrayBuffer()));
  } catch (error) {
    if (error instanceof SvgMalformedError) {
      throw new AppError(code, `The SVG cannot be stored: ${error.message}`);
    }
    throw error;
  }
}

function tooLarge(): AppError {
  return new AppError(
    "file_too_large",
    `The file is larger than ${ASSET_BYTES_MAX} bytes (250 MB), the most one asset may have. Send a smaller file, or split it.`,
  );
}

function emptyFile(): AppError {
  return new AppError("invalid_file", "The file is empty. Send one with at least one byte.");
}

import { ASSET_BYTES_MAX } from "../../contracts/files/asset.ts";
import { LastBytes } from "../../formats/last-bytes.ts";
import { detectOnce, type DetectType, SNIFF_BYTES, sniffFile } from "../../formats/sniff-file.ts";
import { sniffTail, TAIL_BYTES } from "../../formats/sniff-tail.ts";
import {
  cleanSvg,
  ELEMENTS_MAX as SVG_ELEMENTS_MAX,
  SVG_BYTES_MAX,
} from "../../formats/svg/clean-svg.ts";
import { SvgMalformedError } from "../../formats/svg/svg-malformed-error.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { MemoryLease } from "../../lib/memory/memory-budget.ts";
import type { MemorySource } from "../../lib/memory/memory-gate.ts";
import {
  putPieces,
  type PutOptions,
  SPARING_BYTES,
  type StoredObject,
} from "../../storage/r2/put-pieces.ts";
import { typeMismatch } from "./type-mismatch.ts";

/**
 * The error code of a route for bytes that do not have the extension's type
 * (docs/contract/assets.md#fields).
 */
export type ContentCode = "invalid_content" | "content_mismatch";

/** Pieces of a file, and its known properties. */
export interface IncomingPieces {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly extension: string;
  /** Maximum size, if declared. */
  readonly sizeBytes: number | undefined;
  /** Memory for an SVG, which is held whole. */
  readonly memory: MemorySource;
  readonly detectType: DetectType;
}

/**
 * Inspects a file's pieces on their way into storage and returns the pieces to store. Throws, as
 * soon as it can be determined, `code` for bytes that do not have the extension's type,
 * `file_too_large` past 250 MB, `invalid_file` at the end of an empty file, and the errors of `detectType`.
 */
export function inspectPieces(
  file: IncomingPieces,
  code: ContentCode,
): AsyncGenerator<Uint8Array, void> {
  return file.extension === "svg" ? cleanedSvg(file, code) : inspected(file, code);
}

/**
 * Stores the pieces like `putPieces`, inspected on the way, an SVG cleaned. Throws, as soon as it
 * can be determined, `code` for bytes that do not have the extension's type, `file_too_large` past
 * 250 MB, `invalid_file` at the end of an empty file, and the errors of storing, of `memory` and of `detectType`.
 */
export function putInspected(
  bucket: R2Bucket,
  key: string,
  file: IncomingPieces,
  code: ContentCode,
  options: Omit<PutOptions, "memory">,
): Promise<StoredObject> {
  return putPieces(bucket, key, inspectPieces(file, code), {
    ...options,
    // The memory for an SVG is taken before it is read.
    memory: file.extension === "svg" ? undefined : file.memory,
  });
}

/** Size up to which an SVG is cleaned without taking memory from the budget. */
const UNASKED_SVG_BYTES = 64 * 1024;
/** The bytes, their text, the cleaned text, and the cleaned bytes. */
const SVG_COPIES = 6;
/** Memory for an element's pieces of the cleaned text, times the possible number of elements. */
const SVG_ELEMENT_BYTES = 160;
const SVG_ELEMENT_CHARS = 4;

/** Maximum memory for cleaning and storing an SVG of this size. */
export function svgCleaningBytes(sizeBytes: number): number {
  const elements = Math.min(SVG_ELEMENTS_MAX, sizeBytes / SVG_ELEMENT_CHARS);
  return SPARING_BYTES + SVG_COPIES * sizeBytes + SVG_ELEMENT_BYTES * elements;
}

/** The same pieces; throws as soon as the beginning, the size or the end shows another type. */
async function* inspected(
  { pieces, extension, detectType }: IncomingPieces,
  code: ContentCode,
): AsyncGenerator<Uint8Array, void> {
  const head = new Uint8Array(SNIFF_BYTES);
  const last = new LastBytes(TAIL_BYTES);
  let size = 0;
  let isChecked = false;
  // The beginning is complete when it is first checked.
  const detect = detectOnce(detectType);
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
      refuseFor(await sniffFile(extension, { bytes: begun(), sizeBytes: undefined }, detect));
      isChecked = true;
    }
    yield piece;
  }
  if (size === 0) {
    throw emptyFile();
  }
  refuseFor(await sniffFile(extension, { bytes: begun(), sizeBytes: size }, detect));
  refuseFor(sniffTail(extension, { head: begun(), tail: last.bytes(), sizeBytes: size }));
}

/** An SVG is held whole, cleaned, and stored in its cleaned form. */
async function* cleanedSvg(
  { pieces, memory, sizeBytes: sizeSaid = SVG_BYTES_MAX }: IncomingPieces,
  code: ContentCode,
): AsyncGenerator<Uint8Array, void> {
  const held: Uint8Array[] = [];
  let size = 0;
  let lease: MemoryLease | undefined;
  for await (const piece of pieces) {
    size += piece.byteLength;
    if (size > UNASKED_SVG_BYTES && size <= SVG_BYTES_MAX && lease === undefined) {
      const sizeMax = Math.min(SVG_BYTES_MAX, Math.max(size, sizeSaid));
      lease = await memory.take(svgCleaningBytes(sizeMax));
    }
    if (size > ASSET_BYTES_MAX) {
      throw tooLarge();
    }
    // Past the limit it is only read to its end, so that the message has its true size.
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
  lease?.shrink(svgCleaningBytes(size));
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
    `The file is larger than ${ASSET_BYTES_MAX} bytes (250 MB), the maximum size of an asset. Send a smaller file, or split it.`,
  );
}

function emptyFile(): AppError {
  return new AppError("invalid_file", "The file is empty. It must have at least one byte.");
}

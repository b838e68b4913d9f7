/** Pictures in providers' answers, judged by their bytes while they arrive (docs/contract/models.md#calls). */
import type { MadePicture } from "../contracts/models/model-calls.ts";
import { PictureScanner } from "../images/picture-scanner.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import { badOutput } from "./call-failure.ts";

/** Most bytes before the size of a picture is known: color profiles and descriptions of a camera. */
const HEADER_BYTES_MAX = 4 * 1024 * 1024;

/**
 * The picture whose bytes arrive in pieces, which are valid until the next one is requested. Returns as soon as its format
 * and size are known; its bytes are handed on as they arrive, and what follows the end of the picture is dropped. Ends the
 * pieces early if they are not a picture. Throws NodeError `PROVIDER_BAD_OUTPUT`, here or while the bytes are read, for
 * anything but a complete PNG, JPEG or WebP, and rethrows what the pieces throw.
 */
export async function readPicture(pieces: AsyncIterable<Uint8Array>): Promise<MadePicture> {
  const scanner = new PictureScanner();
  const source = scanned(pieces, scanner);
  const head: Uint8Array[] = [];
  let headBytes = 0;
  while (scanner.picture === undefined) {
    // oxlint-disable-next-line no-await-in-loop -- the pieces arrive one after another
    const { value, done } = await source.next();
    if (done === true) {
      throw incomplete();
    }
    head.push(value.slice());
    headBytes += value.length;
    if (headBytes > HEADER_BYTES_MAX) {
      // oxlint-disable-next-line no-await-in-loop -- throws next
      await source.return(undefined);
      throw notPicture();
    }
  }
  const { contentType, width, height } = scanner.picture;
  return { contentType, size: { width, height }, bytes: joined(head, source) };
}

async function* joined(
  head: Uint8Array[],
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* head.splice(0);
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** The pieces of a complete picture. Ending early ends the source. */
async function* scanned(
  pieces: AsyncIterable<Uint8Array>,
  scanner: PictureScanner,
): AsyncGenerator<Uint8Array, undefined> {
  let bytes = 0;
  for await (const piece of pieces) {
    const length = scanner.add(piece);
    if (scanner.state === "no_picture") {
      throw notPicture();
    }
    bytes += length;
    if (bytes > LIMITS.provider_picture.value) {
      throw badOutput("the picture has more bytes than are accepted");
    }
    yield length === piece.length ? piece : piece.subarray(0, length);
    if (scanner.state === "complete") {
      return undefined;
    }
  }
  throw incomplete();
}

function notPicture() {
  return badOutput("it is not a PNG, JPEG or WebP");
}

function incomplete() {
  return badOutput("the picture is not complete");
}

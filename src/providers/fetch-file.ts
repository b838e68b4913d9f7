import type { MadePicture } from "../contracts/models/model-calls.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import { badOutput, unavailable } from "./call-failure.ts";
import { readPicture } from "./picture-answer.ts";
import type { ProviderIo } from "./provider.ts";
import { readPieces } from "./read-answer.ts";

/**
 * The picture at an address that is part of an answer. Throws NodeError `PROVIDER_UNAVAILABLE`, `PROVIDER_TIMEOUT` and
 * `PROVIDER_BAD_OUTPUT`.
 */
export async function fetchPicture(address: string, io: ProviderIo): Promise<MadePicture> {
  return await readPicture(await openFile(address, io, LIMITS.provider_picture.value));
}

/** The pieces of the file at such an address. Throws the same. */
export async function openFile(
  address: string,
  io: ProviderIo,
  maxBytes: number,
): Promise<AsyncIterable<Uint8Array>> {
  const { status, body } = await io.fetchFile(address, maxBytes);
  if (status >= 200 && status < 300) {
    return readPieces(body, io);
  }
  await body.cancel();
  throw status === 408 || status === 429 || status >= 500
    ? unavailable()
    : badOutput("its file is not there");
}

import type { PictureFailure } from "../../../contracts/templates/layout-report.ts";
import { storedPathOf } from "../../../contracts/files/stored-path.ts";
import { findStoredFile } from "../../../domain/files/find-stored-file.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";
import { EgressError } from "../../../platform/egress/egress-error.ts";
import { guardedFetch } from "../../../platform/egress/guarded-fetch.ts";
import type { RendererEnv } from "../../../platform/env.ts";
import { getFile } from "../../../storage/r2/get-file.ts";

const BYTES_MAX = LIMITS.render_picture.value;
const TIME_MAX_MS = LIMITS.render_picture_time.value;
/** Four characters of base64 for three bytes, and white space. */
const DATA_CHARACTERS_MAX = BYTES_MAX * 1.5;
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
/** Answers that may be different later. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

const GONE_STATUSES: ReadonlySet<number> = new Set([404, 410]);

/** A picture's bytes, or why there are none; `mayRetry` if they may be there later. */
export type PictureBytes =
  | { readonly bytes: Uint8Array }
  | { readonly reason: PictureFailure; readonly mayRetry: boolean };

/** Of which workspace's stored files a picture is read. */
export interface PictureReader {
  readonly env: RendererEnv;
  readonly workspaceId: string;
  readonly inputs: PictureInputs;
  readonly signal: AbortSignal;
  /** Called before a picture is fetched from an address. */
  readonly onFetched?: () => void;
  /** Resolves when there is room for so many bytes more of this picture. */
  readonly take: (bytes: number) => Promise<void>;
}

/** Reads the bytes of files that a task was given, by their source. They belong to no address. */
export type PictureInputs = ReadonlyMap<string, PictureInput>;

interface PictureInput {
  readonly sizeBytes: number;
  readonly read: () => Promise<Uint8Array>;
}

/**
 * Reads a picture from its source in a document or in values (docs/contract/templates.md#pictures): a `data:` address, a
 * public https address, or a stored file's path with or without `storage://`. Rethrows errors of the stores.
 */
export function readPicture(
  reader: PictureReader,
  source: string,
): Promise<PictureBytes> | PictureBytes {
  const input = reader.inputs.get(source);
  if (input !== undefined) {
    return input.sizeBytes > BYTES_MAX ? failed("too_large") : readInput(reader, input);
  }
  const scheme = SCHEME.exec(source)?.[1]?.toLowerCase();
  if (scheme === "data") {
    return readData(source);
  }
  if (scheme === "https" || scheme === "http") {
    return fetchPicture(reader, source);
  }
  const path = storedPathOf(source);
  return path === undefined ? failed("refused") : readStored(reader, path);
}

/** Whether a picture's source names no stored file, or one that is there. Nothing is read or fetched. */
export async function isStoredOrElsewhere(
  env: RendererEnv,
  workspaceId: string,
  source: string,
): Promise<boolean> {
  const path = storedPathOf(source);
  return path === undefined || (await findStoredFile(env, workspaceId, path)) !== undefined;
}

async function readInput(
  { take }: PictureReader,
  { sizeBytes, read }: PictureInput,
): Promise<PictureBytes> {
  await take(sizeBytes);
  return { bytes: await read() };
}

function failed(reason: PictureFailure, mayRetry = false): PictureBytes {
  return { reason, mayRetry };
}

function readData(source: string): PictureBytes {
  const comma = source.indexOf(",");
  if (comma < 0 || !/;base64$/i.test(source.slice(0, comma))) {
    return failed("unsupported");
  }
  if (source.length > DATA_CHARACTERS_MAX) {
    return failed("too_large");
  }
  const text = source.slice(comma + 1).replaceAll(/\s+/g, "");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    return failed("unreadable");
  }
  const bytes = new Uint8Array(Buffer.from(text, "base64"));
  return bytes.byteLength > BYTES_MAX ? failed("too_large") : { bytes };
}

async function fetchPicture(
  { env, signal, take, onFetched }: PictureReader,
  address: string,
): Promise<PictureBytes> {
  onFetched?.();
  try {
    const response = await guardedFetch(env, address, {
      headers: {
        accept: "image/png,image/jpeg,image/webp,image/gif,image/svg+xml",
        "user-agent": "edgeloom-import/1",
      },
      responseTimeoutMs: TIME_MAX_MS,
      totalTimeoutMs: TIME_MAX_MS,
      maxBytes: BYTES_MAX,
      redirects: "follow",
      signal,
    });
    if (response.status !== 200) {
      await response.body.cancel();
      const { status } = response;
      if (GONE_STATUSES.has(status)) {
        return failed("not_found");
      }
      return failed("fetch_failed", status >= 500 || BUSY_STATUSES.has(status));
    }
    return { bytes: await gathered(response.body, take) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EgressError)) {
      throw error;
    }
    switch (error.code) {
      case "url_refused":
        return failed("refused");
      case "body_too_large":
        return failed("too_large");
      case "too_many_redirects":
        return failed("fetch_failed");
      case "timeout":
      case "connection_failed":
        return failed("fetch_failed", true);
    }
  }
}

async function readStored(
  { env, workspaceId, take }: PictureReader,
  path: string,
): Promise<PictureBytes> {
  const file = await findStoredFile(env, workspaceId, path);
  if (file === undefined) {
    return failed("not_found");
  }
  if (file.sizeBytes > BYTES_MAX) {
    return failed("too_large");
  }
  if (file.content !== undefined) {
    return { bytes: file.content.bytes };
  }
  await take(file.sizeBytes);
  const found = await getFile(env.FILES, file);
  if (found === null) {
    return failed("not_found");
  }
  if (found.sizeBytes > BYTES_MAX) {
    await found.body.cancel();
    return failed("too_large");
  }
  return { bytes: new Uint8Array(await found.arrayBuffer()) };
}

/** All bytes of a stream, of which there is room for each piece before the next is asked for. */
async function gathered(
  body: ReadableStream<Uint8Array>,
  take: (bytes: number) => Promise<void>,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) {
    await take(piece.byteLength);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

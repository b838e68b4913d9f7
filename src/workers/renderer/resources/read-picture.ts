import { STORAGE_SCHEME } from "../../../contracts/bundle-manifest.ts";
import type { PictureFailure } from "../../../contracts/layout-report.ts";
import { FileContent } from "../../../lib/file-content.ts";
import { FileRef } from "../../../lib/file-ref.ts";
import { LIMITS } from "../../../lib/limits-table.ts";
import { EgressError } from "../../../platform/egress/egress-error.ts";
import { guardedFetch } from "../../../platform/egress/guarded-fetch.ts";
import type { RendererEnv } from "../../../platform/env.ts";
import { isOutputKey, parseHeldFileKey } from "../../../platform/file-url.ts";
import { AssetStore } from "../../../storage/d1/asset-store.ts";
import { getFile } from "../../../storage/r2/get-file.ts";

const BYTES_MAX = LIMITS.render_picture.value;
const TIME_MAX_MS = LIMITS.render_picture_time.value;
/** Four characters of base64 for three bytes, and white space. */
const DATA_CHARACTERS_MAX = BYTES_MAX * 1.5;
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
/** Answers that may be different later. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

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
}

/** Reads the bytes of files that a task was given, by their source. They belong to no address. */
export type PictureInputs = ReadonlyMap<
  string,
  { readonly sizeBytes: number; readonly read: () => Promise<Uint8Array> }
>;

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
    return input.sizeBytes > BYTES_MAX
      ? failed("too_large")
      : input.read().then((bytes) => ({ bytes }));
  }
  const scheme = SCHEME.exec(source)?.[1]?.toLowerCase();
  if (scheme === "data") {
    return readData(source);
  }
  if (scheme === "https" || scheme === "http") {
    return fetchPicture(reader, source);
  }
  if (source.startsWith(STORAGE_SCHEME)) {
    return readStored(reader, source.slice(STORAGE_SCHEME.length));
  }
  return scheme === undefined ? readStored(reader, source) : failed("refused");
}

/** Whether a picture's source names no stored file, or one that is there. Nothing is read or fetched. */
export async function isStoredOrElsewhere(
  env: RendererEnv,
  workspaceId: string,
  source: string,
): Promise<boolean> {
  const isStored = source.startsWith(STORAGE_SCHEME) || !SCHEME.test(source);
  const path = source.startsWith(STORAGE_SCHEME) ? source.slice(STORAGE_SCHEME.length) : source;
  return !isStored || (await findStored(env, workspaceId, withoutQuery(path))) !== undefined;
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
  { env, signal }: PictureReader,
  address: string,
): Promise<PictureBytes> {
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
      return failed("fetch_failed", status >= 500 || BUSY_STATUSES.has(status));
    }
    return { bytes: await new Response(response.body).bytes() };
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
  { env, workspaceId }: PictureReader,
  path: string,
): Promise<PictureBytes> {
  const file = await findStored(env, workspaceId, withoutQuery(path));
  if (file === undefined) {
    return failed("not_found");
  }
  if (file.sizeBytes > BYTES_MAX) {
    return failed("too_large");
  }
  if (file.content !== undefined) {
    return { bytes: file.content.bytes };
  }
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

function withoutQuery(path: string): string {
  return path.replace(/\?.*$/s, "");
}

/** An asset of the workspace, or an output of one of its runs. */
async function findStored(
  env: RendererEnv,
  workspaceId: string,
  path: string,
): Promise<FileRef | undefined> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const held = parseHeldFileKey(path);
  if ((held !== undefined || isOutputKey(path)) && !path.startsWith(`${workspaceId}/`)) {
    return undefined;
  }
  if (held !== undefined) {
    const { token, node, element, runId } = held;
    const request = { v: 1, workspace_id: workspaceId, token, node, ord: element, name } as const;
    const result = await env.RUN.get(env.RUN.idFromName(runId)).readFile(request);
    if (!result.ok || result.value === undefined) {
      return undefined;
    }
    const { content_type: contentType, size_bytes: sizeBytes, at } = result.value;
    const where = at instanceof Uint8Array ? { content: FileContent.ofBytes(at) } : { pack: at };
    return new FileRef({ key: path, name, contentType, sizeBytes, ...where });
  }
  if (isOutputKey(path)) {
    const object = await env.FILES.head(path);
    const contentType = object?.httpMetadata?.contentType ?? "";
    return object === null
      ? undefined
      : new FileRef({ key: path, name, contentType, sizeBytes: object.size });
  }
  const row = await new AssetStore(env, workspaceId).find(path);
  return row === undefined || row === "elsewhere"
    ? undefined
    : new FileRef({
        key: row.key,
        name: row.name,
        contentType: row.content_type,
        sizeBytes: row.size_bytes,
        etag: row.etag,
      });
}

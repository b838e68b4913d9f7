import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { idTimeMs } from "../../platform/ids.ts";
import {
  type HeldFilePlace,
  isAssetKey,
  isOutputKey,
  parseCellKey,
  parseHeldFileKey,
} from "../../platform/file-url.ts";
import { previewExpiryMs } from "../../platform/preview-key.ts";
import { getPacked } from "../../storage/r2/get-packed.ts";
import { storedFileName } from "../../storage/r2/stored-file-name.ts";
import { runObject } from "../../storage/objects/run-object.ts";
import type { OpenFile } from "./open-file.ts";
import { readHeldFile } from "./read-held-file.ts";
import { type FileRequest, isUnconditional, selectResponse } from "./select-response.ts";

/**
 * Opens the file at the address of an output, an asset or a page image of a preview, which expires (docs/contract/results.md#file-addresses).
 * The path itself is the permission: only keys with 256 random bits are looked up. Throws
 * `not_found`, `precondition_failed` and `range_not_satisfiable`.
 */
export async function openOutputFile(
  ctx: AppContext,
  key: string,
  request: FileRequest,
): Promise<OpenFile> {
  const place = parseHeldFileKey(key);
  if (place !== undefined) {
    return await openHeldFile(ctx, place, request);
  }
  const expiresMs = previewExpiryMs(key);
  const isServed = isOutputKey(key) || isAssetKey(key) || (expiresMs ?? 0) > ctx.nowMs();
  if (!isServed) {
    throw notFound();
  }
  const slug = key.slice(key.lastIndexOf("/") + 1);
  const bucket = ctx.env.FILES;
  const found: R2Object | R2ObjectBody | null = await (isUnconditional(request)
    ? bucket.get(key)
    : bucket.head(key));
  if (found === null) {
    return await openCell(ctx, key, slug, request);
  }
  const file = {
    name: storedFileName(found.customMetadata) ?? slug,
    contentType: found.httpMetadata?.contentType ?? "application/octet-stream",
    etag: found.httpEtag,
    modifiedMs: found.uploaded.getTime(),
    size: found.size,
    range: undefined,
    body: null,
  };
  if (isWhole(found)) {
    return { ...file, status: 200, body: found.body };
  }
  const { status, range } = selectResponse(request, file);
  if (status === 304) {
    return { ...file, status };
  }
  if (request.isHead) {
    return { ...file, status, range };
  }
  const object = await bucket.get(key, range === undefined ? {} : { range });
  if (object === null) {
    throw notFound();
  }
  return { ...file, status, range, body: object.body };
}

function isWhole(found: R2Object | R2ObjectBody): found is R2ObjectBody {
  return "body" in found;
}

/**
 * A file served by its run object: from its rows, or from an R2 object that also contains other
 * files.
 */
async function openHeldFile(
  ctx: AppContext,
  place: HeldFilePlace,
  request: FileRequest,
): Promise<OpenFile> {
  const found = await readHeldFile(ctx, place);
  if (found === undefined) {
    throw notFound();
  }
  const { size_bytes: size, at } = found;
  const file = {
    name: place.name,
    contentType: found.content_type,
    etag: `"${found.sha256.slice(0, 32)}"`,
    // The run's creation time: no element is older, and none changes.
    modifiedMs: idTimeMs(place.runId),
    size,
    range: undefined,
  };
  const { status, range } = selectResponse(request, file);
  if (request.isHead || status === 304) {
    return { ...file, status, range, body: null };
  }
  const from = range?.offset ?? 0;
  const length = range?.length ?? size;
  if (at instanceof Uint8Array) {
    const body = new Response(at.slice(from, from + length)).body;
    return { ...file, status, range, body };
  }
  const object = await getPacked(ctx.env.FILES, at, from, length);
  if (object === null || !("body" in object)) {
    ctx.log.error("file.pack_broken", { run_id: place.runId, offset: at.offset });
    throw new AppError(
      "not_found",
      "The bytes of this file are no longer stored, although the result still refers to it. Submit the workflow again to create the file again.",
    );
  }
  return { ...file, status, range, body: (object as R2ObjectBody).body };
}

/** A body stored in a row of its run object; at most 64 KiB, and therefore always sent whole. */
async function openCell(
  ctx: AppContext,
  key: string,
  name: string,
  request: FileRequest,
): Promise<OpenFile> {
  const cell = parseCellKey(key);
  if (cell === undefined) {
    throw notFound();
  }
  const { token, node, element } = cell;
  const result = await runObject(ctx, cell.runId).readCell({ v: 1, token, node, ord: element });
  if (!result.ok) {
    throw notFound();
  }
  // The content of a run's element never changes, so its position identifies it.
  const etag = `"${token.slice(0, 16)}-${String(node)}-${String(element)}"`;
  const file = {
    name,
    contentType: result.value.content_type,
    etag,
    // The run's creation time: no element is older, and none changes.
    modifiedMs: idTimeMs(cell.runId),
    size: new TextEncoder().encode(result.value.text).byteLength,
    range: undefined,
  };
  // Small enough to be always sent whole.
  const { status } = selectResponse({ ...request, range: null }, file);
  const body = request.isHead || status === 304 ? null : result.value.text;
  return { ...file, status, body };
}

function notFound(): AppError {
  return new AppError(
    "not_found",
    "There is no file at this address. Use addresses exactly as a result returned them. They expire at the end of the plan's retention.",
  );
}

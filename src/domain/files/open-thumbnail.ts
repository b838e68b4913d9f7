import { describeCause } from "../../lib/errors/describe-cause.ts";
import { fileBaseName } from "../../lib/files/file-base-name.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import {
  isAssetKey,
  isOutputKey,
  parseHeldFileKey,
  thumbnailKey,
} from "../../platform/file-url.ts";
import type { OpenFile } from "./open-file.ts";
import { openOutputFile } from "./open-output-file.ts";
import { type FileRequest, selectResponse } from "./select-response.ts";

/**
 * Opens the thumbnail of the picture at this address (docs/contract/results.md#thumbnails). The first read has it made and
 * stored. Throws what `openOutputFile` throws, `not_found` for a file that cannot be drawn, and `service_unavailable`.
 */
export async function openThumbnail(
  ctx: AppContext,
  key: string,
  request: FileRequest,
): Promise<OpenFile> {
  if (!isOutputKey(key) && !isAssetKey(key) && parseHeldFileKey(key) === undefined) {
    throw noThumbnail();
  }
  const stored = (await ctx.env.FILES.get(thumbnailKey(key))) ?? (await make(ctx, key));
  if (stored === "own") {
    return await openOutputFile(ctx, key, request);
  }
  const contentType = stored.httpMetadata?.contentType ?? "application/octet-stream";
  const file = {
    name: `${fileBaseName(key.slice(key.lastIndexOf("/") + 1))}.${EXTENSIONS[contentType] ?? "bin"}`,
    contentType,
    etag: stored.httpEtag,
    modifiedMs: stored.uploaded.getTime(),
    size: stored.size,
  };
  // Small enough to be always sent whole.
  const { status } = selectResponse({ ...request, range: null }, file);
  const isSent = !request.isHead && status !== 304;
  if (!isSent) {
    await stored.body.cancel();
  }
  return { ...file, status, range: undefined, body: isSent ? stored.body : null };
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
};

async function make(ctx: AppContext, key: string): Promise<R2ObjectBody | "own"> {
  const [workspaceId = ""] = key.split("/");
  try {
    const result = await ctx.env.THUMBNAILS.make({ v: 1, workspace_id: workspaceId, key });
    if (result === "own") {
      return result;
    }
    const stored = result === "made" ? await ctx.env.FILES.get(thumbnailKey(key)) : null;
    if (stored !== null) {
      return stored;
    }
  } catch (error) {
    ctx.log.error("thumbnail.failed", { reason: describeCause(error) });
    throw new AppError(
      "service_unavailable",
      "Thumbnails cannot be made at the moment. Try again, or read the picture itself.",
      { headers: { "retry-after": "5" } },
    );
  }
  throw noThumbnail();
}

function noThumbnail(): AppError {
  return new AppError(
    "not_found",
    "There is no thumbnail at this address: the file is no longer stored, is not a picture, or cannot be drawn.",
  );
}

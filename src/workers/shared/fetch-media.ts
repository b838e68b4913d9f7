import type { TaskScope } from "../../../durable-objects/executor/executor-parts.ts";
import { ASSET_BYTES_MAX } from "../../contracts/files/asset.ts";
import { extensionsOf } from "../../contracts/media/media-input.ts";
import { type MediaKind, mediaKind } from "../../contracts/media/media-kinds.ts";
import { STORAGE_SCHEME } from "../../contracts/files/bundle-manifest.ts";
import { findStoredFile } from "../../domain/files/find-stored-file.ts";
import { fetchFile } from "../../domain/assets/fetch-file.ts";
import { inspectPieces, svgCleaningBytes } from "../../domain/assets/inspect-pieces.ts";
import { detectType } from "../../formats/detect-type.ts";
import { SVG_BYTES_MAX } from "../../formats/svg/clean-svg.ts";
import { AppError, type ErrorCode } from "../../lib/errors/errors.ts";
import type { MemorySource } from "../../lib/memory/memory-gate.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { NodeErrorCode } from "../../lib/errors/node-error-guides.ts";
import type { FetchMedia } from "../../nodes/define-file-tools.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import type { TaskEnv } from "../../platform/env.ts";
import { isOutputKey, parseHeldFileKey } from "../../platform/file-url.ts";
import { getFile } from "../../storage/r2/get-file.ts";
import { writeTaskFile } from "../../storage/r2/write-task-file.ts";
import { cleanFileName } from "./clean-file-name.ts";

/** Maps problem codes of an import to the node's codes; other codes are retried or are internal faults. */
const CODES: Partial<Record<ErrorCode, { code: NodeErrorCode; retryable: boolean }>> = {
  invalid_url: { code: "MEDIA_URL_REFUSED", retryable: false },
  fetch_failed: { code: "MEDIA_FETCH_FAILED", retryable: true },
  file_too_large: { code: "MEDIA_TOO_LARGE", retryable: false },
  unsupported_type: { code: "MEDIA_TYPE_UNSUPPORTED", retryable: false },
  content_mismatch: { code: "MEDIA_TYPE_MISMATCH", retryable: false },
  invalid_file: { code: "MEDIA_TYPE_MISMATCH", retryable: false },
};

/** Parts of a key up to its run: workspace, `runs`, run. */
const RUN_PARTS = 3;

/** The task has its own memory, but none for a second part of an upload. */
const TAKEN: MemorySource = {
  take: (bytes) => Promise.resolve({ bytes, shrink: () => undefined, release: () => undefined }),
  takeNow: () => undefined,
};

/**
 * Fetches addresses for one task; `storage://` and a path is a stored file of the workspace. A small file is kept for the
 * task's report, as one that the task makes is; a larger one is stored under its workspace's key.
 */
export function createFetchMedia(
  env: TaskEnv,
  {
    workspaceId,
    filePrefix,
    room,
    signal,
    exchangeMemory,
  }: Pick<TaskScope, "workspaceId" | "filePrefix" | "room" | "signal" | "exchangeMemory">,
): FetchMedia {
  return async (address, kind) => {
    if (address.startsWith(STORAGE_SCHEME)) {
      const scope = { workspaceId, filePrefix, room, signal };
      return await takeStored(env, scope, address.slice(STORAGE_SCHEME.length), kind);
    }
    try {
      const { named, declaredBytes, pieces } = await fetchFile(env, address, undefined, signal);
      try {
        requireKind(named.extension, kind);
        const name = cleanFileName(named.name);
        const { extension } = named;
        const { contentType } = named.type;
        if (extension === "svg") {
          // Checked before any byte is held: cleaning takes more memory than fetching.
          await exchangeMemory(svgCleaningBytes(SVG_BYTES_MAX));
        }
        const file = { key: `${filePrefix}${name}`, name, contentType };
        const inspected = inspectPieces(
          { pieces, extension, sizeBytes: declaredBytes, memory: TAKEN, detectType },
          "content_mismatch",
        );
        return await writeTaskFile(env.FILES, workspaceId, file, inspected, room, ASSET_BYTES_MAX);
      } finally {
        // If reading ended early, the connection is closed.
        await pieces.return();
      }
    } catch (error) {
      throw asNodeError(error);
    }
  };
}

/**
 * A stored file of the workspace. What another run made is copied, because it is deleted with that run; assets and files
 * of this run are passed on as they are.
 */
async function takeStored(
  env: TaskEnv,
  {
    workspaceId,
    filePrefix,
    room,
    signal,
  }: Pick<TaskScope, "workspaceId" | "filePrefix" | "room" | "signal">,
  path: string,
  kind: MediaKind,
): Promise<FileRef> {
  signal.throwIfAborted();
  const file = await findStoredFile(env, workspaceId, path);
  if (file === undefined) {
    throw gone(path);
  }
  requireKind(/\.([^./]+)$/.exec(file.name)?.[1]?.toLowerCase() ?? "", kind);
  const ofRun = filePrefix.split("/").slice(0, RUN_PARTS).join("/");
  const isOwn = file.pack === undefined && file.key.startsWith(`${ofRun}/`);
  if (file.content === undefined && (isOwn || !isOfRun(file.key))) {
    return file;
  }
  const { contentType } = file;
  const name = cleanFileName(file.name);
  const copy = { key: `${filePrefix}${name}`, name, contentType };
  const bytes = file.content?.bytes ?? (await getFile(env.FILES, file))?.body;
  if (bytes === undefined) {
    throw gone(path);
  }
  return await writeTaskFile(env.FILES, workspaceId, copy, bytes, room, ASSET_BYTES_MAX);
}

function isOfRun(key: string): boolean {
  return isOutputKey(key) || parseHeldFileKey(key) !== undefined;
}

function gone(path: string): NodeError {
  return new NodeError(
    "FILE_MISSING",
    `The workspace has no file "${path.slice(0, 200).toWellFormed()}". Send the path as the upload or the run returned it.`,
  );
}

function requireKind(extension: string, kind: MediaKind): void {
  if (!extensionsOf(kind).includes(extension)) {
    throw new NodeError(
      "MEDIA_TYPE_MISMATCH",
      `The address leads to a .${extension} file, and ${mediaKind(kind).noun} is expected.`,
    );
  }
}

function asNodeError(error: unknown): unknown {
  const mapped = error instanceof AppError ? CODES[error.code] : undefined;
  return error instanceof AppError && mapped !== undefined
    ? new NodeError(mapped.code, error.message, {
        retryable: mapped.retryable,
        cause: error.cause,
      })
    : error;
}

import { WorkerEntrypoint } from "cloudflare:workers";
import { parseEntries } from "../../../durable-objects/shared/entries.ts";
import type {
  ThumbnailRequest,
  ThumbnailResult,
  ThumbnailsApi,
} from "../../contracts/media/thumbnails.ts";
import { findStoredFile } from "../../domain/files/find-stored-file.ts";
import { readImageHeader } from "../../images/header/read-image-header.ts";
import { SVG_TYPE } from "../../images/picture-sources.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { object, text, version } from "../../lib/json/shape.ts";
import { NEEDS } from "../../nodes/define-tools.ts";
import { isRunnerEnvUsable } from "../../platform/check-env.ts";
import type { RunnerEnv } from "../../platform/env.ts";
import { thumbnailKey } from "../../platform/file-url.ts";
import { RequestMemory } from "../../platform/request-memory.ts";
import { assertWorkspaceKey } from "../../storage/r2/assert-workspace-key.ts";
import { readTaskFile } from "../../storage/r2/read-task-file.ts";
import { writeTaskFile } from "../../storage/r2/write-task-file.ts";
import { createImageTools } from "./image-tools.ts";

const SIDE_MAX = LIMITS.thumbnail_side.value;
const OWN_BYTES_MAX = LIMITS.own_thumbnail.value;
const MIME_TYPES = { png: "image/png", jpg: "image/jpeg", webp: "image/webp" } as const;

/** Makes thumbnails for the API Worker, which has no codecs, through its binding THUMBNAILS. */
export class Thumbnails extends WorkerEntrypoint<RunnerEnv> implements ThumbnailsApi {
  async make({ workspace_id, key }: ThumbnailRequest): Promise<ThumbnailResult> {
    assertWorkspaceKey(workspace_id, key);
    const file = await findStoredFile(this.env, workspace_id, key);
    return file === undefined ? "none" : await make(this.env, workspace_id, file);
  }
}

parseEntries<ThumbnailsApi>(Thumbnails, isRunnerEnvUsable, {
  make: [object<ThumbnailRequest>({ v: version(1), workspace_id: text, key: text })],
});

async function make(env: RunnerEnv, workspaceId: string, file: FileRef): Promise<ThumbnailResult> {
  try {
    return await new RequestMemory().use(NEEDS.images.memoryBytes, () =>
      draw(env, workspaceId, file),
    );
  } catch (error) {
    // A picture that cannot be drawn stays so. Everything else is an error of this attempt, also a wait without memory.
    if (error instanceof NodeError && !error.retryable) {
      return "none";
    }
    throw error;
  }
}

async function draw(env: RunnerEnv, workspaceId: string, file: FileRef): Promise<ThumbnailResult> {
  const bytes = await readTaskFile(env.FILES, workspaceId, file);
  const size = file.contentType === SVG_TYPE ? undefined : readImageHeader(bytes);
  const isWithin = size !== undefined && Math.max(size.width, size.height) <= SIDE_MAX;
  if (isWithin && bytes.length <= OWN_BYTES_MAX) {
    return "own";
  }
  const made = await createImageTools().resize(bytes, file.contentType, {
    // The longest side is limited, whichever it is after the orientation.
    width: isWithin ? Math.max(size.width, size.height) : SIDE_MAX,
    height: isWithin ? Math.max(size.width, size.height) : SIDE_MAX,
    fit: "inside",
    background: null,
  });
  const key = thumbnailKey(file.key);
  const contentType = MIME_TYPES[made.format];
  await writeTaskFile(env.FILES, workspaceId, { key, name: file.name, contentType }, made.bytes);
  // The file may have been deleted meanwhile, with its thumbnail, before this one was stored.
  if ((await findStoredFile(env, workspaceId, file.key)) === undefined) {
    await env.FILES.delete(key);
    return "none";
  }
  return "made";
}

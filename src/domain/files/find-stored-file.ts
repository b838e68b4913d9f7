import { FileContent } from "../../lib/files/file-content.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import type { TaskEnv } from "../../platform/env.ts";
import { isOutputKey, parseHeldFileKey } from "../../platform/file-url.ts";
import { type Databases, requireAllShards } from "../../storage/d1/databases.ts";
import { AssetStore } from "../../storage/d1/asset-store.ts";

/**
 * A stored file of a workspace by its path (what follows `storage://`): an asset, or a file that one of its runs made. A
 * query, as addresses have, is ignored. Undefined if the workspace has no such file. Throws `service_unavailable` if a shard is
 * missing here that may have it, and the errors of the stores.
 */
export async function findStoredFile(
  env: Databases & Pick<TaskEnv, "FILES" | "RUN">,
  workspaceId: string,
  reference: string,
): Promise<FileRef | undefined> {
  const path = reference.replace(/\?.*$/s, "");
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
  if (row === undefined || row === "elsewhere") {
    // A file that seems missing fails a run for good.
    await requireAllShards(env);
    return undefined;
  }
  return new FileRef({
    key: row.key,
    name: row.name,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    etag: row.etag,
  });
}

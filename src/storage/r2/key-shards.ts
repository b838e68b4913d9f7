/**
 * On which shard the organization of a key was last found, for all isolates (docs/decisions/shards.md). A hint: rows that are
 * not there, or that have moved, are looked up in the directory. A failure of R2 costs that question.
 */
import { describeCause } from "../../lib/errors/describe-cause.ts";
import type { Logger } from "../../platform/logger.ts";

type Files = Pick<R2Bucket, "get" | "put">;

export async function readKeyShard(files: Files, keyId: string): Promise<number | undefined> {
  try {
    const text = await (await files.get(nameOf(keyId)))?.text();
    return text !== undefined && /^\d{1,2}$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}

export async function noteKeyShard(
  files: Files,
  { keyId, shard }: { readonly keyId: string; readonly shard: number },
  log: Logger,
): Promise<void> {
  try {
    await files.put(nameOf(keyId), String(shard));
  } catch (cause) {
    log.error("key_shard.not_noted", { key_id: keyId, cause: describeCause(cause) });
  }
}

function nameOf(keyId: string): string {
  return `directory/keys/${keyId}`;
}

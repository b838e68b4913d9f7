/** [E42] Which entries of the result cache may be taken. */
import type { CacheEntry, WantedEntry } from "../../contracts/runs/result-cache.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { decodeValue, isSpilled } from "../values.ts";

/** Whether an entry is whole for its reader, and not too old. */
export function canTake(
  entry: Pick<CacheEntry, "unread_ports"> & { readonly createdMs: number },
  want: Pick<WantedEntry, "max_age" | "unread_ports">,
  nowMs: number,
): boolean {
  const isYoung = want.max_age === null || entry.createdMs >= nowMs - want.max_age * 1000;
  return isYoung && entry.unread_ports.every((port) => want.unread_ports.includes(port));
}

/** A stored object that values refer to, and how many bytes it must have for them. */
export interface ReferredObject {
  readonly key: string;
  readonly bytes: number;
}

/** The stored objects that outputs refer to, and the bytes of their files. */
export interface ReferredFiles {
  readonly objects: readonly ReferredObject[];
  readonly bytes: number;
}

/**
 * Returns the stored objects of outputs; undefined if a value is not a stored one, or refers to something that is not a
 * file of a run of this workspace.
 */
export function filesOf(
  workspaceId: string,
  outputs: CacheEntry["outputs"],
): ReferredFiles | undefined {
  const objects = new Map<string, number>();
  let bytes = 0;
  for (const { value } of outputs) {
    let file;
    try {
      const decoded = decodeValue(value);
      file = isSpilled(decoded) ? decoded.spilled : decoded;
    } catch {
      return undefined;
    }
    if (!(file instanceof FileRef) || file.content !== undefined) {
      continue;
    }
    const { key, offset } = file.pack ?? { key: file.key, offset: 0 };
    if (workspaceId === "" || !key.startsWith(`${workspaceId}/runs/`)) {
      return undefined;
    }
    objects.set(key, Math.max(objects.get(key) ?? 0, offset + file.sizeBytes));
    bytes += file.sizeBytes;
  }
  return { objects: [...objects].map(([key, size]) => ({ key, bytes: size })), bytes };
}

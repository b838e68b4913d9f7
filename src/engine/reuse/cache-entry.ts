/** [E42] Which entries of the result cache may be taken. */
import type { CacheEntry, WantedEntry } from "../../contracts/runs/result-cache.ts";
import { STORAGE_SCHEME } from "../../contracts/files/bundle-manifest.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { decodeTexts, decodeValue, isSpilled } from "../values.ts";

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
  /** Keys of files that JSON names by `storage://`, each once. Their sizes are not known here. */
  readonly named: readonly string[];
  /** JSON values whose texts are stored: what they name must be read. */
  readonly spilled: readonly FileRef[];
}

/**
 * Returns the stored objects of the outputs of an element of run `execution`; undefined if a value is not a stored one, or
 * refers to something that is not a file of a run of this workspace, or names a file of another run.
 */
export function filesOf(
  workspaceId: string,
  execution: string,
  outputs: CacheEntry["outputs"],
): ReferredFiles | undefined {
  const objects = new Map<string, number>();
  const spilled: FileRef[] = [];
  const names = new Set<string>();
  let bytes = 0;
  for (const { value } of outputs) {
    let file;
    try {
      const texts = decodeTexts(value);
      if (texts !== undefined && !mayNameFiles(value)) {
        continue;
      }
      const decoded = texts ?? decodeValue(value);
      file = isSpilled(decoded) ? decoded.spilled : decoded;
      if (isSpilled(decoded)) {
        spilled.push(decoded.spilled);
      }
    } catch {
      return undefined;
    }
    if (!(file instanceof FileRef)) {
      const named = namedFiles(workspaceId, execution, file);
      named?.forEach((key) => names.add(key));
      if (named === undefined) {
        return undefined;
      }
      continue;
    }
    if (file.content !== undefined) {
      continue;
    }
    const { key, offset } = file.pack ?? { key: file.key, offset: 0 };
    if (workspaceId === "" || !key.startsWith(`${workspaceId}/runs/`)) {
      return undefined;
    }
    objects.set(key, Math.max(objects.get(key) ?? 0, offset + file.sizeBytes));
    bytes += file.sizeBytes;
  }
  return {
    objects: [...objects].map(([key, size]) => ({ key, bytes: size })),
    bytes,
    named: [...names],
    spilled,
  };
}

/** Whether a text of a stored JSON value may begin with `storage://`: without escapes, it would say so literally. */
function mayNameFiles(stored: string): boolean {
  return stored.includes(STORAGE_SCHEME) || stored.includes("\\");
}

/**
 * Returns the keys of the files of run `execution` that a JSON value names: texts that begin with `storage://`, at any depth.
 * Undefined if it names a file of another run of the workspace, which lives no longer for an entry of this one.
 */
export function namedFiles(
  workspaceId: string,
  execution: string,
  value: JsonValue,
): string[] | undefined {
  const found = new Set<string>();
  const left: JsonValue[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === "string" && next.startsWith(`${STORAGE_SCHEME}${workspaceId}/runs/`)) {
      const key = next.slice(STORAGE_SCHEME.length).replace(/\?.*$/s, "");
      if (!key.startsWith(`${workspaceId}/runs/${execution}/`)) {
        return undefined;
      }
      found.add(key);
    } else if (Array.isArray(next)) {
      (next as readonly JsonValue[]).forEach((one) => left.push(one));
    } else if (isJsonObject(next)) {
      Object.values(next).forEach((one) => left.push(one));
    }
  }
  return [...found];
}

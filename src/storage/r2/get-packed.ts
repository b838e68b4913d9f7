import type { FilePack } from "../../lib/file-ref.ts";

/** Keys of packs. None has the form of a public address (`isOutputKey`), so no address opens a pack. */
export function packPrefix(workspaceId: string, runId: string): string {
  return `${workspaceId}/runs/${runId}/packs/`;
}

/**
 * `length` bytes of a packed file from its byte `from` on. Null where the pack is gone or ends before
 * them. Throws what the store throws.
 */
export async function getPacked(
  bucket: R2Bucket,
  { key, offset }: FilePack,
  from: number,
  length: number,
  conditions: Pick<R2GetOptions, "onlyIf"> = {},
): Promise<R2ObjectBody | R2Object | null> {
  const start = offset + from;
  const end = start + length;
  let object: R2ObjectBody | R2Object | null;
  try {
    object = await bucket.get(key, { ...conditions, range: { offset: start, length } });
  } catch (error) {
    // The store throws for a range that begins beyond the object's end, too.
    const head = await bucket.head(key);
    if (head === null || head.size < end) {
      return null;
    }
    throw error;
  }
  if (object !== null && object.size < end) {
    if ("body" in object) {
      await object.body.cancel();
    }
    return null;
  }
  return object;
}

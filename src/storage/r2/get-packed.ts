import type { FilePack } from "../../lib/files/file-ref.ts";

/** Keys of packs. They never have the form of a public address (`isOutputKey`), so no address opens a pack. */
export function packPrefix(workspaceId: string, runId: string): string {
  return `${workspaceId}/runs/${runId}/packs/`;
}

/**
 * Returns `length` bytes of a packed file, starting at its byte `from`. Null if the pack is gone or shorter. Rethrows
 * errors of the store.
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
    // The store also throws for a range that begins after the object's end.
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

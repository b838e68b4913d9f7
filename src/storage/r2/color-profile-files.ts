import { assertWorkspaceKey } from "./assert-workspace-key.ts";

/**
 * Stores the bytes of a color profile and returns their key, which names their content. They are never deleted: versions
 * of workflows and runs refer to them.
 */
export async function putColorProfile(
  bucket: R2Bucket,
  workspaceId: string,
  bytes: Uint8Array,
  sha256: string,
): Promise<string> {
  const key = `${workspaceId}/color-profiles/${sha256}.icc`;
  if ((await bucket.head(key)) === null) {
    await bucket.put(key, bytes, {
      httpMetadata: { contentType: "application/vnd.iccprofile" },
    });
  }
  return key;
}

/** Returns the stored bytes; undefined if they are gone or have another size. */
export async function readColorProfile(
  bucket: R2Bucket,
  workspaceId: string,
  { key, size_bytes: size }: { readonly key: string; readonly size_bytes: number },
): Promise<Uint8Array | undefined> {
  assertWorkspaceKey(workspaceId, key);
  const object = await bucket.get(key);
  if (object?.size !== size) {
    await object?.body.cancel();
    return undefined;
  }
  return new Uint8Array(await object.arrayBuffer());
}

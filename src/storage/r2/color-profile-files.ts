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

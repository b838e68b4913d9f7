/** A million files; a workspace with more is counted up to here, and its retention is what is amiss. */
const PAGES_MAX = 1_000;

/** Bytes and number of the files that a workspace's runs have stored. */
export async function measureRunFiles(
  bucket: R2Bucket,
  workspaceId: string,
): Promise<{ bytes: number; files: number }> {
  let bytes = 0;
  let files = 0;
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const listed = await bucket.list({
      prefix: `${workspaceId}/runs/`,
      ...(cursor !== undefined && { cursor }),
    });
    files += listed.objects.length;
    for (const { size } of listed.objects) {
      bytes += size;
    }
    if (!listed.truncated) {
      break;
    }
    cursor = listed.cursor;
  }
  return { bytes, files };
}

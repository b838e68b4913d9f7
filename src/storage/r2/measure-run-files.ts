import { isThumbnailKey } from "../../platform/file-url.ts";

/** A million files. Counting stops there; a workspace with more has a fault in its retention. */
const PAGES_MAX = 1_000;

/** Custom metadata of an object that contains several files: their number. */
const FILES_FIELD = "files";

/** Custom metadata of an R2 object that contains so many files. */
export function filesMetadata(files: number): Record<string, string> {
  return { [FILES_FIELD]: String(files) };
}

/** Bytes and number of the files that a workspace's runs have stored in R2; files in rows are not counted, nor is the number of thumbnails. */
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
      include: ["customMetadata"],
      ...(cursor !== undefined && { cursor }),
    });
    for (const { key, size, customMetadata } of listed.objects) {
      bytes += size;
      if (isThumbnailKey(key)) {
        continue;
      }
      const held = Number(customMetadata?.[FILES_FIELD] ?? 1);
      files += Number.isSafeInteger(held) && held > 0 ? held : 1;
    }
    if (!listed.truncated) {
      break;
    }
    cursor = listed.cursor;
  }
  return { bytes, files };
}

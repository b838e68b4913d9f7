import { AppError } from "../../lib/errors/errors.ts";
import { presignUrl, type S3Account } from "./presign-url.ts";

const RESPONSE_MAX_MS = 10_000;
/** A page has up to a thousand parts of about 300 bytes each. */
const RESPONSE_CHARS_MAX = 2_000_000;
const PAGES_MAX = 20;

export interface ListedPart {
  readonly part_number: number;
  readonly etag: string;
  readonly size_bytes: number;
}

/**
 * Returns the parts of a multipart upload that the store has. Throws `service_unavailable` if the store does not list
 * them.
 */
export async function listParts(
  store: { readonly account: S3Account; readonly bucket: string },
  key: string,
  uploadId: string,
  nowMs: number,
): Promise<readonly ListedPart[]> {
  const parts: ListedPart[] = [];
  let marker: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const url = presignUrl(
      store.account,
      {
        method: "GET",
        path: `/${store.bucket}/${key}`,
        query: { uploadId, ...(marker !== undefined && { "part-number-marker": marker }) },
        expiresSeconds: 60,
      },
      nowMs,
    );
    const xml = await ask(url);
    for (const [, part = ""] of xml.matchAll(/<Part>(.*?)<\/Part>/gs)) {
      parts.push({
        part_number: Number(tag(part, "PartNumber")),
        etag: tag(part, "ETag").replaceAll(/&quot;|"/g, ""),
        size_bytes: Number(tag(part, "Size")),
      });
    }
    if (tag(xml, "IsTruncated") !== "true") {
      return parts;
    }
    marker = tag(xml, "NextPartNumberMarker");
  }
  return parts;
}

async function ask(url: string): Promise<string> {
  try {
    // This is the operator's own store at a configured address, not an address from a caller.
    const response = await fetch(url, { signal: AbortSignal.timeout(RESPONSE_MAX_MS) });
    const text = await response.text();
    if (response.ok && text.length <= RESPONSE_CHARS_MAX) {
      return text;
    }
    throw new Error(`The store returned ${response.status}.`);
  } catch (cause) {
    throw new AppError("service_unavailable", "The file store did not list its parts. Try again.", {
      headers: { "retry-after": "1" },
      cause,
    });
  }
}

function tag(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? "";
}

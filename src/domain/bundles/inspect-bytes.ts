import { ASSET_TYPES } from "../../contracts/files/asset-types.ts";
import { detectOnce, type DetectType, SNIFF_BYTES, sniffFile } from "../../formats/sniff-file.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AssetRow } from "../../storage/d1/asset-store.ts";

/** A type without its parameters, for comparing. */
export function essenceOf(mediaType: string): string {
  return (mediaType.split(";")[0] ?? "").trim().toLowerCase();
}

export interface InspectedBytes {
  /** The actual type of the bytes if it differs from the declared one; undefined if it does not, or was not asked. */
  readonly signatureProblem: string | undefined;
  /** Null if it was not requested. */
  readonly sha256: string | null;
}

/**
 * Reads a stored asset once in bounded memory: its beginning, or all of it with `withChecksum`.
 * Throws `not_found` if its bytes are missing, `source_changed` if they are not those of its row.
 */
export async function inspectBytes(
  bucket: R2Bucket,
  asset: AssetRow,
  options: {
    /** Checks that the bytes have this type. */
    readonly type?: { readonly mediaType: string; readonly detectType: DetectType };
    readonly withChecksum: boolean;
  },
): Promise<InspectedBytes> {
  const object = await bucket.get(asset.key, {
    onlyIf: { etagMatches: asset.etag },
    ...(options.withChecksum || asset.size_bytes <= SNIFF_BYTES
      ? {}
      : { range: { offset: 0, length: SNIFF_BYTES } }),
  });
  if (object === null) {
    throw new AppError(
      "not_found",
      `The bytes of the asset "${asset.path}" are no longer stored. Upload it again.`,
    );
  }
  if (!("body" in object)) {
    throw new AppError(
      "source_changed",
      `The bytes of the asset "${asset.path}" have changed since it was validated. Upload it again.`,
    );
  }
  const head = new Uint8Array(Math.min(SNIFF_BYTES, asset.size_bytes));
  let at = 0;
  const digest = options.withChecksum ? new crypto.DigestStream("SHA-256") : null;
  const writer = digest?.getWriter();
  for await (const chunk of object.body as ReadableStream<Uint8Array>) {
    if (at < head.byteLength) {
      head.set(chunk.subarray(0, head.byteLength - at), at);
    }
    at += chunk.byteLength;
    await writer?.write(chunk);
  }
  await writer?.close();
  return {
    signatureProblem:
      options.type === undefined
        ? undefined
        : await signatureProblem(options.type, head, asset.size_bytes),
    sha256: digest === null ? null : toHex(await digest.digest),
  };
}

async function signatureProblem(
  { mediaType, detectType }: { readonly mediaType: string; readonly detectType: DetectType },
  bytes: Uint8Array,
  sizeBytes: number,
): Promise<string | undefined> {
  const essence = essenceOf(mediaType);
  const extensions = [...ASSET_TYPES]
    .filter(([, type]) => essenceOf(type.contentType) === essence)
    .map(([extension]) => extension);
  if (extensions.includes("svg")) {
    return /<(?:[\w-]+:)?svg[\s>/]/.test(new TextDecoder().decode(bytes))
      ? undefined
      : "The file has no <svg> element";
  }
  const detect = detectOnce(detectType);
  let problem: string | undefined;
  for (const extension of extensions) {
    problem = await sniffFile(extension, { bytes, sizeBytes }, detect);
    if (problem === undefined) {
      return undefined;
    }
  }
  return problem;
}

function toHex(digest: ArrayBuffer): string {
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

import { createHash } from "node:crypto";
import { asNodeError } from "../../domain/datasets/as-node-error.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { ByteSource } from "../../lib/files/byte-source.ts";
import type { MergedDocument } from "../../render/pdf/merge/copy-pages.ts";
import { OUTLINE_MEMORY_BYTES, outlinePdf } from "../../render/pdf/merge/outline-pdf.ts";
import type { TaskFiles } from "../shared/node-context.ts";

/** A document's bytes, and what is copied of them. */
const COPIES = 2;
/** Larger documents are read by ranges. */
const WHOLE_BYTES_MAX = LIMITS.read_file.value;
const BYTES_MAX = LIMITS.merged_pdf.value;

/** The most bytes of memory that a document of a size takes while it is copied, beside its object streams. */
export function mergeMemoryOf(sizeBytes: number): number {
  return sizeBytes <= WHOLE_BYTES_MAX ? COPIES * sizeBytes : OUTLINE_MEMORY_BYTES;
}

/**
 * Reads a document that is copied, and its SHA-256: whole, or from 32 MiB its outline, whose streams stay in the store until they
 * are copied. Throws NodeError `FILE_TOO_LARGE`, `FILE_MISSING`, `SOURCE_CHANGED` or `STORAGE_UNAVAILABLE`, which can be
 * retried.
 */
export async function readMerged(
  file: FileRef,
  name: string,
  files: Pick<TaskFiles, "read" | "open">,
): Promise<MergedDocument & { readonly sha256: Uint8Array }> {
  if (file.sizeBytes <= WHOLE_BYTES_MAX) {
    const bytes = await files.read(file);
    return { name, bytes, sha256: createHash("sha256").update(bytes).digest() };
  }
  if (file.sizeBytes > BYTES_MAX) {
    throw new NodeError(
      "FILE_TOO_LARGE",
      `${name} has ${file.sizeBytes} bytes, and a PDF that is joined at most ${BYTES_MAX}. Split it.`,
    );
  }
  const source = await asNodeErrors(() => files.open(file));
  const digest = createHash("sha256");
  await asNodeErrors(async () => {
    for await (const piece of await source.stream()) {
      digest.update(piece);
    }
  });
  // It is read again while pages are copied, long after this call.
  const failing: ByteSource = {
    sizeBytes: source.sizeBytes,
    etag: source.etag,
    read: (from, to) => asNodeErrors(() => source.read(from, to)),
    stream: () => source.stream(),
  };
  return { name, ...(await outlinePdf(failing, name)), sha256: digest.digest() };
}

async function asNodeErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw asNodeError(error);
  }
}

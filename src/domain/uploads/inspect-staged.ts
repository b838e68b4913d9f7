import type { UploadMetadata } from "../../contracts/files/upload.ts";
import { SNIFF_BYTES, sniffFile } from "../../formats/sniff-file.ts";
import { sniffTail, TAIL_BYTES } from "../../formats/sniff-tail.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { RequestMemory } from "../../platform/request-memory.ts";
import type { Env } from "../../platform/env.ts";
import { askFileTypes } from "../assets/ask-file-types.ts";
import { putInspected } from "../assets/inspect-pieces.ts";
import { typeMismatch } from "../assets/type-mismatch.ts";

type InspectEnv = Pick<Env, "FILES" | "FILE_TYPES">;

interface Stored {
  readonly key: string;
  readonly etag: string;
  readonly size_bytes: number;
}

/** The result for staged bytes: an object that can be published, or the reason for a rejection. */
export type StagedOutcome =
  | { readonly kind: "stored"; readonly stored: Stored }
  | { readonly kind: "refused"; readonly code: "content_mismatch"; readonly message: string }
  /** The bytes are no longer those of the receipt. */
  | { readonly kind: "changed" };

/**
 * Checks staged bytes against the type of the session's file name. Bytes that only this service can
 * write stay in place; bytes that a client can still overwrite are copied, and an SVG is cleaned
 * into a new object.
 */
export async function inspectStaged(
  env: InspectEnv,
  metadata: UploadMetadata,
  staged: Stored,
): Promise<StagedOutcome> {
  try {
    if (
      metadata.extension === "svg" ||
      (metadata.is_direct && metadata.strategy === "single_put")
    ) {
      return await copyInspected(env, metadata, staged);
    }
    const { size_bytes: sizeBytes } = staged;
    const head = await readRange(env.FILES, staged, 0, SNIFF_BYTES);
    const tail = await readRange(
      env.FILES,
      staged,
      Math.max(0, sizeBytes - TAIL_BYTES),
      TAIL_BYTES,
    );
    if (head === undefined || tail === undefined) {
      return { kind: "changed" };
    }
    const problem =
      (await sniffFile(metadata.extension, { bytes: head, sizeBytes }, askFileTypes(env))) ??
      sniffTail(metadata.extension, { head, tail, sizeBytes });
    return problem === undefined
      ? { kind: "stored", stored: staged }
      : refused(typeMismatch(metadata.extension, problem));
  } catch (error) {
    if (error instanceof AppError && error.status < 500) {
      return refused(error.message);
    }
    throw error;
  }
}

/** Undefined if the object has changed. */
async function readRange(
  files: R2Bucket,
  staged: Stored,
  offset: number,
  length: number,
): Promise<Uint8Array | undefined> {
  const object = await files.get(staged.key, {
    range: { offset, length: Math.min(length, staged.size_bytes - offset) },
    onlyIf: { etagMatches: staged.etag },
  });
  return object === null || !("body" in object)
    ? undefined
    : new Uint8Array(await object.arrayBuffer());
}

async function copyInspected(
  env: InspectEnv,
  metadata: UploadMetadata,
  staged: Stored,
): Promise<StagedOutcome> {
  const object = await env.FILES.get(staged.key, { onlyIf: { etagMatches: staged.etag } });
  if (object === null || !("body" in object)) {
    return { kind: "changed" };
  }
  const { extension, name, content_type: contentType } = metadata;
  const memory = new RequestMemory();
  try {
    const stored = await putInspected(
      env.FILES,
      metadata.copy_key,
      {
        pieces: object.body,
        extension,
        sizeBytes: object.size,
        memory,
        detectType: askFileTypes(env),
      },
      "content_mismatch",
      { contentType, name },
    );
    return {
      kind: "stored",
      stored: { key: metadata.copy_key, etag: stored.etag, size_bytes: stored.sizeBytes },
    };
  } finally {
    memory.release();
  }
}

function refused(message: string): StagedOutcome {
  return { kind: "refused", code: "content_mismatch", message };
}

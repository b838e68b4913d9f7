import type { UploadMetadata } from "../../src/contracts/files/upload.ts";
import { inspectStaged, type StagedOutcome } from "../../src/domain/uploads/inspect-staged.ts";
import type { Env } from "../../src/platform/env.ts";
import { UploadSessionStore } from "../../src/storage/d1/upload-session-store.ts";
import type { Staged } from "./upload-store.ts";

/** Most objects that the store deletes in one call. */
const DELETE_MAX = 1_000;

/** R2's codes for a part that was replaced or is too small, and for an upload that was aborted or has expired. */
const PERMANENT = /\((?:10011|10024|10025)\)/;

/** The calls of an upload object to other services. */
export class UploadEffects {
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  /**
   * Assembles the parts; the result has the new ETag. Null if the store does not have these parts, so that a retry is
   * useless. Throws if a retry may succeed.
   */
  async assemble(
    metadata: UploadMetadata,
    parts: readonly { readonly part_number: number; readonly etag: string }[],
  ): Promise<Staged | null> {
    const upload = this.#env.FILES.resumeMultipartUpload(metadata.key, metadata.r2_upload_id ?? "");
    try {
      const object = await upload.complete(
        parts.map(({ part_number, etag }) => ({ partNumber: part_number, etag })),
      );
      return { key: metadata.key, etag: object.etag, size_bytes: object.size };
    } catch (error) {
      // The call may have succeeded although its response was lost.
      const staged = await this.findStaged(metadata);
      if (staged === null && !PERMANENT.test(String(error))) {
        throw error;
      }
      return staged;
    }
  }

  /** The bytes that a client put directly to the session's own key in the store. */
  async findStaged(metadata: UploadMetadata): Promise<Staged | null> {
    const object = await this.#env.FILES.head(metadata.key);
    return object === null
      ? null
      : { key: metadata.key, etag: object.etag, size_bytes: object.size };
  }

  inspect(metadata: UploadMetadata, staged: Staged): Promise<StagedOutcome> {
    return inspectStaged(this.#env, metadata, staged);
  }

  publish(metadata: UploadMetadata, stored: Staged, nowMs: number): Promise<void> {
    return new UploadSessionStore(this.#env, metadata.workspace_id).publish(metadata.upload_id, {
      path: metadata.path,
      key: stored.key,
      name: metadata.name,
      contentType: metadata.content_type,
      kind: metadata.kind,
      sizeBytes: stored.size_bytes,
      etag: stored.etag,
      nowMs,
    });
  }

  /** Deletes the uploaded bytes, published or not, and releases the quota. Safe to repeat. */
  async discard(metadata: UploadMetadata, keys: readonly string[]): Promise<void> {
    await this.deleteBytes([metadata.key, metadata.copy_key, ...keys]);
    if (metadata.r2_upload_id !== null) {
      // Fails if the parts were assembled or deleted before.
      await this.#env.FILES.resumeMultipartUpload(metadata.key, metadata.r2_upload_id)
        .abort()
        .catch(() => undefined);
    }
    await new UploadSessionStore(this.#env, metadata.workspace_id).release(metadata.upload_id);
  }

  async deleteBytes(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += DELETE_MAX) {
      await this.#env.FILES.delete(keys.slice(at, at + DELETE_MAX));
    }
  }
}

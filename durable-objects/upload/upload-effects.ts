import type { UploadMetadata } from "../../src/contracts/upload.ts";
import { inspectStaged, type StagedOutcome } from "../../src/domain/uploads/inspect-staged.ts";
import type { Env } from "../../src/platform/env.ts";
import { UploadSessionStore } from "../../src/storage/d1/upload-session-store.ts";
import type { Staged } from "./upload-store.ts";

/** The store deletes at most so many objects in one call. */
const DELETE_MAX = 1_000;

/** R2's codes for a part that was replaced, or is too small, and for an upload that was aborted or aged out. */
const PERMANENT = /\((?:10011|10024|10025)\)/;

/** What an upload object does outside of itself. */
export class UploadEffects {
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  /**
   * Puts the parts together; what comes of it has the ETag that counts from now on. Null when the
   * store has not these parts: trying again would change nothing. Throws when it might.
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
      // It may have been done all the same, only the answer was lost.
      const staged = await this.findStaged(metadata);
      if (staged === null && !PERMANENT.test(String(error))) {
        throw error;
      }
      return staged;
    }
  }

  /** What a client put at the session's own key, past this service. */
  async findStaged(metadata: UploadMetadata): Promise<Staged | null> {
    const object = await this.#env.FILES.head(metadata.key);
    return object === null
      ? null
      : { key: metadata.key, etag: object.etag, size_bytes: object.size };
  }

  inspect(metadata: UploadMetadata, staged: Staged): Promise<StagedOutcome> {
    return inspectStaged(this.#env.FILES, metadata, staged);
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

  /** Deletes what was put, published or not, and gives the quota back. Repeats change nothing. */
  async discard(metadata: UploadMetadata, keys: readonly string[]): Promise<void> {
    await this.deleteBytes([metadata.key, metadata.copy_key, ...keys]);
    if (metadata.r2_upload_id !== null) {
      // Fails where the parts were put together or thrown away before.
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

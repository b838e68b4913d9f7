import { DurableObject } from "cloudflare:workers";
import {
  PART_BYTES,
  type PutGrant,
  type UploadMetadata,
  type UploadObjectApi,
  type UploadRecord,
} from "../../src/contracts/files/upload.ts";
import { placeAsset } from "../../src/domain/assets/name-asset.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { fail, ok, type Result } from "../../src/lib/result.ts";
import { effectMade } from "../../src/platform/effect-log.ts";
import type { Env } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { UploadEffects } from "./upload-effects.ts";
import { type Staged, UploadStore } from "./upload-store.ts";
import { isEnvUsable } from "../../src/platform/check-env.ts";
import { ObjectAlarm } from "../shared/object-alarm.ts";
import { parseEntries } from "../shared/entries.ts";
import { UPLOAD_ENTRIES } from "./upload-entries.ts";
import {
  closingRefusal,
  gone,
  putRefusal,
  refusal,
  stagedProblem,
  strategyRefusal,
} from "./upload-refusals.ts";

/** How long the outcome of an expired or finished session stays readable. */
const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1000;
/** Delay after which the object checks the work that it started: a crash costs at most this long. */
const LOOK_AGAIN_MS = 1_000;
/** Delay after a failure, when the database or the store is unavailable. */
const WORK_AGAIN_MS = 15_000;
/** An hour of failures to assemble the parts is not an outage but a permanent fault. */
const ASSEMBLE_FAILURES_MAX = 240;

/**
 * One presigned upload session: this class is the RPC surface and makes the decisions; see UploadStore and
 * UploadEffects.
 */
export class UploadObject extends DurableObject<Env> implements UploadObjectApi {
  readonly #store = new UploadStore(this.ctx.storage);
  readonly #effects = new UploadEffects(this.env);
  readonly #alarm = new ObjectAlarm(this.ctx.storage, {
    object: "upload",
    failedEvent: "upload.failed",
    retryMs: WORK_AGAIN_MS,
  });
  #working: Promise<void> | undefined;
  /** A call to `finalize` is checking the bytes, which must happen before publishing. */
  #isFinalizing = false;

  async create({
    facts: metadata,
  }: {
    v: 1;
    facts: UploadMetadata;
  }): Promise<Result<UploadRecord>> {
    if (this.#store.kept === undefined) {
      this.#store.create(metadata);
      this.#alarm.moveTo(metadata.finalize_expires_at_ms);
    }
    return this.#read(metadata.workspace_id);
  }

  read(request: { v: 1; workspace_id: string }): Promise<Result<UploadRecord>> {
    return Promise.resolve(this.#read(request.workspace_id));
  }

  beginPut({ part }: { v: 1; part: number | null }): Promise<Result<PutGrant>> {
    const refused = refusal(this.#store.kept, null, Date.now()) ?? putRefusal(this.#store.kept);
    const { kept } = this.#store;
    if (refused !== undefined || kept === undefined) {
      return Promise.resolve(refused ?? gone());
    }
    const { facts: metadata } = kept;
    if ((part === null) !== (metadata.strategy === "single_put")) {
      return Promise.resolve(
        fail("invalid_state", "This session does not use this method of upload."),
      );
    }
    if (part !== null) {
      // The store may replace the part before its checksum is known, so the old receipt is invalid.
      this.#store.dropPart(part);
    }
    // Each single PUT writes its own object, so that an interrupted one replaces nothing.
    const key =
      part === null
        ? placeAsset(metadata.workspace_id, metadata, metadata.created_at_ms).key
        : metadata.key;
    if (part === null) {
      this.#store.addAttempt(key);
    }
    return Promise.resolve(
      ok({
        key,
        r2_upload_id: metadata.r2_upload_id,
        size_bytes: part === null ? metadata.size_bytes : partSize(metadata, part),
        content_type: metadata.content_type,
        name: metadata.name,
      }),
    );
  }

  async commitPut(request: {
    v: 1;
    part: number | null;
    key: string;
    etag: string;
    size_bytes: number;
  }): Promise<Result<null>> {
    const refused = refusal(this.#store.kept, null, Date.now()) ?? putRefusal(this.#store.kept);
    const { kept } = this.#store;
    if (refused !== undefined || kept === undefined) {
      return refused ?? gone();
    }
    const { part, key, etag, size_bytes } = request;
    if (part !== null) {
      this.#store.putPart({ part_number: part, etag, size_bytes });
      return ok(null);
    }
    this.#store.change({ staged: { key, etag, size_bytes } });
    if (kept.staged !== null) {
      await this.#effects.deleteBytes([kept.staged.key]);
    }
    return ok(null);
  }

  async finalize(request: { v: 1; workspace_id: string }): Promise<Result<UploadRecord>> {
    const refused =
      refusal(this.#store.kept, request.workspace_id, Date.now()) ??
      strategyRefusal(this.#store.kept, "single_put");
    const { kept } = this.#store;
    if (refused !== undefined || kept === undefined) {
      return refused ?? gone();
    }
    if (kept.state === "failed") {
      return fail("content_mismatch", kept.error?.message ?? "The bytes were rejected.");
    }
    if (kept.state !== "pending") {
      return ok(this.#record());
    }
    const closing = closingRefusal(kept.facts, Date.now());
    if (closing !== undefined) {
      return closing;
    }
    // From here to the first await, a second call sees `finalizing`.
    const { facts: metadata } = this.#store.change({ state: "finalizing" });
    effectMade("finalize");
    this.#isFinalizing = true;
    this.#armSoon();
    try {
      const staged = metadata.is_direct ? await this.#effects.findStaged(metadata) : kept.staged;
      const problem = stagedProblem(metadata, staged);
      if (problem !== undefined || staged === null) {
        this.#store.change({ state: "pending" });
        this.#armExpiry(metadata);
        return problem ?? gone();
      }
      this.#store.change({ staged });
      await this.#work();
    } catch (error) {
      // The alarm continues the work; the caller polls.
      this.#log(error);
      return ok(this.#record());
    } finally {
      this.#isFinalizing = false;
    }
    return this.#finished();
  }

  async complete(request: { v: 1; workspace_id: string }): Promise<Result<UploadRecord>> {
    const refused =
      refusal(this.#store.kept, request.workspace_id, Date.now()) ??
      strategyRefusal(this.#store.kept, "multipart");
    const { kept } = this.#store;
    if (refused !== undefined || kept === undefined) {
      return refused ?? gone();
    }
    if (kept.state !== "pending") {
      return ok(this.#record());
    }
    const { facts: metadata } = kept;
    const closing = closingRefusal(metadata, Date.now());
    if (closing !== undefined) {
      return closing;
    }
    const missing = metadata.total_parts - this.#store.parts().length;
    if (missing > 0) {
      return fail(
        "file_not_uploaded",
        `${missing} of ${metadata.total_parts} parts are missing. GET the session to see which parts are missing, PUT them, then complete again.`,
      );
    }
    this.#store.change({ state: "finalizing" });
    effectMade("finalize");
    // The alarm validates and publishes, after the response.
    this.#alarm.moveTo(Date.now() + 1);
    return ok(this.#record());
  }

  async abort(request: { v: 1; workspace_id: string }): Promise<Result<null>> {
    const { kept } = this.#store;
    // A repeat of an interrupted abort continues it; for all other calls the session is gone.
    const isAborting =
      kept?.state === "aborting" && kept.facts.workspace_id === request.workspace_id;
    const refused = isAborting
      ? undefined
      : refusal(this.#store.kept, request.workspace_id, Date.now());
    if (refused !== undefined || kept === undefined) {
      return refused ?? gone();
    }
    if (kept.state === "finalized" || kept.state === "finalizing") {
      return fail(
        "conflict",
        kept.state === "finalized"
          ? "The session is finalized. Delete the asset instead."
          : "The session is being finalized. Wait for it to end, then delete the asset.",
      );
    }
    // Before the first await: a concurrent finalize would publish bytes that are deleted here.
    this.#store.change({ state: "aborting" });
    this.#armSoon();
    await this.#discardAndForget();
    return ok(null);
  }

  async #discardAndForget(): Promise<void> {
    const { kept } = this.#store;
    if (kept !== undefined) {
      await this.#effects.discard(kept.facts, this.#store.attempts());
      await this.#store.forget();
    }
  }

  override alarm(): Promise<void> {
    return this.#alarm.fire(async () => {
      const { kept } = this.#store;
      if (kept?.state === "finalizing") {
        // Interrupted work is due again when the object wakes.
        this.#armSoon();
        if (!this.#isFinalizing) {
          await this.#work();
        }
      } else if (kept?.state === "pending") {
        if (Date.now() < kept.facts.finalize_expires_at_ms) {
          this.#armExpiry(kept.facts);
          return;
        }
        await this.#effects.discard(kept.facts, this.#store.attempts());
        this.#store.change({ state: "expired", staged: null });
        this.#alarm.moveTo(Date.now() + REMEMBERED_MS);
      } else if (kept?.state === "aborting") {
        await this.#discardAndForget();
      } else if (kept !== undefined) {
        await this.#store.forget();
      }
    });
  }

  /** Validates and publishes; one at a time, resuming after an interruption. */
  #work(): Promise<void> {
    this.#working ??= this.#validate().finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  async #validate(): Promise<void> {
    const { kept } = this.#store;
    if (kept?.state !== "finalizing") {
      return;
    }
    const { facts: metadata } = kept;
    const staged = kept.staged ?? (await this.#assembled(metadata));
    if (metadata.strategy === "single_put" && stagedProblem(metadata, staged) !== undefined) {
      // A finalize was interrupted before it checked the bytes.
      this.#store.change({ state: "pending", staged: null });
      this.#armExpiry(metadata);
      return;
    }
    if (staged === null) {
      await this.#end(metadata, {
        code: "content_mismatch",
        message: "The parts could not be assembled. Create a new session and upload again.",
      });
      return;
    }
    const outcome = await this.#effects.inspect(metadata, staged);
    if (outcome.kind === "refused") {
      await this.#end(metadata, { code: outcome.code, message: outcome.message });
      return;
    }
    if (outcome.kind === "changed") {
      this.#store.change({ state: "pending", staged: null, error: CHANGED });
      this.#armExpiry(metadata);
      return;
    }
    const { stored } = outcome;
    await this.#effects.publish(metadata, stored, Date.now());
    this.#store.change({
      state: "finalized",
      staged: stored,
      stored_size_bytes: stored.size_bytes,
      error: null,
    });
    const others = [staged.key, ...this.#store.attempts()].filter((key) => key !== stored.key);
    await this.#effects.deleteBytes(others);
    this.#alarm.moveTo(Date.now() + REMEMBERED_MS);
  }

  /**
   * Returns the bytes as one object, also after a crash between assembling the parts and recording it. Null if they do
   * not exist and never will. Throws if a retry may succeed.
   */
  async #assembled(metadata: UploadMetadata): Promise<Staged | null> {
    let staged = await this.#effects.findStaged(metadata);
    if (staged === null && metadata.strategy === "multipart") {
      try {
        staged = await this.#effects.assemble(metadata, this.#store.parts());
      } catch (error) {
        const failures = (this.#store.kept?.assemble_failures ?? 0) + 1;
        this.#store.change({ assemble_failures: failures });
        if (failures < ASSEMBLE_FAILURES_MAX) {
          throw error;
        }
        this.#log(error);
      }
    }
    this.#store.change({ staged });
    return staged;
  }

  async #end(metadata: UploadMetadata, error: NonNullable<UploadRecord["error"]>): Promise<void> {
    await this.#effects.discard(metadata, this.#store.attempts());
    this.#store.change({ state: "failed", staged: null, error });
    this.#alarm.moveTo(Date.now() + REMEMBERED_MS);
  }

  #read(workspaceId: string): Result<UploadRecord> {
    return refusal(this.#store.kept, workspaceId, Date.now()) ?? ok(this.#record());
  }

  #finished(): Result<UploadRecord> {
    const { kept } = this.#store;
    if (kept?.state === "failed") {
      return fail("content_mismatch", kept.error?.message ?? "The bytes were rejected.");
    }
    if (kept?.state === "pending") {
      return fail("precondition_failed", CHANGED.message);
    }
    return ok(this.#record());
  }

  #record(): UploadRecord {
    const { kept } = this.#store;
    if (kept === undefined || kept.state === "expired" || kept.state === "aborting") {
      throw new Error("A session that does not exist has no record.");
    }
    const { facts: metadata, state, stored_size_bytes, error } = kept;
    return { facts: metadata, state, stored_size_bytes, error, parts: this.#store.parts() };
  }

  #armSoon(): void {
    this.#alarm.moveTo(Date.now() + LOOK_AGAIN_MS);
  }

  #armExpiry(metadata: UploadMetadata): void {
    this.#alarm.moveTo(metadata.finalize_expires_at_ms);
  }

  #log(error: unknown): void {
    createLogger({ object: "upload" }).error("upload.failed", {
      upload_id: this.#store.kept?.facts.upload_id,
      cause: describeCause(error),
    });
  }
}

parseEntries(UploadObject, isEnvUsable, UPLOAD_ENTRIES);

const CHANGED = {
  code: "precondition_failed",
  message: "The bytes were replaced while they were being validated. Finalize again.",
};

/** All parts have the same size except for the last, which has the remainder. */
function partSize(metadata: UploadMetadata, part: number): number {
  return part < metadata.total_parts
    ? PART_BYTES
    : metadata.size_bytes - PART_BYTES * (metadata.total_parts - 1);
}

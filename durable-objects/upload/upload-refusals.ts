/** The reasons for which an upload session refuses a call, as the problem that the caller gets. */
import type { UploadMetadata } from "../../src/contracts/files/upload.ts";
import { fail, type Failure } from "../../src/lib/result.ts";
import type { Kept, Staged } from "./upload-store.ts";

/** A finalize that starts later than this before the deadline might not end in time. */
const CLOSING_MS = 60_000;

/**
 * Rejects a session that is missing, another workspace's, or ended. A null workspace is authenticated by a signature.
 */
export function refusal(
  kept: Kept | undefined,
  workspaceId: string | null,
  nowMs: number,
): Failure | undefined {
  if (kept === undefined) {
    return gone();
  }
  if (workspaceId !== null && kept.facts.workspace_id !== workspaceId) {
    return fail("forbidden", "This upload session belongs to another workspace.");
  }
  if (kept.state === "aborting") {
    return gone();
  }
  const isOver =
    kept.state === "expired" ||
    (kept.state === "pending" && nowMs >= kept.facts.finalize_expires_at_ms);
  return isOver
    ? fail(
        "upload_expired",
        "The session has expired and its bytes are deleted. Create a new session.",
      )
    : undefined;
}

/** Rejects bytes for a session that does not wait for any. */
export function putRefusal(kept: Kept | undefined): Failure | undefined {
  const state = kept?.state;
  return state === "pending"
    ? undefined
    : fail(
        "conflict",
        `The session does not accept more bytes: ${state === "failed" ? "its file was rejected (GET the session for the reason)" : "it is finalized, or about to be"}. Create a new session for another file.`,
      );
}

/** Rejects the call that ends an upload of the other strategy. */
export function strategyRefusal(
  kept: Kept | undefined,
  strategy: UploadMetadata["strategy"],
): Failure | undefined {
  const actual = kept?.facts.strategy;
  return actual === strategy
    ? undefined
    : fail(
        "invalid_state",
        strategy === "multipart"
          ? "This session is uploaded by a single PUT. Call finalize."
          : "This session is uploaded in parts. Call :complete.",
      );
}

/** Rejects a finalize that might not end before the session does. */
export function closingRefusal(metadata: UploadMetadata, nowMs: number): Failure | undefined {
  return nowMs > metadata.finalize_expires_at_ms - CLOSING_MS
    ? fail(
        "window_closing",
        "The session expires within a minute, which may be too short to finish. Create a new session and upload again.",
      )
    : undefined;
}

export function gone(): Failure {
  return fail("not_found", "There is no upload session with this id; it may have been aborted.");
}

/** Why the staged bytes cannot be the session's file; undefined if they may be. */
export function stagedProblem(
  metadata: UploadMetadata,
  staged: Staged | null,
): Failure | undefined {
  if (staged === null) {
    return fail(
      "file_not_uploaded",
      "The file has not been uploaded yet. PUT it to upload_url, then finalize again.",
    );
  }
  return staged.size_bytes === metadata.size_bytes
    ? undefined
    : fail(
        "invalid_size",
        `The session is for exactly ${metadata.size_bytes} bytes and ${staged.size_bytes} were put. Put the file again, or create a session with its true size.`,
      );
}

import * as z from "zod";
import type { Result } from "../../lib/result.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** Files of upload sessions (docs/contract/assets.md#upload-sessions). */
export const PART_BYTES = LIMITS.upload_part.value;
export const PARALLEL_PARTS = 4;
/** Maximum size of a multipart upload; an operator's setting cannot raise it. */
export const PARTS_MAX = LIMITS.upload_parts.value;
/** `auto` uses multipart only above this size (docs/contract/assets.md#upload-sessions). */
export const SINGLE_PUT_MAX_BYTES = LIMITS.upload_single_put.value;
export const URL_LIFETIME_MS = LIMITS.upload_address.value;
export const SESSION_LIFETIME_MS = LIMITS.upload_session.value;

const timestamp = z.iso.datetime();

/** A presigned upload session (docs/contract/assets.md#upload-sessions). */
export const UploadSession = z
  .object({
    status: z
      .enum(["pending", "in_progress", "finalized", "failed"])
      .describe("`failed`: the bytes were rejected; `error_code` gives the reason."),
    upload_id: z.string().describe("Id of the session, `upl_…`."),
    file_name: z.string().describe("Name of the file that is uploaded."),
    content_type: z.string().describe("Media type of the file."),
    max_size_bytes: z.int().describe("Exactly this many bytes must be uploaded."),
    strategy: z.enum(["single_put", "multipart"]).describe("One PUT of the whole file, or parts."),
    finalize_expires_at: timestamp.describe("Until when the upload can be finished."),
    upload_url: z
      .string()
      .optional()
      .describe("Of a pending single PUT. Anybody who has it can use it."),
    upload_method: z.literal("PUT").optional().describe("Method to send the bytes with."),
    required_headers: z.record(z.string(), z.string()).optional().describe("Send each verbatim."),
    url_expires_at: timestamp.optional().describe("Until when `upload_url` can be used."),
    part_size_bytes: z.int().optional().describe("Size of every part but the last, in bytes."),
    total_parts: z.int().optional().describe("How many parts there are."),
    checksum_algorithm: z.literal("md5").optional().describe("Algorithm of the parts' checksums."),
    recommended_parallel_parts: z.int().optional().describe("How many parts to send at once."),
    recommended_max_in_flight_bytes: z.int().optional().describe("How many bytes to send at once."),
    parts: z
      .array(
        z.object({
          part_number: z.int().describe("Number of the part, from 1."),
          confirmed: z.boolean().describe("Whether the part was received."),
          size_bytes: z.int().describe("Size of the part in bytes."),
          etag: z.string().nullable().describe("ETag of the received part; null before."),
        }),
      )
      .optional()
      .describe("Every part, in responses to GET."),
    path: z.string().optional().describe("Once finalized: the value to send as `asset_path`."),
    size_bytes: z.int().optional().describe("Once finalized: of what is stored."),
    error_code: z
      .string()
      .nullable()
      .optional()
      .describe("Why the bytes were rejected; null if they were not."),
    error_message: z.string().nullable().optional().describe("The same for people."),
  })
  .meta({ id: "UploadSession" });
export type UploadSession = z.infer<typeof UploadSession>;

export const PartGrant = z
  .object({
    part_number: z.int().describe("Number of the part, from 1."),
    upload_url: z.string().describe("Address to PUT the part to. Anybody who has it can use it."),
    upload_method: z.literal("PUT").describe("Method to send the bytes with."),
    required_headers: z.record(z.string(), z.string()).describe("Send each verbatim."),
    expires_at: timestamp.describe("Until when the address can be used."),
  })
  .meta({ id: "PartGrant" });
export type PartGrant = z.infer<typeof PartGrant>;

/** The parameters that create a session. Plain data; `v` grows when a field changes its meaning. */
export interface UploadMetadata {
  readonly v: 1;
  readonly upload_id: string;
  readonly workspace_id: string;
  /** Id of the resulting asset. */
  readonly name: string;
  readonly extension: string;
  readonly content_type: string;
  readonly kind: string;
  readonly path: string;
  readonly size_bytes: number;
  readonly strategy: "single_put" | "multipart";
  readonly total_parts: number;
  /** Whether clients send their bytes to the store itself, with S3 signatures. */
  readonly is_direct: boolean;
  /** Key of a direct single PUT, and of an assembled multipart upload. */
  readonly key: string;
  /**
   * Key of the copy, if one is needed: of a file that a client could still overwrite, and of a
   * cleaned SVG.
   */
  readonly copy_key: string;
  /** Id of the store's own multipart upload; null for a single PUT. */
  readonly r2_upload_id: string | null;
  readonly created_at_ms: number;
  readonly finalize_expires_at_ms: number;
}

export interface UploadPart {
  readonly part_number: number;
  readonly etag: string;
  readonly size_bytes: number;
}

/** A session as stored in its object. */
export interface UploadRecord {
  readonly facts: UploadMetadata;
  readonly state: "pending" | "finalizing" | "finalized" | "failed";
  readonly parts: readonly UploadPart[];
  readonly stored_size_bytes: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface PutGrant {
  readonly key: string;
  readonly r2_upload_id: string | null;
  readonly size_bytes: number;
  readonly content_type: string;
  /** File name of a download. */
  readonly name: string;
}

/**
 * RPC interface of an upload object. If `workspace_id` is null, the caller has a signed address.
 */
export interface UploadObjectApi {
  create(request: { v: 1; facts: UploadMetadata }): Promise<Result<UploadRecord>>;
  read(request: { v: 1; workspace_id: string }): Promise<Result<UploadRecord>>;
  /**
   * Whether a PUT may begin, and the key for its bytes. `part` is null for a single PUT; for a
   * part, the previous receipt is dropped.
   */
  beginPut(request: { v: 1; part: number | null }): Promise<Result<PutGrant>>;
  /** Stores the receipt of a PUT. The bytes of an earlier PUT are deleted. */
  commitPut(request: {
    v: 1;
    part: number | null;
    key: string;
    etag: string;
    size_bytes: number;
  }): Promise<Result<null>>;
  /**
   * Ends a single PUT: validates and publishes within the call, or returns `in_progress` if another
   * call is doing so.
   */
  finalize(request: { v: 1; workspace_id: string }): Promise<Result<UploadRecord>>;
  /** Ends a multipart upload: assembles it; validation and publication follow. */
  complete(request: { v: 1; workspace_id: string }): Promise<Result<UploadRecord>>;
  abort(request: { v: 1; workspace_id: string }): Promise<Result<null>>;
}

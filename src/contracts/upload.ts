import * as z from "zod";
import type { Result } from "../lib/result.ts";
import { LIMITS } from "../lib/limits-table.ts";

/** docs/contract/assets.md#upload-sessions. */
export const PART_BYTES = LIMITS.upload_part.value;
export const PARALLEL_PARTS = 4;
/** What a multipart upload has at most, whatever the operator allows in bytes. */
export const PARTS_MAX = LIMITS.upload_parts.value;
/** `auto` picks multipart strictly above this (docs/contract/assets.md#upload-sessions). */
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

/** What a session is made of. Plain data; `v` grows when a field changes meaning. */
export interface UploadMetadata {
  readonly v: 1;
  readonly upload_id: string;
  readonly workspace_id: string;
  /** Of the asset that it will be. */
  readonly name: string;
  readonly extension: string;
  readonly content_type: string;
  readonly kind: string;
  readonly path: string;
  readonly size_bytes: number;
  readonly strategy: "single_put" | "multipart";
  readonly total_parts: number;
  /** Whether clients put to the store itself, with S3 signatures. */
  readonly is_direct: boolean;
  /** Where a direct single PUT goes, and where a multipart upload is assembled. */
  readonly key: string;
  /** Where a copy goes, if one is needed: of what a client could still put over, and of a cleaned SVG. */
  readonly copy_key: string;
  /** Of the store's own multipart upload; null for a single PUT. */
  readonly r2_upload_id: string | null;
  readonly created_at_ms: number;
  readonly finalize_expires_at_ms: number;
}

export interface UploadPart {
  readonly part_number: number;
  readonly etag: string;
  readonly size_bytes: number;
}

/** A session as its object knows it. */
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
  /** What a download of the file is saved as. */
  readonly name: string;
}

/** RPC surface of an upload object. `workspace_id` null: the caller holds a signed address. */
export interface UploadObjectApi {
  create(request: { v: 1; facts: UploadMetadata }): Promise<Result<UploadRecord>>;
  read(request: { v: 1; workspace_id: string }): Promise<Result<UploadRecord>>;
  /** Whether a PUT may begin, and where its bytes go. `part` null for a single PUT; a part's receipt is dropped. */
  beginPut(request: { v: 1; part: number | null }): Promise<Result<PutGrant>>;
  /** Keeps the receipt of a PUT. The bytes of an earlier one are deleted. */
  commitPut(request: {
    v: 1;
    part: number | null;
    key: string;
    etag: string;
    size_bytes: number;
  }): Promise<Result<null>>;
  /** A single PUT's end: validated and published within the call, or `in_progress` beside another. */
  finalize(request: { v: 1; workspace_id: string }): Promise<Result<UploadRecord>>;
  /** A multipart upload's end: assembled; validation and publishing follow. */
  complete(request: { v: 1; workspace_id: string }): Promise<Result<UploadRecord>>;
  abort(request: { v: 1; workspace_id: string }): Promise<Result<null>>;
}

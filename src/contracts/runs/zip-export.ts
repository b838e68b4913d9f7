/**
 * ZIP exports of a run's outputs (docs/contract/exports.md#status,
 * docs/contract/exports.md#requests): the public status, and the messages between the two Workers.
 */
import * as z from "zod";
import type { Result } from "../../lib/result.ts";

const ZipArchive = z.object({
  zip_id: z.int().describe("For the download's path."),
  part_index: z.int().describe("Number of the archive in the export, from 1."),
  total_parts: z.int().describe("How many archives the export has."),
  download_file_name: z.string().describe("Name that a download is saved as."),
  size_bytes: z.int().describe("Size of the archive in bytes."),
  file_count: z.int().describe("Files in the archive."),
});

export const ZipStatus = z
  .object({
    status: z
      .enum(["not_requested", "building", "completed", "failed"])
      .describe("`completed` when the archives can be downloaded."),
    progress_percent: z.int().min(0).max(100).describe("100 only when `completed`."),
    total_outputs: z.int().describe("Files in the export; 0 until they were counted."),
    total_size_bytes: z.int().describe("Sum of the files' sizes."),
    completed_at: z.iso
      .datetime()
      .nullable()
      .describe("When the archives were finished; null until then."),
    error_message: z.string().nullable().describe("Why the last build `failed`."),
    zips: z.array(ZipArchive).describe("The archives that can be downloaded."),
  })
  .meta({ id: "ZipStatus" });
export type ZipStatus = z.infer<typeof ZipStatus>;

/** RPC interface of the runner for the objects of exports. */
export interface ZipBuildersApi {
  /**
   * Wakes the builder of a run's export, which then claims the archives to build. Returns at once;
   * repeats are harmless.
   */
  wake(request: { readonly v: 1; readonly run_id: string }): Promise<void>;
}

/**
 * Position of an element in a run's outputs: its node in the plan, and its index among the node's
 * elements.
 */
export interface RunElement {
  readonly node: number;
  readonly ord: number;
}

/** One present output of an ended run, for an export. */
export interface RunExportEntry extends RunElement {
  readonly output_key: string;
  readonly is_iterated: boolean;
  readonly indices: readonly number[];
  /** The author's file name, with `{index}` not replaced yet. */
  readonly file_name: string | null;
  readonly size_bytes: number;
  /**
   * File name; null for a text stored in the run's rows. `key` is null if the file is not an object
   * in R2.
   */
  readonly file: { readonly key: string | null; readonly name: string } | null;
  readonly is_json: boolean;
  /** For rows of a batch: the text that is stored in the run's rows. */
  readonly text?: string;
  /** For rows of a batch: where the file is served. */
  readonly address?: { readonly url: string; readonly content_type: string };
}

/** One output of the run's interface, whether or not it is present. */
export interface RunExportGroup {
  readonly key: string;
  readonly is_iterated: boolean;
  /** It has a value, if only an empty list. */
  readonly is_present: boolean;
  /** Its elements, of which absent and failed ones have no entry. */
  readonly elements: number;
}

export interface RunExportPage {
  readonly entries: readonly RunExportEntry[];
  /** For rows of a batch: all outputs, in the order of their positions. */
  readonly groups?: readonly RunExportGroup[];
  /** Start of the next page; null after the last page. */
  readonly next: { readonly position: number; readonly ord: number } | null;
}

export interface RunExportRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly from: { readonly position: number; readonly ord: number };
  /** For rows of a batch: the address of the service, for those of files. */
  readonly base_url?: string;
}

export interface RunContentsRequest {
  readonly v: 1;
  readonly workspace_id: string;
  /** At most 100. */
  readonly elements: readonly RunElement[];
}

/** RPC interface of the run object for exports. */
export interface RunExportApi {
  /**
   * Present outputs in the order of keys and indices; the same at every call. Returns
   * `invalid_status` before the run has ended.
   */
  exportEntries(request: RunExportRequest): Promise<Result<RunExportPage>>;
  /**
   * The content of files without a key: texts and small files in rows, positions in packs. Null if
   * there is none.
   */
  exportContents(request: RunContentsRequest): Promise<Result<readonly (HeldContent | null)[]>>;
}

/** Bytes of an output, or the R2 object that contains them from an offset. */
export type HeldContent = string | Uint8Array | { readonly key: string; readonly offset: number };

/** One file of an archive. */
export interface ZipEntry extends RunElement {
  readonly seq: number;
  readonly name: string;
  readonly size_bytes: number;
  readonly key: string | null;
}

/** A file of an archive that is stored in R2. */
export interface StoredFile {
  readonly key: string;
  readonly size_bytes: number;
  /** Offset of the file, in an object that contains several. */
  readonly offset?: number;
}

/** An archive to build, under a lease. */
export interface ZipClaim {
  readonly fence: number;
  readonly run_id: string;
  readonly workspace_id: string;
  /** Date of every file, so that a second build creates the same bytes. */
  readonly modified_ms: number;
  readonly zip_id: number;
  readonly key: string;
  readonly size_bytes: number;
  /** The multipart upload in progress, with its stored parts. */
  readonly upload_id: string | null;
  readonly parts: readonly { readonly number: number; readonly etag: string }[];
}

export type ZipProgress =
  | { readonly kind: "alive" }
  | { readonly kind: "begun"; readonly upload_id: string }
  | {
      readonly kind: "part";
      readonly number: number;
      readonly etag: string;
      readonly sent_bytes: number;
    }
  | { readonly kind: "completed" }
  /** Not retryable: a file to be exported is missing, which the export reports to the caller. */
  | { readonly kind: "failed"; readonly message: string; readonly is_retryable: boolean };

export interface ZipRequest {
  readonly v: 1;
  readonly run_id: string;
  readonly workspace_id: string;
  readonly workflow_name: string;
  readonly run_completed_at_ms: number;
}

/** RPC interface for the runner. */
export interface ZipBuildApi {
  /** The next archive; null if there is none to build or another builder has the lease. */
  claim(request: { v: 1 }): Promise<ZipClaim | null>;
  /** Up to `limit` files of an archive, after the given one. */
  entries(request: {
    v: 1;
    zip_id: number;
    after_seq: number;
    limit: number;
  }): Promise<readonly ZipEntry[]>;
  /** Returns false if the lease has ended: the builder stops. */
  report(request: { v: 1; fence: number; progress: ZipProgress }): Promise<boolean>;
}

/** RPC interface of the object for the builder of a run's archives. */
export interface ZipBuilderApi {
  wake(request: { v: 1; run_id: string }): Promise<void>;
  readFiles(request: { v: 1; files: readonly StoredFile[] }): Promise<ReadableStream<Uint8Array>>;
}

/** The complete RPC interface of the object that owns a run's export, named by the run's id. */
export interface ZipExportObjectApi extends ZipBuildApi {
  /** Begins an export, or restarts a failed one; `existed` if it was complete already. */
  request(request: ZipRequest): Promise<{ readonly existed: boolean; readonly status: ZipStatus }>;
  /** Null if it belongs to another workspace. */
  status(request: { v: 1; workspace_id: string }): Promise<ZipStatus | null>;
  /**
   * The run's outputs have expired: no archive is built or served any more. Returns false while a
   * builder may still be writing. The bytes of the archives are removed with the run's.
   */
  end(request: { v: 1; workspace_id: string }): Promise<boolean>;
  /** The R2 key of a finished archive. */
  archiveKey(request: { v: 1; workspace_id: string; zip_id: number }): Promise<string | null>;
}

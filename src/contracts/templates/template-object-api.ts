/** The object that owns a design template and its draft, as the API calls it. */
import type { Result } from "../../lib/result.ts";
import type { DesignTemplate, TemplateStatus } from "./design-template.ts";
import type { FontPin } from "./renderer.ts";

/** The state of a template without its content. Times are in milliseconds since 1970. */
export interface TemplateRecord {
  readonly id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly status: TemplateStatus;
  readonly source: DesignTemplate["source"];
  /** Number of committed changes of the draft, plus 1. */
  readonly draft_revision: number;
  /** Hex digest of the draft's canonical JSON. */
  readonly content_hash: string;
  readonly page_count: number;
  /** Time of the last change of the draft's content. */
  readonly content_changed_at_ms: number;
  readonly latest: PublishedVersion | null;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
}

/** A published revision; its files never change. */
export interface PublishedVersion {
  readonly id: string;
  readonly revision: number;
  /** Hex digests of canonical JSON. */
  readonly content_hash: string;
  readonly contract_hash: string;
  readonly page_count: number;
  /** Folder of its files in the store (`storage/r2/template-files.ts`). */
  readonly folder: string;
  /** Missing in revisions that were published before fonts were pinned. */
  readonly font_pins?: readonly FontPin[] | undefined;
  readonly published_at_ms: number;
}

/** One use of an idempotency key: method, address and key; and the digest of the request. */
export interface DraftKey {
  readonly key: string;
  readonly fingerprint: string;
}

/** What a draft write needs besides its change. The object checks it in the order of the contract. */
export interface DraftRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly idempotency: DraftKey;
  /** The `If-Match` header; null if it was not sent. */
  readonly if_match: string | null;
}

/** The response to an earlier request with the same key. */
export interface DraftReplay {
  readonly status: number;
  readonly etag: string;
  /** JSON; null for a response without a body, or with the body of the request. */
  readonly body: string | null;
}

export type OpenedDraft =
  | { readonly kind: "replay"; readonly replay: DraftReplay }
  | {
      readonly kind: "open";
      readonly record: TemplateRecord;
      /** UTF-8 JSON; null if it was not asked for, or is the one that `known_etag` names. */
      readonly content: Uint8Array | null;
    };

export interface DraftCommit extends DraftRequest {
  /** The draft's revision that the change was made to. */
  readonly base_revision: number;
  /** Null if the change leaves the content as it is. */
  readonly change: {
    readonly content: Uint8Array;
    readonly content_hash: string;
    readonly page_count: number;
  } | null;
  readonly status: number;
  /** Becomes the body of the response, with `draft_etag` as its first member; null for none. */
  readonly body: string | null;
  /** Hex SHA-256 of the request's body, where the response to a repeat is exactly these bytes. */
  readonly body_sha256?: string | undefined;
}

export type CommittedDraft =
  | { readonly kind: "replay"; readonly replay: DraftReplay }
  /** Another write came first, and `If-Match` allows this one: it is to be made again. */
  | { readonly kind: "moved" }
  | { readonly kind: "committed"; readonly record: TemplateRecord; readonly replay: DraftReplay };

export interface PublishCommit extends DraftRequest {
  readonly base_revision: number;
  /** True if the folder of the version was announced before its files were written. */
  readonly is_announced?: boolean | undefined;
  readonly version: Omit<PublishedVersion, "revision">;
}

export type PublishedDraft =
  /** The body is the version. */
  | { readonly kind: "replay"; readonly replay: DraftReplay }
  | { readonly kind: "moved" }
  /** `is_new` is false if the content is that of the latest revision: the files are not needed. */
  | {
      readonly kind: "published";
      readonly is_new: boolean;
      readonly version: PublishedVersion;
      readonly record: TemplateRecord;
    };

export type TemplateChange =
  | {
      readonly type: "patch";
      readonly name?: string | undefined;
      readonly description?: string | undefined;
      readonly tags?: readonly string[] | undefined;
    }
  | { readonly type: "archive" | "revert" | "delete" };

export interface CreateTemplateRequest {
  readonly v: 1;
  readonly id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly source: DesignTemplate["source"];
  readonly content: Uint8Array;
  readonly content_hash: string;
  readonly page_count: number;
  readonly created_at_ms: number;
}

interface OfWorkspace {
  readonly v: 1;
  readonly workspace_id: string;
}

export interface TemplateDraftApi {
  /** A template whose row does not follow within minutes is forgotten. */
  create(request: CreateTemplateRequest): Promise<TemplateRecord>;
  /** Null if there is no such template. */
  read(request: OfWorkspace): Promise<TemplateRecord | null>;
  /** The content is null if the draft is the one that `if_none_match` names. */
  readContent(
    request: OfWorkspace & { readonly if_none_match: string | null },
  ): Promise<{ readonly record: TemplateRecord; readonly content: Uint8Array | null } | null>;
  open(
    request: DraftRequest & {
      readonly wants_content: boolean;
      /** The ETag of a draft whose content the caller has. */
      readonly known_etag?: string | undefined;
    },
  ): Promise<Result<OpenedDraft>>;
  /** The response to the earlier request with this key if its body had this digest; null otherwise. */
  findReplay(
    request: OfWorkspace & { readonly key: string; readonly body_sha256: string },
  ): Promise<DraftReplay | null>;
  commit(request: DraftCommit): Promise<Result<CommittedDraft>>;
  /**
   * Names the folder of a publication before its files are written. They are deleted an hour later unless `publish` has
   * made them a revision, so a publication that is cut off leaves nothing.
   */
  announceFiles(
    request: OfWorkspace & { readonly folder: string },
  ): Promise<Result<{ readonly kind: "announced" }>>;
  publish(request: PublishCommit): Promise<Result<PublishedDraft>>;
  change(
    request: OfWorkspace & { readonly change: TemplateChange },
  ): Promise<Result<TemplateRecord>>;
}

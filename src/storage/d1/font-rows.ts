/** Rows of font families, their revisions and their files, as D1 returns and receives them. */
import * as z from "zod";

export const FamilyRow = z.object({
  id: z.string(),
  display_name: z.string(),
  family: z.string(),
  category: z.enum(["sans-serif", "serif", "monospace", "display", "handwriting"]),
  fallback_id: z.string().nullable(),
  state: z.enum(["active", "archived"]),
  version_id: z.string(),
  revision_number: z.int(),
  fingerprint: z.string(),
  file_count: z.int(),
});
/** A family with its current revision. */
export type FontFamilyRow = z.infer<typeof FamilyRow>;

export const FileRow = z.object({
  id: z.string(),
  version_id: z.string(),
  variant: z.string(),
  weight: z.int(),
  style: z.enum(["normal", "italic"]),
  format: z.enum(["ttf", "otf"]),
  post_script_name: z.string(),
  sha256: z.string(),
  size_bytes: z.int(),
  key: z.string(),
  /** Time at which the bytes were kept. */
  created_at_ms: z.int(),
});
export type FontFileRow = z.infer<typeof FileRow>;

export const Found = z.object({ id: z.string(), scope: z.enum(["system", "workspace"]) });
export const Count = z.object({ n: z.int() });

export const FAMILIES = `SELECT f.id, f.display_name, f.family, f.category, f.fallback_id, f.state, f.version_id,
  r.revision_number, r.fingerprint, r.file_count
  FROM font_families f JOIN font_revisions r ON r.id = f.version_id`;
export const FILES = `SELECT ff.id, ff.version_id, ff.variant, ff.weight, ff.style, ff.format, ff.post_script_name,
  ff.sha256, o.size_bytes, o.key, o.created_at_ms
  FROM font_files ff JOIN font_objects o
  ON o.workspace_id = ff.workspace_id AND o.sha256 = ff.sha256 AND o.state = 'ready'`;

/** Family metadata from the form of an upload. */
export interface FamilyFields {
  readonly displayName: string;
  readonly category: string;
  /** Undefined leaves the value unchanged, null removes it. */
  readonly fallbackId: string | null | undefined;
}

export interface NewRevision {
  readonly versionId: string;
  readonly fingerprint: string;
  readonly nowMs: number;
  readonly files: readonly {
    readonly id: string;
    readonly variant: string;
    readonly weight: number;
    readonly style: string;
    readonly format: string;
    readonly postScriptName: string;
    readonly sha256: string;
  }[];
  /** Key of the bytes that this upload wrote; undefined for bytes that existed before. */
  readonly keys: readonly string[];
}

/** A family without a row, in the form that lists need. */
export interface ListedSystemFamily {
  readonly id: string;
  readonly displayName: string;
  readonly family: string;
  readonly category: string;
}

export interface FontFilter {
  /** Contained in the display name or the family name, ignoring case. */
  readonly query: string | null;
  readonly category: string | null;
  readonly scope: "system" | "workspace" | null;
  /** The last family of the previous page. */
  readonly after: { readonly id: string; readonly displayName: string } | null;
  readonly limit: number;
}

export const RevisionRow = z.object({
  family_id: z.string(),
  revision_number: z.int(),
  fingerprint: z.string(),
  file_count: z.int(),
  family: z.string(),
});

import { matchesEntityTag } from "./entity-tag.ts";

interface Draft {
  readonly draft_revision: number;
  readonly content_hash: string;
}

const HASH_DIGITS = 16;

/** The ETag of a draft, without quotes: `dd-draft-r<N>-<16 hex digits>` (docs/contract/templates.md#edits). */
export function draftEtag({ draft_revision, content_hash }: Draft): string {
  return `dd-draft-r${String(draft_revision)}-${content_hash.slice(0, HASH_DIGITS)}`;
}

/** Whether an `If-Match` or `If-None-Match` header names this draft: weak comparison, lists and `*`. */
export function namesDraft(header: string, draft: Draft): boolean {
  return matchesEntityTag(header, `"${draftEtag(draft)}"`);
}

import type { TemplateStatus } from "./design-template.ts";
import type { FontPin } from "./renderer.ts";

/** A field of a referenced template, as ports and checks need it. */
export interface ReferencedField {
  readonly code: string;
  readonly type: "text" | "number" | "date" | "url" | "image" | "color" | "boolean" | "list";
  readonly required: boolean;
  /** Whether `defaultValue` is set: a required field without one must be given. */
  readonly has_default: boolean;
}

/**
 * The content of a reference of kind `template` (docs/decisions/references.md): a revision of a template, or a draft as
 * it stood when it was fetched. The reference's `revision` is `3` for that revision, `3+` for the highest one that is
 * compatible with it while the template is published (`latest_compatible`), `current` for the latest one while the
 * template is published, null for the draft. Others ask only whether the template can be named, and have the content
 * `{template_id}`: `any` of one that exists; `pinned:3` and `published:3` of one that is published or whose revision 3
 * the workflow has pinned while it was, `pinned:3` also of one that does not have the revision.
 */
export interface ReferencedTemplate {
  readonly template_id: string;
  readonly name: string;
  readonly status: TemplateStatus;
  /** Null for a draft, as the next. */
  readonly revision: number | null;
  readonly version_id: string | null;
  /** `sha256:` and hex digits. */
  readonly content_hash: string;
  readonly contract_hash: string;
  /** The revision's publication, or the draft's last change. */
  readonly changed_at_ms: number;
  /** Key of the document in the store of files; it never changes. */
  readonly document_key: string;
  /** What a render sends with it: of a draft, the workspace's families that it names, as they stood when it was fetched. */
  readonly font_pins: readonly FontPin[];
  /** Of a draft that a published workflow prints: those that were connected at its publication. */
  readonly fields: readonly ReferencedField[];
  /** Codes of such fields that the draft does not have any more. */
  readonly lost_fields?: readonly string[];
  /** Why the document cannot be printed, where it is not what the workflow has pinned. */
  readonly unavailable?: string;
}

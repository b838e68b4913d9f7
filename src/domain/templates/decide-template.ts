import type {
  DraftCommit,
  DraftRequest,
  PublishCommit,
  PublishedVersion,
  TemplateChange,
  TemplateRecord,
} from "../../contracts/templates/template-object-api.ts";
import { type Failure, fail } from "../../lib/result.ts";
import { draftEtag, namesDraft } from "../../lib/http/draft-etag.ts";

/** The state of a template after a change, or the refusal of the change. Pure. */
export type Decision =
  | { readonly kind: "refused"; readonly failure: Failure }
  | { readonly kind: "unchanged" }
  | { readonly kind: "deleted" }
  | { readonly kind: "changed"; readonly record: TemplateRecord };

/** Refusals of a draft write after the replay (docs/contract/templates.md#edits); undefined if it may go on. */
export function refuseWrite(
  record: TemplateRecord,
  ifMatch: DraftRequest["if_match"],
): Failure | undefined {
  if (record.status === "archived") {
    return archived(record);
  }
  if (ifMatch === null || ifMatch.trim() === "") {
    return fail(
      "precondition_required",
      "Send If-Match with the ETag of the draft, so that no change by others is lost; * overwrites the current draft.",
    );
  }
  if (!namesDraft(ifMatch, record)) {
    const current = `"${draftEtag(record)}"`;
    return fail(
      "precondition_failed",
      `The draft has changed: If-Match is ${ifMatch.slice(0, 80)}, the current ETag is ${current}. Read it again, apply your change to it, and send that ETag.`,
      { headers: { etag: current } },
    );
  }
  return undefined;
}

export function archived({ id }: TemplateRecord): Failure {
  return fail(
    "archived",
    `The design template ${id} is archived and cannot be changed. POST /api/v1/design-templates/${id}/duplicate makes a draft of it.`,
  );
}

/** The record after a committed draft write; the same one if the content is the same. */
export function commitContent(
  record: TemplateRecord,
  change: DraftCommit["change"],
  nowMs: number,
): TemplateRecord {
  if (change === null || change.content_hash === record.content_hash) {
    return record;
  }
  return {
    ...record,
    draft_revision: record.draft_revision + 1,
    content_hash: change.content_hash,
    page_count: change.page_count,
    content_changed_at_ms: nowMs,
    updated_at_ms: nowMs,
  };
}

/** The published revision, and whether it is new; equal content publishes the latest one again. */
export function publishVersion(
  record: TemplateRecord,
  version: PublishCommit["version"],
  nowMs: number,
): {
  readonly record: TemplateRecord;
  readonly version: PublishedVersion;
  readonly isNew: boolean;
} {
  const { latest } = record;
  if (latest !== null && latest.content_hash === version.content_hash) {
    const isPublished = record.status === "published";
    return {
      version: latest,
      isNew: false,
      record: isPublished ? record : { ...record, status: "published", updated_at_ms: nowMs },
    };
  }
  const made = { ...version, revision: (latest?.revision ?? 0) + 1 };
  return {
    version: made,
    isNew: true,
    record: { ...record, status: "published", latest: made, updated_at_ms: nowMs },
  };
}

/** Changes of the template itself (docs/contract/templates.md#revisions). */
export function decideTemplate(
  record: TemplateRecord,
  change: TemplateChange,
  nowMs: number,
): Decision {
  switch (change.type) {
    case "patch": {
      if (record.status === "archived") {
        return { kind: "refused", failure: archived(record) };
      }
      const changed = {
        ...record,
        name: change.name ?? record.name,
        description: change.description ?? record.description,
        tags: change.tags ?? record.tags,
      };
      return JSON.stringify(changed) === JSON.stringify(record)
        ? { kind: "unchanged" }
        : { kind: "changed", record: { ...changed, updated_at_ms: nowMs } };
    }
    case "archive":
      return record.status === "archived"
        ? { kind: "unchanged" }
        : { kind: "changed", record: { ...record, status: "archived", updated_at_ms: nowMs } };
    case "revert":
      return revert(record, nowMs);
    case "delete":
      return record.latest === null
        ? { kind: "deleted" }
        : {
            kind: "refused",
            failure: fail(
              "invalid_state",
              `The design template ${record.id} has been published, and workflows may use its revisions. POST /api/v1/design-templates/${record.id}/archive hides it instead.`,
            ),
          };
  }
}

function revert(record: TemplateRecord, nowMs: number): Decision {
  if (record.status === "archived") {
    return { kind: "refused", failure: archived(record) };
  }
  if (record.status === "draft") {
    return {
      kind: "refused",
      failure: fail(
        "invalid_state",
        `The design template ${record.id} is a draft already. Only a published template can be reverted.`,
      ),
    };
  }
  return { kind: "changed", record: { ...record, status: "draft", updated_at_ms: nowMs } };
}

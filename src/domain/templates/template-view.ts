import type { DesignTemplate, TemplateVersion } from "../../contracts/templates/design-template.ts";
import type { TemplateRecord } from "../../contracts/templates/template-object-api.ts";
import { draftEtag } from "../../lib/http/draft-etag.ts";
import type { TemplateRow, TemplateVersionRow } from "../../storage/d1/template-rows.ts";

/** A template as responses show it, from its object's record. */
export function templateOfRecord(record: TemplateRecord): DesignTemplate {
  return {
    id: record.id,
    name: record.name,
    description: record.description,
    tags: [...record.tags],
    status: record.status,
    latest_revision: record.latest?.revision ?? 0,
    latest_version_id: record.latest?.id ?? null,
    page_count: record.page_count,
    draft_etag: draftEtag(record),
    has_unpublished_changes: record.latest?.content_hash !== record.content_hash,
    source: record.source,
    created_at: new Date(record.created_at_ms).toISOString(),
    updated_at: new Date(record.updated_at_ms).toISOString(),
  };
}

/** The same from its row. */
export function templateOfRow(row: TemplateRow): DesignTemplate {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    tags: row.tags,
    status: row.status,
    latest_revision: row.latest_revision,
    latest_version_id: row.latest_version_id,
    page_count: row.page_count,
    draft_etag: row.draft_etag,
    has_unpublished_changes: row.has_unpublished_changes !== 0,
    source: row.source,
    created_at: new Date(row.created_at_ms).toISOString(),
    updated_at: new Date(row.updated_at_ms).toISOString(),
  };
}

export function versionView(
  templateId: string,
  latestRevision: number,
  version: Omit<TemplateVersionRow, "template_id" | "folder" | "font_pins">,
): TemplateVersion {
  return {
    id: version.id,
    template_id: templateId,
    revision: version.revision,
    is_current: version.revision === latestRevision,
    content_hash: `sha256:${version.content_hash}`,
    contract_hash: `sha256:${version.contract_hash}`,
    page_count: version.page_count,
    published_at: new Date(version.published_at_ms).toISOString(),
  };
}

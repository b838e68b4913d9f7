import type { RenderedTemplate } from "../../contracts/templates/renderer.ts";
import type { TemplateRecord } from "../../contracts/templates/template-object-api.ts";
import type { TemplateVersionRow } from "../../storage/d1/template-rows.ts";
import { templateFileKey } from "../../storage/r2/template-files.ts";

/** A draft as the renderer gets it. */
export function renderedDraft(record: TemplateRecord, content: Uint8Array): RenderedTemplate {
  return {
    template_id: record.id,
    revision: null,
    version_id: null,
    content_hash: `sha256:${record.content_hash}`,
    changed_at_ms: record.content_changed_at_ms,
    font_pins: [],
    document: { text: new TextDecoder().decode(content) },
  };
}

/** A revision as the renderer gets it. */
export function renderedVersion(version: TemplateVersionRow): RenderedTemplate {
  return {
    template_id: version.template_id,
    revision: version.revision,
    version_id: version.id,
    content_hash: `sha256:${version.content_hash}`,
    changed_at_ms: version.published_at_ms,
    font_pins: version.font_pins,
    document: { key: templateFileKey(version.folder, "document") },
  };
}

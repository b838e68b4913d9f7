import type { RenderOptions, RenderRequest } from "../../../src/contracts/templates/renderer.ts";
import { canonicalJson } from "../../../src/lib/json/canonical-json.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { sha256Hex } from "../../../src/lib/sha256.ts";

export const WORKSPACE_ID = "ws_00000000000000000000000000000001";

export interface RequestChange {
  readonly options?: Partial<RenderOptions>;
  readonly images?: RenderRequest["images"];
  readonly unknownValues?: RenderRequest["unknown_values"];
}

/** The renderer's request for a revision of a template. Equal arguments give equal PDFs, in Node and in workerd. */
export async function templateRequest(
  document: JsonValue,
  values: JsonValue,
  { options, images = "none", unknownValues = "refuse" }: RequestChange = {},
): Promise<RenderRequest> {
  return {
    v: 1,
    workspace_id: WORKSPACE_ID,
    template: {
      template_id: "tpl_00000000000000000000000000000001",
      revision: 1,
      version_id: "tplv_00000000000000000000000000000001",
      content_hash: `sha256:${await sha256Hex(canonicalJson(document))}`,
      changed_at_ms: 0,
      font_pins: [],
      document: { text: JSON.stringify(document) },
    },
    values: JSON.stringify(values),
    unknown_values: unknownValues,
    options: {
      missing_policy: "fail_required",
      overflow_policy: "template",
      max_repeat: null,
      page_selection: "all",
      pdf_export_mode: "standard",
      color_profile_guid: null,
      max_page_dimension: 400,
      ...options,
    },
    has_pdf: true,
    images,
    may_queue: true,
  };
}

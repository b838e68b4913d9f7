/** A tenant for tests of stores: rows of every table, without the service. */
export const ORG = "org_isolated";
export const WS = "ws_isolated";
export const NOW = 1_000;
const times = { created_at_ms: NOW, updated_at_ms: NOW };
const named = { name: "N", name_folded: "n", description: "", tags: "[]" };

/** One row of each table that has rows of tenants, in an order in which they can be inserted. */
export const ROWS: readonly (readonly [table: string, row: Readonly<Record<string, unknown>>])[] = [
  ["organizations", { id: ORG, name: "O", plan_code: "dev", created_at_ms: NOW }],
  ["workspaces", { id: WS, organization_id: ORG, name: "W", plan_code: "dev", created_at_ms: NOW }],
  [
    "api_keys",
    {
      id: "key_1",
      organization_id: ORG,
      workspace_id: WS,
      name: "K",
      secret_sha256: "00",
      scopes: "[]",
      permissions: "[]",
      is_agent: 0,
      created_at_ms: NOW,
    },
  ],
  [
    "workflows",
    {
      id: "wf_1",
      workspace_id: WS,
      ...named,
      ...times,
      status: "draft",
      definition_key: "long",
      content_hash: "h",
    },
  ],
  [
    "workflow_versions",
    {
      workflow_id: "wf_1",
      version: 1,
      workspace_id: WS,
      definition: "{}",
      content_hash: "h",
      created_at_ms: NOW,
    },
  ],
  ["workflow_folders", { id: "fld_1", workspace_id: WS, name: "F", created_at_ms: NOW }],
  [
    "assets",
    {
      path: "a/1",
      workspace_id: WS,
      key: "k1",
      name: "N",
      name_folded: "n",
      content_type: "text/plain",
      kind: "document",
      size_bytes: 1,
      etag: "e",
      state: "ready",
      created_at_ms: NOW,
    },
  ],
  ["upload_sessions", { id: "up_1", workspace_id: WS, size_bytes: 1, created_at_ms: NOW }],
  [
    "webhook_endpoints",
    { id: "we_1", workspace_id: WS, view: "{}", revision: 1, id_end: "end", created_at_ms: NOW },
  ],
  [
    "font_families",
    {
      id: "ff_1",
      workspace_id: WS,
      display_name: "D",
      name_folded: "d",
      family: "D",
      family_folded: "d",
      category: "sans-serif",
      state: "active",
      version_id: "fv_1",
      created_at_ms: NOW,
    },
  ],
  [
    "font_revisions",
    {
      id: "fv_1",
      workspace_id: WS,
      family_id: "ff_1",
      revision_number: 1,
      fingerprint: "f",
      file_count: 1,
      created_at_ms: NOW,
    },
  ],
  [
    "font_objects",
    {
      key: "fo_1",
      workspace_id: WS,
      sha256: "aa",
      size_bytes: 1,
      state: "ready",
      created_at_ms: NOW,
    },
  ],
  [
    "font_files",
    {
      id: "fi_1",
      workspace_id: WS,
      version_id: "fv_1",
      variant: "400",
      weight: 400,
      style: "normal",
      format: "ttf",
      post_script_name: "D",
      sha256: "aa",
    },
  ],
  [
    "idempotency_keys",
    {
      scope: WS,
      route: "r",
      key: "k",
      fingerprint: "f",
      claim: "c",
      boot_id: "b",
      lease_expires_at_ms: 0,
      resource_id: "x",
      status: 201,
      expires_at_ms: 9e12,
    },
  ],
  [
    "idempotency_keys",
    {
      scope: `${WS} et_1`,
      route: "r",
      key: "k",
      fingerprint: "f",
      claim: "c",
      boot_id: "b",
      lease_expires_at_ms: 0,
      resource_id: "x",
      status: 201,
      expires_at_ms: 9e12,
    },
  ],
  [
    "design_templates",
    {
      id: "tpl_1",
      workspace_id: WS,
      ...named,
      ...times,
      status: "published",
      latest_revision: 1,
      page_count: 1,
      draft_etag: "e",
      has_unpublished_changes: 0,
      source: "null",
      object_revision: 1,
    },
  ],
  [
    "design_template_share_links",
    {
      id: "sl_1",
      template_id: "tpl_1",
      workspace_id: WS,
      revision: 1,
      token_hash: "t",
      require_sign_in: 0,
      created_at_ms: NOW,
    },
  ],
  [
    "design_template_previews",
    { folder: "p/1", workspace_id: WS, page_count: 1, expires_at_ms: 9e12 },
  ],
  [
    "color_profiles",
    {
      guid: "g1",
      workspace_id: WS,
      name: "N",
      output_condition_identifier: "I",
      color_space: "RGB",
      sha256: "aa",
      size_bytes: 1,
      storage_key: "s",
      created_at_ms: NOW,
    },
  ],
  ["providers", { workspace_id: WS, id: "own", kind: "openai", settings: "{}", ...times }],
  ["model_defaults", { workspace_id: WS, capability: "text", model: "m", updated_at_ms: NOW }],
  [
    "embed_assets",
    {
      path: "a/1",
      workspace_id: WS,
      token: "et",
      key_id: "key_1",
      workflow_id: "wf_1",
      created_at_ms: NOW,
    },
  ],
  [
    "schedules",
    { id: "sch_1", workspace_id: WS, workflow: "wf_1", status: "active", created_at_ms: NOW },
  ],
];

type Value = string | number | null;

export async function insertRow(
  db: Pick<D1Database, "prepare">,
  table: string,
  row: Readonly<Record<string, unknown>>,
): Promise<void> {
  const columns = Object.keys(row);
  await db
    .prepare(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    )
    .bind(...(Object.values(row) as Value[]))
    .run();
}

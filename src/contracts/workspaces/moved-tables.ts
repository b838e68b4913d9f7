/** The tables whose rows move with an organization (docs/decisions/moves.md). */

export interface MovedTable {
  readonly name: string;
  /** The columns that name a row on every shard. */
  readonly key: readonly string[];
  /** Whether lists run over a `seq`. On another shard it has other values, in the same order. */
  readonly hasSeq?: true;
  /** The column with the organization, where there is one; `workspace_id` names its workspace otherwise. */
  readonly organization?: string;
  /** The column with the workspace, if it has another name. */
  readonly workspace?: string;
  /** In that column, a space and more may follow the workspace's id. */
  readonly hasMore?: true;
  /** Rows of one read. Fewer where a row may be long. */
  readonly page?: number;
  /** Rows refer to a row of an earlier table that may be new: what was logged is left to the replay. */
  readonly refers?: true;
}

/** In an order in which rows can be inserted: those that others refer to come first. */
export const MOVED_TABLES: readonly MovedTable[] = [
  { name: "organizations", key: ["id"], organization: "id" },
  { name: "workspaces", key: ["id"], organization: "organization_id" },
  { name: "api_keys", key: ["id"], organization: "organization_id", refers: true },
  { name: "workflow_folders", key: ["id"] },
  { name: "workflows", key: ["id"], hasSeq: true, page: 20 },
  { name: "workflow_versions", key: ["workflow_id", "version"], page: 20 },
  { name: "assets", key: ["path"], hasSeq: true },
  { name: "upload_sessions", key: ["id"] },
  { name: "upload_keys", key: ["workspace_id", "key"] },
  { name: "webhook_endpoints", key: ["id"], hasSeq: true, page: 100 },
  { name: "font_families", key: ["id"] },
  { name: "font_revisions", key: ["id"] },
  { name: "font_objects", key: ["key"] },
  { name: "font_files", key: ["id"] },
  { name: "idempotency_keys", key: ["scope", "route", "key"], workspace: "scope", hasMore: true },
  { name: "design_templates", key: ["id"], hasSeq: true },
  { name: "design_template_versions", key: ["template_id", "revision"] },
  { name: "design_template_share_links", key: ["id"], hasSeq: true },
  { name: "design_template_previews", key: ["folder"] },
  { name: "color_profiles", key: ["guid"], hasSeq: true },
  { name: "providers", key: ["workspace_id", "id"], page: 50 },
  { name: "provider_models", key: ["workspace_id", "model"] },
  { name: "model_defaults", key: ["workspace_id", "capability"] },
  { name: "embed_assets", key: ["path"] },
  { name: "schedules", key: ["id"], hasSeq: true },
  { name: "storage_usage", key: ["workspace_id"] },
];

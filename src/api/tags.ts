/** The resources that group the routes in the reference, in order. */
export const TAGS = {
  Authentication: "Access tokens from client credentials.",
  Executions: "Runs of workflows: submit, poll, read results.",
  Schedules: "Runs at the times of a cron expression or an interval.",
  "Batch executions": "Runs of a workflow for up to 10,000 items, counted and cancelled together.",
  Workflows: "Definitions, versions and interfaces, from draft to archive.",
  "Workflow folders": "Folders for workflows.",
  Plan: "The workspace's limits and their usage.",
  Catalog: "Node types, models, presets, effects, and the schemas of values.",
  Assets: "Uploaded and imported files, the inputs of runs.",
  Fonts: "System font families, and the workspace's families with their revisions.",
  "Design templates": "Design templates: drafts, published revisions, renders.",
  "Color profiles": "ICC profiles of presses, for PDF/X-4.",
  Storage: "Storage usage and quota.",
  Files: "The bytes of outputs and assets.",
  Webhooks: "Signed events to your receivers: endpoints, deliveries, activity.",
  Embeds: "Tokens for the widget and the editor in pages of yours, and the calls of the widget.",
  Operator: "Organizations, workspaces, keys and plans; for the deployment's operator.",
  Discovery: "Documents about the API itself.",
} as const;

export type Tag = keyof typeof TAGS;

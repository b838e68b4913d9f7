/** The resources by which the reference groups its routes, in its order. */
export const TAGS = {
  Authentication: "Access tokens from client credentials.",
  Executions: "Runs of workflows: submit, poll, read results.",
  Workflows: "Definitions, versions, interfaces and their life.",
  "Workflow folders": "Where workflows are kept.",
  Plan: "What the workspace may do, and how much of it is used.",
  Catalog: "Node types and the schemas of their values.",
  Assets: "Uploaded and imported files, the inputs of runs.",
  Fonts: "Font families: those of the system, and the workspace's own with their revisions.",
  Storage: "How much is stored, and how much may be.",
  Files: "The bytes of outputs and assets.",
  Webhooks: "Signed events to receivers of your own: endpoints, deliveries, activity.",
  Operator: "Organisations, workspaces, keys and plans; for the deployment's operator.",
  Discovery: "Documents about the API itself.",
} as const;

export type Tag = keyof typeof TAGS;

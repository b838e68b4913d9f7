/** Commands of the operator API; they require the deployment's ADMIN_TOKEN. */
import type { Command, Route } from "./command.ts";

export const OPERATOR_COMMANDS: readonly Command[] = [
  {
    words: "orgs create",
    about: "Create an organization",
    route: operator("createOrganization", "POST", "organizations", {
      name: ["name", "text"],
      plan: ["plan", "text"],
      shard: ["shard", "number"],
    }),
  },
  {
    words: "shards list",
    about: "List the databases of the deployment",
    columns: ["shard", "binding", "organizations", "size_bytes", "is_open"],
    route: operator("listShards", "GET", "shards"),
  },
  {
    words: "shards close",
    args: "SHARD",
    about: "Give a shard no new organizations",
    route: { ...operator("patchShard", "PATCH", "shards/{shard}"), body: { is_open: false } },
  },
  {
    words: "shards open",
    args: "SHARD",
    about: "Let new organizations come to a shard",
    route: { ...operator("patchShard", "PATCH", "shards/{shard}"), body: { is_open: true } },
  },
  {
    words: "workspaces create",
    about: "Create a workspace",
    route: operator("createWorkspace", "POST", "workspaces", {
      org: ["organization_id", "text"],
      name: ["name", "text"],
    }),
  },
  {
    words: "workspaces plan",
    args: "ID",
    about: "Put a workspace on a plan",
    route: operator("putWorkspacePlan", "PUT", "workspaces/{id}/plan", { plan: ["plan", "text"] }),
  },
  {
    words: "workspaces ledger",
    args: "ID",
    about: "List the ledger of a workspace",
    columns: ["created_at", "kind", "milli_credits", "balance_after", "run", "node_id"],
    route: {
      operation: "listLedger",
      method: "GET",
      path: "/admin/v1/workspaces/{id}/ledger",
      query: ["limit", "starting_after"],
      isOperator: true,
    },
  },
  {
    words: "keys create",
    about: "Create an API key; its secret is shown once",
    route: operator("createApiKey", "POST", "api-keys", {
      workspace: ["workspace_id", "text"],
      name: ["name", "text"],
      scopes: ["scopes", "list"],
      permissions: ["permissions", "list"],
      expires: ["expires_at", "text"],
      agent: ["is_agent", "boolean"],
    }),
  },
  {
    words: "keys revoke",
    args: "ID",
    about: "Revoke an API key",
    route: operator("revokeApiKey", "DELETE", "api-keys/{id}"),
  },
  {
    words: "plans put",
    args: "CODE FILE",
    about: "Create a plan, or replace its limits, from a JSON file",
    route: {
      ...operator("putPlan", "PUT", "plans/{code}", { name: ["name", "text"] }),
      file: { field: "limits" },
    },
  },
  {
    words: "credits grant",
    about: "Grant credits to a workspace; a repeat with the same --key grants nothing",
    route: operator("createCreditGrant", "POST", "credit-grants", {
      workspace: ["workspace_id", "text"],
      milli: ["milli_credits", "number"],
      key: ["idempotency_key", "text"],
    }),
  },
];

function operator(
  operation: string,
  method: Route["method"],
  path: string,
  fields?: Route["fields"],
): Route {
  return {
    operation,
    method,
    path: `/admin/v1/${path}`,
    isOperator: true,
    ...(fields !== undefined && { fields }),
  };
}

/** Every command of the CLI, by resource and verb. A test compares them with the service's routes. */
import { ASSET_COMMANDS } from "./asset-commands.ts";
import { BATCH_COMMANDS } from "./batch-commands.ts";
import type { Command } from "./command.ts";
import { EMBED_COMMANDS } from "./embed-commands.ts";
import { MOVE_COMMANDS } from "./move-commands.ts";
import { OPERATOR_COMMANDS } from "./operator-commands.ts";
import { PROVIDER_COMMANDS } from "./provider-commands.ts";
import { get, open, PAGE_QUERY } from "./route-commands.ts";
import { RUN_COMMANDS, WORKFLOW_COMMANDS } from "./run-and-workflow-commands.ts";
import { SHARE_COMMANDS } from "./share-commands.ts";
import { SCHEDULE_COMMANDS } from "./schedule-commands.ts";
import { TEMPLATE_COMMANDS } from "./template-commands.ts";
import { TEMPLATE_DRAFT_COMMANDS } from "./template-draft-commands.ts";
import { WEBHOOK_COMMANDS } from "./webhook-commands.ts";

const CATALOG_COMMANDS: readonly Command[] = [
  {
    words: "token",
    about: "Print an access token",
    operations: ["createToken"],
    run: (session) => session.token(),
  },
  get("plan", "", "Show the plan, its limits and the current usage", "getPlan", "/api/v1/plan"),
  get(
    "storage usage",
    "",
    "Show the storage usage, by category",
    "getStorageUsage",
    "/api/v1/storage/usage",
  ),
  get("storage quota", "", "Show the storage quota", "getStorageQuota", "/api/v1/storage/quota"),
  get("cache get", "", "Show the figures of the result cache", "getCache", "/api/v1/cache"),
  {
    words: "cache clear",
    about: "Delete the results that are kept for other runs, or those that match the flags",
    route: {
      operation: "clearCache",
      method: "DELETE",
      path: "/api/v1/cache",
      query: ["node_type", "workflow", "execution"],
    },
  },
  {
    words: "nodes list",
    about: "List node types",
    columns: ["type", "version", "status", "description"],
    route: {
      operation: "listNodeTypes",
      method: "GET",
      path: "/api/v1/node-types",
      query: ["category", "search", ...PAGE_QUERY],
    },
  },
  get(
    "nodes get",
    "CATEGORY NAME",
    "Show a node type",
    "getNodeType",
    "/api/v1/node-types/{category}/{name}",
  ),
  get(
    "nodes models",
    "CATEGORY NAME",
    "Show the models that a node type can use",
    "getNodeTypeModels",
    "/api/v1/node-types/{category}/{name}/models",
  ),
  {
    words: "models list",
    about: "List the models that the workspace can use",
    columns: ["model", "provider", "credit_cost_milli_credits", "cost_unit", "capabilities"],
    route: {
      operation: "listModels",
      method: "GET",
      path: "/api/v1/models",
      query: ["capability", ...PAGE_QUERY],
    },
  },
  get(
    "models parameters",
    "MODEL",
    "Show the parameters of a model",
    "getModelParameters",
    "/api/v1/models/{model}/params-schema",
  ),
  {
    words: "models voices",
    args: "MODEL",
    about: "List the voices of a model",
    columns: ["voice", "name", "language"],
    route: {
      operation: "listModelVoices",
      method: "GET",
      path: "/api/v1/models/{model}/voices",
      query: PAGE_QUERY,
    },
  },
  {
    words: "models capabilities",
    about: "List the capabilities of models",
    columns: ["capability", "category", "description"],
    route: {
      operation: "listCapabilities",
      method: "GET",
      path: "/api/v1/capabilities",
      query: PAGE_QUERY,
    },
  },
  {
    words: "presets list",
    about: "List presets",
    columns: ["category", "code", "description"],
    route: {
      operation: "listPresets",
      method: "GET",
      path: "/api/v1/presets",
      query: ["category", ...PAGE_QUERY],
    },
  },
  {
    words: "effects list",
    about: "List effects",
    columns: ["category", "code", "description"],
    route: {
      operation: "listEffects",
      method: "GET",
      path: "/api/v1/effects",
      query: ["category", ...PAGE_QUERY],
    },
  },
  get(
    "schemas get",
    "REF",
    "Print the JSON Schema of a structured contract",
    "getJsonSchema",
    "/api/v1/json-schemas/{ref+}",
  ),
  open(
    "openapi",
    "",
    "Print the OpenAPI document",
    "getOpenApiDocument",
    "/swagger/public-v1/swagger.json",
  ),
  open(
    "discovery catalog",
    "",
    "Print the API catalog",
    "getApiCatalog",
    "/.well-known/api-catalog",
  ),
  open(
    "discovery skills",
    "",
    "List the skills for agents",
    "getAgentSkills",
    "/.well-known/agent-skills/index.json",
  ),
  open(
    "discovery skill",
    "NAME",
    "Print a skill for agents",
    "getAgentSkill",
    "/.well-known/agent-skills/{name}/SKILL.md",
  ),
  open("health", "", "Check that the service responds", "getHealth", "/health"),
];

export const COMMANDS: readonly Command[] = [
  ...RUN_COMMANDS,
  ...SCHEDULE_COMMANDS,
  ...BATCH_COMMANDS,
  ...WORKFLOW_COMMANDS,
  ...ASSET_COMMANDS,
  ...TEMPLATE_COMMANDS,
  ...TEMPLATE_DRAFT_COMMANDS,
  ...SHARE_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...EMBED_COMMANDS,
  ...CATALOG_COMMANDS,
  ...OPERATOR_COMMANDS,
  ...MOVE_COMMANDS,
  ...PROVIDER_COMMANDS,
];

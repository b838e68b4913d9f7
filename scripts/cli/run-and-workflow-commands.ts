import type * as z from "zod";
import type {
  CloneWorkflowBody,
  CreateWorkflowBody,
  PatchWorkflowBody,
} from "../../src/contracts/workflows/workflow.ts";
import { type Command, fieldsOf } from "./command.ts";
import { get, getPast, PAGE_QUERY, post } from "./route-commands.ts";
import {
  estimateRun,
  exportZip,
  INPUT_FLAGS,
  retryRun,
  streamEvents,
  submitRun,
  watchRun,
} from "./run-commands.ts";
import { validateFile } from "./validate-file.ts";

const SUBMIT_FLAGS = { ...INPUT_FLAGS, reference: { type: "string", value: "TEXT" } } as const;

export const RUN_COMMANDS: readonly Command[] = [
  {
    words: "runs submit",
    args: "WORKFLOW",
    about: "Submit a run; --watch follows it until it ends",
    operations: ["submitExecution"],
    flags: { ...SUBMIT_FLAGS, "idempotency-key": { type: "string" }, watch: { type: "boolean" } },
    run: submitRun,
  },
  {
    words: "runs list",
    about: "List runs, newest first",
    columns: ["id", "workflow_name", "status", "progress", "credits_used", "created_at"],
    route: {
      operation: "listExecutions",
      method: "GET",
      path: "/api/v1/executions",
      query: [
        ...PAGE_QUERY,
        "status",
        "workflow",
        "created_after",
        "created_before",
        "end_user_id",
        "embed",
        "batch",
        "schedule",
        "retry_of",
        "client_reference",
      ],
    },
  },
  getPast(
    "runs get",
    "ID",
    "Show a run, now or at one of its events",
    "getExecution",
    "/api/v1/executions/{id}",
  ),
  {
    words: "runs watch",
    args: "ID",
    about: "Follow a run until it ends; exit code 1 unless it completed",
    operations: ["getExecution"],
    run: watchRun,
  },
  getPast(
    "runs result",
    "ID",
    "Show the result of a run, now or at one of its events",
    "getExecutionResult",
    "/api/v1/executions/{id}/result",
  ),
  {
    words: "runs outputs",
    args: "ID",
    about: "List the raw outputs of an ended run",
    columns: ["logical_name", "type", "presence", "input_indices", "value", "url"],
    route: {
      operation: "getExecutionOutputs",
      method: "GET",
      path: "/api/v1/executions/{id}/outputs",
      query: PAGE_QUERY,
    },
  },
  getPast(
    "runs trace",
    "ID",
    "Show the state, times and counts of each node of a run",
    "getExecutionTrace",
    "/api/v1/executions/{id}/trace",
  ),
  {
    words: "runs diff",
    args: "A B",
    about: "Compare two ended runs: inputs, definitions, nodes and outputs",
    route: {
      operation: "compareExecutions",
      method: "GET",
      path: "/api/v1/executions/{a}/diff/{b}",
      query: [...PAGE_QUERY, "key", "change"],
    },
  },
  {
    words: "runs iterations",
    args: "ID NODE",
    about: "List the iterations of a node",
    columns: ["input_indices", "state", "attempt_count", "duration_ms", "error"],
    route: {
      operation: "listTraceIterations",
      method: "GET",
      path: "/api/v1/executions/{id}/trace/nodes/{node}/iterations",
      query: ["after", "page_size", "state"],
    },
  },
  {
    words: "runs events",
    args: "ID",
    about: "Print the events of a run as they happen; --after ID resumes",
    operations: ["streamExecutionEvents"],
    flags: { after: { type: "string", value: "ID" } },
    run: streamEvents,
  },
  post("runs cancel", "ID", "Cancel a run", "cancelExecution", "/api/v1/executions/{id}/cancel"),
  {
    words: "runs retry",
    args: "ID",
    about: "Run again what failed in an ended run, and take over the rest",
    operations: ["retryExecution"],
    flags: {
      "from-start": { type: "boolean" },
      "from-node": { type: "string", value: "NODE" },
      "from-index": { type: "string", multiple: true, value: "0,2" },
      version: { type: "string", value: "N" },
      input: SUBMIT_FLAGS.input,
      value: SUBMIT_FLAGS.value,
      asset: SUBMIT_FLAGS.asset,
      without: { type: "string", multiple: true, value: "KEY" },
      cache: SUBMIT_FLAGS.cache,
      "max-age": SUBMIT_FLAGS["max-age"],
      "max-iterations": SUBMIT_FLAGS["max-iterations"],
      "max-milli-credits": SUBMIT_FLAGS["max-milli-credits"],
      reference: SUBMIT_FLAGS.reference,
      "idempotency-key": { type: "string" },
      watch: { type: "boolean" },
    },
    run: retryRun,
  },
  {
    words: "runs zip",
    args: "ID",
    about: "Export the outputs of a run and save the archives in a folder",
    operations: ["requestExecutionZip", "getExecutionZipStatus", "downloadExecutionZip"],
    flags: { output: { type: "string", value: "FOLDER" } },
    run: exportZip,
  },
];

const WORKFLOW_FIELDS = {
  name: ["name", "text"],
  description: ["description", "text"],
  tags: ["tags", "list"],
  folder: ["folder_id", "text"],
} as const;

export const WORKFLOW_COMMANDS: readonly Command[] = [
  {
    words: "workflows list",
    about: "List workflows, newest first",
    columns: ["id", "name", "version", "status", "updated_at"],
    route: {
      operation: "listWorkflows",
      method: "GET",
      path: "/api/v1/workflows",
      query: [...PAGE_QUERY, "tag", "status", "name"],
    },
  },
  {
    ...get(
      "workflows get",
      "ID",
      "Show a workflow, its interface and the inputs to send",
      "getWorkflow",
      "/api/v1/workflows/{id}",
    ),
    route: {
      operation: "getWorkflow",
      method: "GET",
      path: "/api/v1/workflows/{id}",
      query: ["version"],
    },
  },
  {
    words: "workflows create",
    args: "FILE",
    about: "Create a workflow from a file with name and definition",
    route: {
      operation: "createWorkflow",
      method: "POST",
      path: "/api/v1/workflows",
      file: "body",
      fields: fieldsOf<z.input<typeof CreateWorkflowBody>>()(WORKFLOW_FIELDS),
    },
  },
  {
    words: "workflows update",
    args: "ID",
    about: "Change name, description, tags or folder",
    route: {
      operation: "patchWorkflow",
      method: "PATCH",
      path: "/api/v1/workflows/{id}",
      fields: fieldsOf<z.input<typeof PatchWorkflowBody>>()(WORKFLOW_FIELDS),
    },
  },
  {
    words: "workflows delete",
    args: "ID",
    about: "Delete a workflow; its runs stay readable",
    route: { operation: "deleteWorkflow", method: "DELETE", path: "/api/v1/workflows/{id}" },
  },
  {
    words: "workflows validate",
    args: "FILE [ID]",
    about: "Check a definition and list its problems; exit code 1 if it is invalid",
    operations: ["validateDefinition", "validateWorkflow"],
    run: validateFile,
  },
  get(
    "workflows definition",
    "ID",
    "Print the working definition",
    "getWorkflowDefinition",
    "/api/v1/workflows/{id}/definition",
  ),
  {
    words: "workflows define",
    args: "ID FILE",
    about: "Replace the working definition; --if-match is the ETag that was read",
    route: {
      operation: "putWorkflowDefinition",
      method: "PUT",
      path: "/api/v1/workflows/{id}/definition",
      headers: { "if-match": "if-match" },
      file: "body",
    },
  },
  {
    words: "workflows versions",
    args: "ID",
    about: "List the published versions",
    route: {
      operation: "listWorkflowVersions",
      method: "GET",
      path: "/api/v1/workflows/{id}/versions",
      query: PAGE_QUERY,
    },
  },
  {
    words: "workflows estimate",
    args: "WORKFLOW",
    about: "Estimate what a submit would cost",
    operations: ["estimateWorkflow"],
    flags: SUBMIT_FLAGS,
    run: estimateRun,
  },
  {
    words: "workflows publish",
    args: "ID",
    about: "Publish the working definition",
    route: {
      operation: "publishWorkflow",
      method: "POST",
      path: "/api/v1/workflows/{id}/publish",
      headers: { "if-match": "if-match" },
    },
  },
  {
    words: "workflows revert",
    args: "ID",
    about: "Make a workflow a draft again",
    route: {
      operation: "revertWorkflow",
      method: "POST",
      path: "/api/v1/workflows/{id}/revert",
      fields: { "to-version": ["to_version", "number"] },
    },
  },
  post(
    "workflows archive",
    "ID",
    "Archive a workflow",
    "archiveWorkflow",
    "/api/v1/workflows/{id}/archive",
  ),
  {
    words: "workflows clone",
    args: "ID",
    about: "Copy a workflow",
    route: {
      operation: "cloneWorkflow",
      method: "POST",
      path: "/api/v1/workflows/{id}/clone",
      fields: fieldsOf<z.input<typeof CloneWorkflowBody>>()({
        name: ["name", "text"],
        folder: ["folder_id", "text"],
      }),
    },
  },
  {
    words: "folders list",
    about: "List every folder",
    columns: ["id", "name", "path", "parent_id"],
    route: { operation: "listWorkflowFolders", method: "GET", path: "/api/v1/workflow-folders" },
  },
  {
    words: "folders create",
    about: "Create a folder",
    route: {
      operation: "createWorkflowFolder",
      method: "POST",
      path: "/api/v1/workflow-folders",
      fields: { name: ["name", "text"], parent: ["parent_id", "text"] },
    },
  },
  {
    words: "folders show",
    args: "ID",
    about: "Show the content of a folder; root is the top level",
    route: {
      operation: "getWorkflowFolderContent",
      method: "GET",
      path: "/api/v1/workflow-folders/{folder}/content",
      query: ["search", ...PAGE_QUERY],
    },
  },
  {
    words: "folders move",
    about: "Move workflows to a folder",
    route: {
      operation: "moveWorkflows",
      method: "POST",
      path: "/api/v1/workflow-folders/move-workflows",
      fields: { workflows: ["workflow_ids", "list"], folder: ["folder_id", "text"] },
    },
  },
];

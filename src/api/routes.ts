/** Every endpoint of the service, by resource. A test compares this list with the folders. */
import { createApiKey } from "./admin/create-api-key.ts";
import { createOrganization } from "./admin/create-organization.ts";
import { createWorkspace } from "./admin/create-workspace.ts";
import { putPlan } from "./admin/put-plan.ts";
import { putWorkspacePlan } from "./admin/put-workspace-plan.ts";
import { revokeApiKey } from "./admin/revoke-api-key.ts";
import { createToken } from "./auth/create-token.ts";
import { getJsonSchema } from "./catalog/get-json-schema.ts";
import { getNodeType } from "./catalog/get-node-type.ts";
import { listNodeTypes } from "./catalog/list-node-types.ts";
import type { Endpoint } from "./define-endpoint.ts";
import { cancelExecution } from "./executions/cancel-execution.ts";
import { getExecutionOutputs } from "./executions/get-execution-outputs.ts";
import { getExecutionResult } from "./executions/get-execution-result.ts";
import { getExecutionTrace } from "./executions/get-execution-trace.ts";
import { getExecution } from "./executions/get-execution.ts";
import { listExecutions } from "./executions/list-executions.ts";
import { listTraceIterations } from "./executions/list-trace-iterations.ts";
import { streamExecutionEvents } from "./executions/stream-execution-events.ts";
import { submitExecution } from "./executions/submit-execution.ts";
import { getFile } from "./files/get-file.ts";
import { getApiCatalog } from "./discovery/get-api-catalog.ts";
import { getOpenApiDocument } from "./docs/get-openapi-document.ts";
import { createFolder } from "./workflow-folders/create-folder.ts";
import { getFolderContent } from "./workflow-folders/get-folder-content.ts";
import { listFolders } from "./workflow-folders/list-folders.ts";
import { moveWorkflows } from "./workflow-folders/move-workflows.ts";
import { archiveWorkflow } from "./workflows/archive-workflow.ts";
import { cloneWorkflow } from "./workflows/clone-workflow.ts";
import { createWorkflow } from "./workflows/create-workflow.ts";
import { deleteWorkflow } from "./workflows/delete-workflow.ts";
import { getDefinition } from "./workflows/get-definition.ts";
import { getWorkflow } from "./workflows/get-workflow.ts";
import { listVersions } from "./workflows/list-versions.ts";
import { listWorkflows } from "./workflows/list-workflows.ts";
import { patchWorkflow } from "./workflows/patch-workflow.ts";
import { publishWorkflow } from "./workflows/publish-workflow.ts";
import { putDefinition } from "./workflows/put-definition.ts";
import { revertWorkflow } from "./workflows/revert-workflow.ts";
import { validateDefinition } from "./workflows/validate-definition.ts";
import { validateWorkflow } from "./workflows/validate-workflow.ts";

export const ENDPOINTS: readonly Endpoint[] = [
  // authentication
  createToken,
  // workflows
  listWorkflows,
  createWorkflow,
  validateDefinition,
  getWorkflow,
  patchWorkflow,
  deleteWorkflow,
  getDefinition,
  putDefinition,
  validateWorkflow,
  listVersions,
  publishWorkflow,
  revertWorkflow,
  archiveWorkflow,
  cloneWorkflow,
  // workflow folders
  listFolders,
  createFolder,
  moveWorkflows,
  getFolderContent,
  // catalog
  listNodeTypes,
  getNodeType,
  getJsonSchema,
  // operator
  createOrganization,
  createWorkspace,
  putWorkspacePlan,
  createApiKey,
  revokeApiKey,
  putPlan,
  // executions
  submitExecution,
  listExecutions,
  getExecution,
  getExecutionResult,
  getExecutionOutputs,
  getExecutionTrace,
  listTraceIterations,
  streamExecutionEvents,
  cancelExecution,
  // files
  getFile,
  // discovery
  getApiCatalog,
  getOpenApiDocument,
];

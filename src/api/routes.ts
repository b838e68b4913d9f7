/** Every endpoint of the service, by resource. A test compares this list with the folders. */
import { createApiKey } from "./admin/create-api-key.ts";
import { createOrganization } from "./admin/create-organization.ts";
import { createWorkspace } from "./admin/create-workspace.ts";
import { putPlan } from "./admin/put-plan.ts";
import { putWorkspacePlan } from "./admin/put-workspace-plan.ts";
import { revokeApiKey } from "./admin/revoke-api-key.ts";
import { createToken } from "./auth/create-token.ts";
import type { Endpoint } from "./define-endpoint.ts";
import { getOpenApiDocument } from "./docs/get-openapi-document.ts";

export const ENDPOINTS: readonly Endpoint[] = [
  // authentication
  createToken,
  // operator
  createOrganization,
  createWorkspace,
  putWorkspacePlan,
  createApiKey,
  revokeApiKey,
  putPlan,
  // discovery
  getOpenApiDocument,
];

/** Every endpoint of the service, by resource. A test compares this list with the folders. */
import { createOrganization } from "./admin/create-organization.ts";
import type { Endpoint } from "./define-endpoint.ts";

export const ENDPOINTS: readonly Endpoint[] = [
  // operator
  createOrganization,
];

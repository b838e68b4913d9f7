import { ApiClient } from "../scripts/api-client.ts";
import type { RunningService } from "../test/support/node/start-service.ts";

/** A client of a new workspace of a new organization. `limits`: figures of a plan of its own, in place of plan `dev`. */
export async function newTenant(
  service: Pick<RunningService, "baseUrl" | "credentials">,
  limits?: Readonly<Record<string, number>>,
): Promise<ApiClient> {
  const { baseUrl, credentials } = service;
  const admin = async <T>(method: string, resource: string, body: unknown): Promise<T> => {
    const response = await fetch(`${baseUrl}/admin/v1/${resource}`, {
      method,
      headers: {
        authorization: `Bearer ${credentials.admin_token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) {
      throw new Error(`${resource} answered ${response.status}: ${await response.text()}`);
    }
    return (await response.json()) as T;
  };
  const plan = limits === undefined ? "dev" : "bench";
  if (limits !== undefined) {
    await admin("PUT", `plans/${plan}`, { name: "Benchmark", limits });
  }
  const organization = await admin<{ id: string }>("POST", "organizations", {
    name: "Tenant",
    plan,
  });
  const workspace = await admin<{ id: string }>("POST", "workspaces", {
    organization_id: organization.id,
    name: "Tenant",
  });
  const key = await admin<{ client_id: string; client_secret: string }>("POST", "api-keys", {
    workspace_id: workspace.id,
    name: "Tenant",
  });
  return new ApiClient({ base_url: baseUrl, ...key });
}

import { ApiClient } from "../scripts/api-client.ts";
import type { RunningService } from "../test/support/node/start-service.ts";

/** An organization with its own workspace and key. */
export async function newTenant({ baseUrl, credentials }: RunningService): Promise<ApiClient> {
  const admin = async <T>(resource: string, body: unknown): Promise<T> => {
    const response = await fetch(`${baseUrl}/admin/v1/${resource}`, {
      method: "POST",
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
  const organization = await admin<{ id: string }>("organizations", {
    name: "Tenant",
    plan: "dev",
  });
  const workspace = await admin<{ id: string }>("workspaces", {
    organization_id: organization.id,
    name: "Tenant",
  });
  const key = await admin<{ client_id: string; client_secret: string }>("api-keys", {
    workspace_id: workspace.id,
    name: "Tenant",
  });
  return new ApiClient({ base_url: baseUrl, ...key });
}

import type { Credentials } from "../../../scripts/api-client.ts";
import type { RunningService } from "./start-service.ts";

type Known = Pick<RunningService, "baseUrl" | "credentials">;
type Key = Pick<Credentials, "org_id" | "workspace_id" | "client_id" | "client_secret">;

/** A key with every scope, in its own organization and workspace, on the plan of the local service. */
export async function newWorkspaceKey({ baseUrl, credentials }: Known): Promise<Key> {
  const admin = async (path: string, body: object) => {
    const response = await fetch(`${baseUrl}/admin/v1/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${credentials.admin_token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) {
      throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
    }
    return (await response.json()) as { id: string; client_id: string; client_secret: string };
  };
  const { id: org_id } = await admin("organizations", { name: "Test", plan: "dev" });
  const { id: workspace_id } = await admin("workspaces", {
    organization_id: org_id,
    name: "Test",
  });
  const { client_id, client_secret } = await admin("api-keys", { workspace_id, name: "Test" });
  return { org_id, workspace_id, client_id, client_secret };
}

/** A token of this key. */
export async function newWorkspaceToken(service: Known): Promise<string> {
  const key = await newWorkspaceKey(service);
  const basic = Buffer.from(`${key.client_id}:${key.client_secret}`).toString("base64");
  const response = await fetch(`${service.baseUrl}/api/v1/auth/token`, {
    method: "POST",
    headers: {
      authorization: `Basic ${basic}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: "grant_type=client_credentials",
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

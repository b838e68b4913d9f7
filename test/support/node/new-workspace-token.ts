import type { RunningService } from "./start-service.ts";

/** A token of a key with every scope, in a workspace of its own on the plan of the local boot. */
export async function newWorkspaceToken(service: RunningService): Promise<string> {
  const { admin_token: adminToken } = service.credentials;
  const admin = async (path: string, body: object) => {
    const answer = await fetch(`${service.baseUrl}/admin/v1/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) {
      throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`);
    }
    return (await answer.json()) as Record<string, string>;
  };
  const organization = await admin("organizations", { name: "Test", plan: "dev" });
  const workspace = await admin("workspaces", {
    organization_id: organization["id"],
    name: "Test",
  });
  const key = await admin("api-keys", { workspace_id: workspace["id"], name: "Test" });
  const basic = Buffer.from(`${key["client_id"]}:${key["client_secret"]}`).toString("base64");
  const answer = await fetch(`${service.baseUrl}/api/v1/auth/token`, {
    method: "POST",
    headers: {
      authorization: `Basic ${basic}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: "grant_type=client_credentials",
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

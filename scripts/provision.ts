/**
 * The content of a first start: an organization, a workspace, a key and the sample workflows, all created through the
 * service's API.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiClient, ApiError, type Credentials } from "./api-client.ts";

export const SAMPLES_DIR = fileURLToPath(new URL("../samples", import.meta.url));

/** A file of `samples/`: a body of `POST /api/v1/workflows`. */
export interface Sample {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly definition: unknown;
}

/** Returns every sample by file name. */
export async function readSamples(): Promise<readonly Sample[]> {
  const names = (await readdir(SAMPLES_DIR)).filter((name) => name.endsWith(".json")).sort();
  return Promise.all(names.map(async (name) => (await readSample(name)) as Sample));
}

/** Returns the JSON of a file by its path in `samples/`. */
export async function readSample(path: string): Promise<unknown> {
  return JSON.parse(await readFile(join(SAMPLES_DIR, path), "utf8"));
}

/** The organization and workspace that a folder already has: the first id of each. */
interface Known {
  readonly organization: string | undefined;
  readonly workspace: string | undefined;
}

/**
 * Creates an organization, workspace and key on plan `dev` (docs/contract/local-service.md#first-boot), then publishes
 * the samples. For a `known` organization it creates only a key, and samples if there is no workflow.
 */
export async function provision(
  baseUrl: string,
  adminToken: string,
  known: Known = { organization: undefined, workspace: undefined },
): Promise<Credentials> {
  const organization =
    known.organization === undefined
      ? await admin<{ id: string }>("organizations", { name: "Local", plan: "dev" })
      : { id: known.organization };
  const workspace =
    known.workspace === undefined
      ? await admin<{ id: string }>("workspaces", {
          organization_id: organization.id,
          name: "Default",
        })
      : { id: known.workspace };
  const key = await admin<{ client_id: string; client_secret: string }>("api-keys", {
    workspace_id: workspace.id,
    name: "Local development",
  });
  const credentials: Credentials = {
    base_url: baseUrl,
    app_url: baseUrl,
    org_id: organization.id,
    workspace_id: workspace.id,
    client_id: key.client_id,
    client_secret: key.client_secret,
    admin_token: adminToken,
  };
  const client = new ApiClient(credentials);
  // A new workspace has no workflow; the question would take a request of the first start.
  const isEmpty = known.workspace === undefined || (await countWorkflows(client)) === 0;
  if (isEmpty) {
    await publishInOrder(client, await readSamples());
  }
  return credentials;

  async function admin<T>(resource: string, body: unknown): Promise<T> {
    const path = `/admin/v1/${resource}`;
    const response = await fetch(new URL(path, baseUrl), {
      method: "POST",
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new ApiError("POST", path, response.status, text);
    }
    return JSON.parse(text) as T;
  }
}

async function countWorkflows(client: ApiClient): Promise<number> {
  const { total_count: count } = await client.call<{ total_count: number }>(
    "GET",
    "/api/v1/workflows?status=all&limit=1",
  );
  return count;
}

/** Creates workflows in this order, and publishes each while the next ones are created. */
async function publishInOrder(client: ApiClient, samples: readonly Sample[]): Promise<void> {
  const published: Promise<PromiseSettledResult<unknown>[]>[] = [];
  for (const sample of samples) {
    const { id } = await client.call<{ id: string }>("POST", "/api/v1/workflows", { body: sample });
    published.push(Promise.allSettled([client.call("POST", `/api/v1/workflows/${id}/publish`)]));
  }
  for (const [result] of await Promise.all(published)) {
    if (result?.status === "rejected") {
      throw result.reason;
    }
  }
}

/** Creates and publishes a workflow; returns its id. */
export async function publish(client: ApiClient, sample: unknown): Promise<string> {
  const { id } = await client.call<{ id: string }>("POST", "/api/v1/workflows", { body: sample });
  await client.call("POST", `/api/v1/workflows/${id}/publish`);
  return id;
}

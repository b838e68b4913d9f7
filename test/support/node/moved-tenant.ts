/** A tenant of a whole service that is moved between shards while it works, for the kill test and the benchmark. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ApiClient, type Credentials } from "../../../scripts/api-client.ts";
import type { OrganizationMove } from "../../../src/contracts/workspaces/organization-move.ts";
import { databasesIn } from "../../chaos/stored-files.ts";
import { waitUntil } from "../wait-until.ts";
import type { RunningService } from "./start-service.ts";

type Key = Pick<Credentials, "org_id" | "workspace_id" | "client_id" | "client_secret">;
type Known = Pick<RunningService, "baseUrl" | "credentials">;

/** Calls the operator's route of a move. Throws for another answer than its own. */
export async function callMove(
  { baseUrl, credentials }: Known,
  organization: string,
  shard?: number,
): Promise<OrganizationMove> {
  const response = await fetch(`${baseUrl}/admin/v1/organizations/${organization}/move`, {
    method: shard === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${credentials.admin_token}`,
      "content-type": "application/json",
    },
    ...(shard !== undefined && { body: JSON.stringify({ shard }) }),
  });
  if (response.status !== (shard === undefined ? 200 : 202)) {
    throw new Error(`the move answered ${String(response.status)}: ${await response.text()}`);
  }
  return (await response.json()) as OrganizationMove;
}

/** Waits for the end of a move. */
export async function movedTo(service: Known, organization: string): Promise<OrganizationMove> {
  return await waitUntil("the end of the move", async () => {
    const move = await callMove(service, organization);
    return move.completed_at !== null && move;
  });
}

/** Adds assets to the database of a stopped service in which the workspace lies, as rows without bytes. */
export async function addRows(directory: string, workspaceId: string, rows: number): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  const folder = join(directory, "d1", "miniflare-D1DatabaseObject");
  for (const file of await databasesIn(folder)) {
    const isHome = file.all(`SELECT 1 FROM workspaces WHERE id = '${workspaceId}'`).length === 1;
    file.close();
    if (!isHome) {
      continue;
    }
    const database = new DatabaseSync(file.path);
    database.exec(`
      INSERT INTO assets (path, workspace_id, key, name, name_folded, content_type, kind, size_bytes, etag, state, created_at_ms)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${String(rows)})
      SELECT 'rows/' || i, '${workspaceId}', 'rows/' || i, 'row ' || i, 'row ' || i, 'text/plain', 'document', 1, 'e', 'ready', i
      FROM n`);
    database.close();
  }
}

/** Requests of one tenant at a steady rate, every second one a write, each at its own time whatever others take. */
export class MovedTenant {
  /** Names of the folders whose creation was answered. */
  readonly created: string[] = [];
  readonly failures: string[] = [];
  readonly writesMs: number[] = [];
  readonly readsMs: number[] = [];
  readonly #client: ApiClient;
  #count = 0;
  #isStopped = true;
  #ended: Promise<void> = Promise.resolve();

  constructor(baseUrl: string, key: Key) {
    this.#client = new ApiClient({ base_url: baseUrl, ...key });
  }

  start(perSecond: number, name: string): void {
    this.#isStopped = false;
    this.#ended = this.#run(1_000 / perSecond, name);
  }

  /** Resolves when every request has been answered. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#ended;
  }

  /** Names of all folders, as the service lists them. */
  async folders(): Promise<string[]> {
    const { data } = await this.#client.call<{ data: { name: string }[] }>(
      "GET",
      "/api/v1/workflow-folders",
    );
    return data.map(({ name }) => name);
  }

  async #run(gapMs: number, name: string): Promise<void> {
    await this.#client.token();
    const open: Promise<void>[] = [];
    const beganMs = performance.now();
    for (let index = 0; !this.#isStopped; index += 1) {
      await pause(Math.max(0, beganMs + index * gapMs - performance.now()));
      this.#count += 1;
      open.push(this.#request(`${name} ${String(this.#count)}`));
    }
    await Promise.all(open);
  }

  async #request(name: string): Promise<void> {
    const isWrite = this.#count % 2 === 0;
    const beganMs = performance.now();
    try {
      await (isWrite
        ? this.#client.call("POST", "/api/v1/workflow-folders", { body: { name } })
        : this.#client.call("GET", "/api/v1/assets?limit=1"));
      (isWrite ? this.writesMs : this.readsMs).push(performance.now() - beganMs);
      if (isWrite) {
        this.created.push(name);
      }
    } catch (error) {
      this.failures.push(String(error));
    }
  }
}

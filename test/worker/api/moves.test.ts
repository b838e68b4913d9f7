/** The operator's routes of moves, through the runner's objects (docs/contract/access.md#moves). */
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { OrganizationMove } from "../../../src/contracts/workspaces/organization-move.ts";
import { forgetHomes } from "../../../src/storage/d1/databases.ts";
import { ADMIN_TOKEN, call, type Reply } from "../../support/api-caller.ts";
import { newShards, type Shards } from "../../support/shards.ts";
import { waitUntil } from "../../support/wait-until.ts";

let shards: Shards;

beforeAll(async () => {
  shards = await newShards();
});

beforeEach(() => {
  forgetHomes();
});

function operator(method: string, path: string, json?: unknown): Promise<Reply> {
  return call(method, `/admin/v1/${path}`, { token: ADMIN_TOKEN, json, env: { ...shards } });
}

async function newOrganization(shard: number): Promise<string> {
  const reply = await operator("POST", "organizations", { name: "O", shard });
  expect(reply.status).toBe(201);
  return reply.json.id as string;
}

const begin = (id: string, shard: unknown) =>
  operator("POST", `organizations/${id}/move`, { shard });
const read = (id: string) => operator("GET", `organizations/${id}/move`);

/** Organizations of each shard, as the directory counts them. */
async function counts(): Promise<number[]> {
  const { json } = await operator("GET", "shards");
  return json.data.map((row: { organizations: number }) => row.organizations);
}

async function ended(id: string): Promise<OrganizationMove> {
  return await waitUntil("the end of the move", async () => {
    const { json } = await read(id);
    return json.completed_at !== null && (json as OrganizationMove);
  });
}

describe("a move", () => {
  test("is accepted, read and ended, and the organization is counted at its new home", async () => {
    const id = await newOrganization(1);
    const workspace = await operator("POST", "workspaces", { organization_id: id, name: "W" });
    const none = await read(id);
    expect([none.status, none.json]).toEqual([
      200,
      {
        organization: id,
        from: 1,
        to: null,
        state: "none",
        rows_copied: 0,
        rows_total: 0,
        fenced_ms: null,
        started_at: null,
        completed_at: null,
        error_message: null,
      },
    ]);
    const before = await counts();
    const begun = await begin(id, 2);
    expect([begun.status, begun.json]).toMatchObject([
      202,
      { organization: id, from: 1, to: 2, state: "copying", completed_at: null },
    ]);
    const move = await ended(id);
    expect(move).toMatchObject({ state: "moved", from: 1, to: 2, rows_copied: 2, rows_total: 2 });
    expect(move.fenced_ms).toBeGreaterThanOrEqual(0);
    expect(await counts()).toEqual([before[0], (before[1] ?? 0) - 1, (before[2] ?? 0) + 1]);
    // This isolate still believes in the former home.
    const plan = await operator("PUT", `workspaces/${workspace.json.id as string}/plan`, {
      plan: "dev",
    });
    expect(plan.status).toBe(200);
    const again = await operator("POST", "workspaces", { organization_id: id, name: "W2" });
    expect(again.status).toBe(201);
    const stored = await shards.DB_2.prepare(
      "SELECT count(*) AS n FROM workspaces WHERE organization_id = ?",
    )
      .bind(id)
      .first("n");
    expect(stored).toBe(2);
  });

  test("to the organization's own shard, or beside another move, is 409; to an unknown or closed one 400", async () => {
    const id = await newOrganization(1);
    const codeOf = ({ status, json }: Reply) => [status, json.code];
    expect(codeOf(await begin(id, 1))).toEqual([409, "conflict"]);
    const unknown = await begin(id, 9);
    expect(codeOf(unknown)).toEqual([400, "validation_error"]);
    expect(unknown.json.errors[0].field).toBe("shard");
    expect(codeOf(await begin(id, 64))).toEqual([400, "validation_error"]);
    await operator("PATCH", "shards/2", { is_open: false });
    expect(codeOf(await begin(id, 2))).toEqual([400, "validation_error"]);
    await operator("PATCH", "shards/2", { is_open: true });
    const [first, second] = await Promise.all([begin(id, 2), begin(id, 0)]);
    expect([first.status, second.status].toSorted((a, b) => a - b)).toEqual([202, 409]);
    expect((await ended(id)).state).toBe("moved");
    expect((await read(id)).json.error_message).toBeNull();
  });

  test("of an unknown organization is 404, a malformed id 400, and without the operator's token 401", async () => {
    const unknown = `org_${"0".repeat(32)}`;
    expect((await begin(unknown, 1)).status).toBe(404);
    expect((await read(unknown)).status).toBe(404);
    expect((await begin("org_1", 1)).json.code).toBe("invalid_id");
    const path = `/admin/v1/organizations/${unknown}/move`;
    expect((await call("GET", path, { env: { ...shards } })).status).toBe(401);
    expect((await call("POST", path, { json: { shard: 1 }, env: { ...shards } })).status).toBe(401);
  });

  test("from a shard that is missing in the configuration is 503, and nothing begins", async () => {
    const id = await newOrganization(2);
    forgetHomes();
    const reply = await call("POST", `/admin/v1/organizations/${id}/move`, {
      token: ADMIN_TOKEN,
      json: { shard: 1 },
      env: { DB: env.DB, DB_1: shards.DB_1 },
    });
    expect([reply.status, reply.json.code]).toEqual([503, "service_unavailable"]);
    expect((await read(id)).json.state).toBe("none");
  });
});

/** The operator's routes of moves, through the runner's objects (docs/contract/access.md#moves). */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { OrganizationMoveObject } from "../../../durable-objects/organization-move/organization-move-object.ts";
import type { OrganizationMove } from "../../../src/contracts/workspaces/organization-move.ts";
import type { RunnerEnv } from "../../../src/platform/env.ts";
import { forgetHomes } from "../../../src/storage/d1/databases.ts";
import { ADMIN_TOKEN, call, type Reply } from "../../support/api-caller.ts";
import { newShards, type Shards } from "../../support/shards.ts";
import { waitUntil } from "../../support/wait-until.ts";

/** Loses objects of moves (test/support/fonts/font-checker-worker.ts). */
const DOOR = (
  env as unknown as {
    readonly CACHE_DOOR: {
      loseMove(organization: string, sql: string): Promise<void>;
      hasLostMove(organization: string): Promise<boolean>;
    };
  }
).CACHE_DOOR;

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

  test("is begun once for a key, whose repeats return the last move", async () => {
    const id = await newOrganization(1);
    const key = crypto.randomUUID();
    const ask = (shard: number, idempotencyKey = key) =>
      call("POST", `/admin/v1/organizations/${id}/move`, {
        token: ADMIN_TOKEN,
        json: { shard },
        headers: { "idempotency-key": idempotencyKey },
        env: { ...shards },
      });
    // A refusal leaves the key free.
    expect((await ask(1)).json.code).toBe("conflict");
    const begun = await ask(2);
    expect([begun.status, begun.headers.get("idempotency-replayed")]).toEqual([202, null]);
    const move = await ended(id);
    const repeat = await ask(2);
    expect([repeat.status, repeat.json]).toEqual([202, move]);
    expect(repeat.headers.get("idempotency-replayed")).toBe("true");
    const other = await ask(0);
    expect([other.status, other.json.code]).toEqual([409, "idempotency_conflict"]);
    expect((await ask(0, "short")).json.code).toBe("invalid_idempotency_key");
  });

  test.each([
    { where: "before the directory names the new home", text: "DO UPDATE SET shard" },
    { where: "before the new home takes writes", text: "DELETE FROM organization_moves WHERE" },
  ])("whose object is lost $where goes on at once, and no write fails", async ({ text }) => {
    const id = await newOrganization(1);
    await DOOR.loseMove(id, text);
    await begin(id, 2);
    let isEnded = false;
    const end = ended(id).finally(() => (isEnded = true));
    const answers: number[] = [];
    while (!isEnded) {
      const json = { organization_id: id, name: "W" };
      answers.push((await operator("POST", "workspaces", json)).status);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect((await end).state).toBe("moved");
    expect(await DOOR.hasLostMove(id)).toBe(true);
    expect(new Set(answers)).toEqual(new Set([201]));
    const stored = shards.DB_2.prepare(
      "SELECT count(*) AS n FROM workspaces WHERE organization_id = ?",
    );
    expect(await stored.bind(id).first("n")).toBe(answers.length);
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
      env: { DB: env.DB, DB_1: shards.DB_1, DB_2: undefined },
    });
    expect([reply.status, reply.json.code]).toEqual([503, "service_unavailable"]);
    expect((await read(id)).json.state).toBe("none");
  });
});

interface SetAlarm {
  /** Null where it is deleted. */
  readonly atMs: number | null;
  readonly afterMs: number;
  readonly phase: string | undefined;
}

/** Runs an object of a move to its end, alarm by alarm. Each call of `object` is another instance. */
async function runInObject(
  organization: string,
  then: (
    object: (bindings?: Partial<Shards>) => OrganizationMoveObject,
    alarms: readonly SetAlarm[],
  ) => Promise<void>,
): Promise<void> {
  const stub = env.ORGANIZATION_ACCESS.get(env.ORGANIZATION_ACCESS.idFromName(organization));
  await runInDurableObject(stub, async (_object, state) => {
    const alarms: SetAlarm[] = [];
    const note = (atMs: number | null) => {
      const record = state.storage.kv.get<{ readonly phase: string }>("move");
      alarms.push({ atMs, afterMs: (atMs ?? 0) - Date.now(), phase: record?.phase });
      return Promise.resolve();
    };
    // This object's own class must not run for the alarm of another.
    vi.spyOn(state.storage, "setAlarm").mockImplementation((atMs) => note(Number(atMs)));
    vi.spyOn(state.storage, "deleteAlarm").mockImplementation(() => note(null));
    // The bindings of the runner; a move uses its databases alone.
    const others =
      "EXECUTOR RENDERER_EXECUTOR MEDIA_EXECUTOR SOUND_DECODER WEBHOOK_SENDER ZIP_BUILDER BATCH_EXPORT PROVIDER_GATE CACHE ORGANIZATION_MOVE";
    const runner = {
      ...Object.fromEntries(others.split(" ").map((name) => [name, {}])),
      ...env,
      ...shards,
    } as unknown as RunnerEnv;
    const object = (bindings: Partial<Shards> = {}) =>
      new OrganizationMoveObject(state, { ...runner, ...bindings } as RunnerEnv);
    const asked = { v: 1, organization_id: organization } as const;
    await object().start({ ...asked, shard: 2 });
    for (let fires = 0; (await object().read(asked)).completed_at === null; fires += 1) {
      expect(fires).toBeLessThan(20);
      await object().alarm();
    }
    expect((await object().read(asked)).state).toBe("moved");
    await then(object, alarms);
    vi.restoreAllMocks();
  });
}

describe("the object of a move", () => {
  test("has an alarm that is due 50 ms after its loss while writes may be waiting, and always one", async () => {
    await runInObject(await newOrganization(1), async (_object, alarms) => {
      const waited = alarms.filter(({ phase }) => phase === "fenced" || phase === "handing_over");
      expect(waited.length).toBeGreaterThan(0);
      expect(Math.max(...waited.map(({ afterMs }) => afterMs))).toBeLessThanOrEqual(50);
      expect(alarms.map(({ atMs }) => atMs)).not.toContain(null);
    });
  });

  test("goes on with the next move at once, though the rows at an earlier home cannot be deleted", async () => {
    const id = await newOrganization(1);
    await runInObject(id, async (object, alarms) => {
      const realNow = Date.now;
      vi.spyOn(Date, "now").mockImplementation(() => realNow() + 660_000);
      const asked = { v: 1, organization_id: id } as const;
      const withoutFormer = () => object({ DB_1: undefined as never });
      await withoutFormer().start({ ...asked, shard: 0 });
      const before = alarms.length;
      for (let fires = 0; (await object().read(asked)).completed_at === null; fires += 1) {
        expect(fires).toBeLessThan(20);
        await withoutFormer().alarm();
      }
      const live = alarms.slice(before).filter(({ phase }) => phase !== "moved");
      expect(live.length).toBeGreaterThan(0);
      expect(Math.max(...live.map(({ afterMs }) => afterMs))).toBeLessThanOrEqual(1_000);
      // Its rows are deleted once it is there again.
      await object().alarm();
      const left = shards.DB_1.prepare("SELECT count(*) AS n FROM organizations WHERE id = ?");
      expect(await left.bind(id).first("n")).toBe(0);
    });
  });

  test("deletes the rows at the former home ten minutes after the move, and not before", async () => {
    const id = await newOrganization(1);
    await runInObject(id, async (object, alarms) => {
      const left = async () =>
        await shards.DB_1.prepare("SELECT count(*) AS n FROM organizations WHERE id = ?")
          .bind(id)
          .first("n");
      const { completed_at } = await object().read({ v: 1, organization_id: id });
      const dueMs = alarms.at(-1)?.atMs ?? 0;
      const laterMs = dueMs - Date.parse(completed_at ?? "");
      expect(laterMs).toBeGreaterThanOrEqual(600_000);
      expect(laterMs).toBeLessThan(660_000);
      const now = vi.spyOn(Date, "now");
      now.mockReturnValue(dueMs - 1);
      await object().alarm();
      expect([await left(), alarms.at(-1)?.atMs]).toEqual([1, dueMs]);
      now.mockReturnValue(dueMs);
      await object().alarm();
      expect([await left(), alarms.at(-1)?.atMs]).toEqual([0, null]);
    });
  });
});

/** Moves of an organization between the databases of a whole service (docs/contract/access.md#moves). */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiClient } from "../../scripts/api-client.ts";
import { SeededRandom } from "../simulation/seeded-random.ts";
import { addRows, callMove, movedTo, MovedTenant } from "../support/node/moved-tenant.ts";
import { newWorkspaceKey } from "../support/node/new-workspace-token.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";
import { sizeOf } from "../support/sizes.ts";

const ROWS = 10_000;
const PER_SECOND = 20;
/** A move takes about this long. */
const KILLED_WITHIN_MS = 700;
const SEED = 20_261_128;

let directory: string;
let service: RunningService;
let key: Awaited<ReturnType<typeof newWorkspaceKey>>;

const options = () => ({ directory, env: { EDGELOOM_SHARDS: "2" } });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "edgeloom-moves-"));
  service = await startService(options());
  key = await newWorkspaceKey(service);
  await service.stop();
  await addRows(directory, key.workspace_id, ROWS);
  service = await startService(options());
});

afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

test("an organization with 10,000 rows moves there and back under load, and no request fails", async () => {
  const tenant = new MovedTenant(service.baseUrl, key);
  tenant.start(PER_SECOND, "loaded");
  for (const to of [0, 1]) {
    const begun = await callMove(service, key.org_id, to);
    expect(begun).toMatchObject({ from: 1 - to, to, completed_at: null });
    const moved = await movedTo(service, key.org_id);
    expect(moved).toMatchObject({ state: "moved", error_message: null });
    expect(moved.rows_copied).toBeGreaterThanOrEqual(ROWS);
    expect(moved.fenced_ms).toBeTypeOf("number");
  }
  await tenant.stop();
  expect(tenant.failures).toEqual([]);
  expect(tenant.created.length).toBeGreaterThan(3);
  expect((await tenant.folders()).toSorted()).toEqual(tenant.created.toSorted());
});

test("a service that is killed during a move ends it, and has every row that was answered, once", async () => {
  const random = new SeededRandom(SEED);
  const created: string[] = [];
  let open = 0;
  for (let kill = 0; kill < sizeOf("moveKills"); kill += 1) {
    const before = await movedTo(service, key.org_id);
    const home = before.state === "moved" ? before.to : before.from;
    const tenant = new MovedTenant(service.baseUrl, key);
    tenant.start(PER_SECOND, `kill ${String(kill)}`);
    const workerd = await service.workerdPid();
    await callMove(service, key.org_id, home === 0 ? 1 : 0);
    await pause(random.next() * KILLED_WITHIN_MS);
    open += (await callMove(service, key.org_id)).completed_at === null ? 1 : 0;
    await service.kill(workerd);
    await tenant.stop();
    service = await startService({ ...options(), port: service.port });
    // A write right after the start may meet a move that was killed between its homes: it waits for its end.
    const name = `after kill ${String(kill)}`;
    const client = new ApiClient({ base_url: service.baseUrl, ...key });
    await client.call("POST", "/api/v1/workflow-folders", { body: { name } });
    created.push(name);
    const moved = await movedTo(service, key.org_id);
    expect(moved).toMatchObject({ state: "moved", error_message: null });
    const folders = await new MovedTenant(service.baseUrl, key).folders();
    created.push(...tenant.created);
    expect(folders).toEqual(expect.arrayContaining(created));
    expect(new Set(folders).size).toBe(folders.length);
  }
  // Otherwise nothing is proven.
  expect(open).toBeGreaterThanOrEqual(Math.floor(sizeOf("moveKills") / 4));
});

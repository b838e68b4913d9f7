import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { OrganizationAccessObject } from "../../../durable-objects/organization-access/organization-access-object.ts";
import type { OrganizationAccessApi } from "../../../src/contracts/workspaces/organization-access.ts";
import { DOUBT_MS, FACTS_AGE_MAX_MS, PLANS } from "../../../src/domain/access/kept-facts.ts";
import { markApiKeyRevoked } from "../../../src/storage/d1/api-key-store.ts";
import { newCaller } from "../../support/api-caller.ts";
import { HOME_DB, withHome } from "../../support/home-database.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

interface World {
  readonly access: OrganizationAccessApi;
  readonly asked: () => number;
  /** Statements wait for it. */
  hold: Promise<void> | undefined;
  readonly ids: { readonly v: 1; readonly key: string; readonly workspace: string };
}

/** An access object over real storage, whose statements to D1 are counted. */
async function inWorld(act: (world: World) => Promise<void>): Promise<void> {
  const { clientId, workspaceId, organizationId } = await newCaller();
  const stub = env.ORGANIZATION_ACCESS.get(env.ORGANIZATION_ACCESS.idFromName(organizationId));
  await runInDurableObject(stub, async (_object, state) => {
    let asked = 0;
    const counting = (db: D1Database) =>
      ({
        prepare: (text: string) => ({
          bind: (...values: unknown[]) => {
            const read = async (how: "first" | "all") => {
              asked++;
              const found = await db
                .prepare(text)
                .bind(...values)
                [how]();
              await world.hold;
              return found;
            };
            return { first: () => read("first"), all: () => read("all") };
          },
        }),
      }) as unknown as D1Database;
    const world: World = {
      access: new OrganizationAccessObject(state, {
        ...env,
        ...withHome(counting(HOME_DB)),
        // Plans are in the directory.
        DB: counting(env.DB),
      }),
      asked: () => asked,
      hold: undefined,
      ids: { v: 1, key: clientId, workspace: workspaceId },
    };
    await act(world);
  });
}

const revoke = ({ key, workspace }: { readonly key: string; readonly workspace: string }) =>
  markApiKeyRevoked(env, workspace, key, 1);

describe("the access object of an organization", () => {
  it("asks D1 once for a key and a workspace, and for what D1 does not have each time", async () => {
    await inWorld(async ({ access, asked, ids }) => {
      const first = await access.read(ids);
      expect(first).toMatchObject({
        key: { id: ids.key, workspace_id: ids.workspace, is_revoked: false },
        plans: { workspace: expect.any(String) },
      });
      expect(JSON.stringify(first)).not.toContain("secret");
      expect(asked()).toBe(1);
      expect(await access.read(ids)).toEqual(first);
      expect(asked()).toBe(1);
      const unknown = { ...ids, key: `key_${"0".repeat(32)}` };
      expect((await access.read(unknown)).key).toBeNull();
      expect((await access.read(unknown)).key).toBeNull();
      expect(asked()).toBe(3);
    });
  });

  it("sees a write whose end was lost: it asks D1 each time for a minute", async () => {
    await inWorld(async ({ access, asked, ids }) => {
      await access.read(ids);
      await access.changing({ v: 1, subject: ids.key });
      expect((await access.read(ids)).key?.is_revoked).toBe(false);
      await revoke(ids);
      expect((await access.read(ids)).key?.is_revoked).toBe(true);
      expect(asked()).toBe(3);
      vi.spyOn(Date, "now").mockReturnValue(Date.now() + DOUBT_MS);
      // What was read in that minute was not kept.
      expect((await access.read(ids)).key?.is_revoked).toBe(true);
      expect((await access.read(ids)).key?.is_revoked).toBe(true);
      expect(asked()).toBe(4);
    });
  });

  it("asks D1 once for the plan of which it is the object, and again after a change", async () => {
    await inWorld(async ({ access, asked }) => {
      const plan = await access.readPlan({ v: 1, code: "dev" });
      expect(plan).toMatchObject({ code: "dev", limits: { max_schedules: expect.any(Number) } });
      expect(await access.readPlan({ v: 1, code: "dev" })).toEqual(plan);
      expect(asked()).toBe(1);
      await access.changed({ v: 1, subject: "dev" });
      await access.readPlan({ v: 1, code: "dev" });
      expect(asked()).toBe(2);
      expect(await access.readPlan({ v: 1, code: "none" })).toBeNull();
    });
  });

  it("knows the plans of a caller without a key", async () => {
    await inWorld(async ({ access, asked, ids }) => {
      expect(await access.read({ ...ids, key: null })).toEqual({
        key: null,
        plans: { workspace: "dev", organization: ["dev"] },
      });
      expect(asked()).toBe(1);
    });
  });

  it("drops the facts of a subject when its change has ended, and no others", async () => {
    await inWorld(async ({ access, asked, ids }) => {
      await access.read(ids);
      await access.changed({ v: 1, subject: PLANS });
      await access.read(ids);
      expect(asked()).toBe(2);
      await access.changed({ v: 1, subject: ids.key });
      await access.read(ids);
      expect(asked()).toBe(3);
      await access.read(ids);
      expect(asked()).toBe(3);
    });
  });

  it("asks D1 each time while one of two changes is under way, and no longer after both", async () => {
    await inWorld(async ({ access, asked, ids }) => {
      const change = { v: 1, subject: ids.key } as const;
      const asksAgain = async () => {
        await access.read(ids);
        const before = asked();
        await access.read(ids);
        return asked() > before;
      };
      await access.changing(change);
      await access.changing(change);
      await access.changed(change);
      expect(await asksAgain()).toBe(true);
      await access.changed(change);
      expect(await asksAgain()).toBe(false);
      // The end of this one is lost: it has no part in the change that follows a minute later.
      await access.changing(change);
      vi.spyOn(Date, "now").mockReturnValue(Date.now() + DOUBT_MS);
      await access.changing(change);
      await access.changed(change);
      expect(await asksAgain()).toBe(false);
    });
  });

  it("does not keep what was read before a change was announced", async () => {
    await inWorld(async (world) => {
      const { access, ids } = world;
      const held = Promise.withResolvers<void>();
      world.hold = held.promise;
      const early = access.read(ids);
      await vi.waitUntil(() => world.asked() === 1);
      await access.changing({ v: 1, subject: ids.key });
      await revoke(ids);
      await access.changed({ v: 1, subject: ids.key });
      world.hold = undefined;
      held.resolve();
      expect((await early).key?.is_revoked).toBe(false);
      vi.spyOn(Date, "now").mockReturnValue(Date.now() + DOUBT_MS);
      expect((await access.read(ids)).key?.is_revoked).toBe(true);
    });
  });

  it("reads a fact again at its greatest age, and after its clock was set back", async () => {
    await inWorld(async ({ access, asked, ids }) => {
      const nowMs = Date.now();
      const clock = vi.spyOn(Date, "now").mockReturnValue(nowMs);
      await access.read(ids);
      clock.mockReturnValue(nowMs + FACTS_AGE_MAX_MS - 1);
      await access.read(ids);
      expect(asked()).toBe(1);
      clock.mockReturnValue(nowMs + FACTS_AGE_MAX_MS);
      await access.read(ids);
      expect(asked()).toBe(2);
      clock.mockReturnValue(nowMs - 1);
      await access.read(ids);
      expect(asked()).toBe(3);
    });
  });

  it("deletes itself once all its facts are too old", async () => {
    const { clientId, workspaceId, organizationId } = await newCaller();
    const stub = env.ORGANIZATION_ACCESS.get(env.ORGANIZATION_ACCESS.idFromName(organizationId));
    await stub.read({ v: 1, key: clientId, workspace: workspaceId });
    const tables = () =>
      runInDurableObject(stub, (_object, { storage }) =>
        storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'facts'").toArray(),
      );
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await tables()).toHaveLength(1);
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + FACTS_AGE_MAX_MS + 1);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(await tables()).toEqual([]);
  });
});

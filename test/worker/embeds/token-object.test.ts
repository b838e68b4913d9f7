/** The object of an embed token in workerd, through the proxy that the service calls it by. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { EmbedTokenObject } from "../../../durable-objects/embed-token/embed-token-object.ts";
import { entriesOf } from "../../../durable-objects/shared/entries.ts";
import { embedTokenObject } from "../../../src/storage/objects/embed-token-object.ts";
import { ReferenceToken } from "../../support/embeds/reference-token.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { sizeOf } from "../../support/sizes.ts";

const WORKSPACE = `ws_${"a".repeat(32)}`;
const ENDS = Date.now() + 3_600_000;
const LIFE_MS = 600_000;
const taking = (max: number | null) => ({ v: 1, max, token_ends_at_ms: ENDS }) as const;

/** The namespace as tests use it: the class has no RPC methods, so the binding has no type of a class. */
const objects = env.EMBED_TOKEN as unknown as DurableObjectNamespace;

let last = 0;
function newToken() {
  const jti = `emb_${String(++last).padStart(32, "0")}`;
  return {
    token: embedTokenObject({ env }, WORKSPACE, jti),
    stub: objects.get(objects.idFromName(`${WORKSPACE}:${jti}`)),
  };
}

/** Every row of the object's database; empty where nothing was stored. */
function rowsOf(stub: DurableObjectStub): Promise<Map<string, unknown>> {
  return runInDurableObject(stub, (_object, { storage }) => storage.list());
}

describe("the object of an embed token", () => {
  test("agrees with the rules through calls, evictions and parallel bursts", async () => {
    const random = new SeededRandom(11);
    const { token, stub } = newToken();
    const model = new ReferenceToken();
    const max = sizeOf("embedObjectSteps") / 4;
    const permits: string[] = [];
    const holds: string[] = [];
    for (let step = 0; step < sizeOf("embedObjectSteps"); step++) {
      const nowMs = Date.now();
      switch (random.pick(["take", "burst", "submit", "bare", "settle", "settle", "evict"])) {
        case "take":
        case "burst": {
          const outcomes = await Promise.all(
            Array.from({ length: random.int(1, 4) }, () => token.take(taking(max))),
          );
          for (const outcome of outcomes) {
            const permit = outcome.kind === "taken" ? outcome.permit : null;
            expect(outcome.kind).toBe(model.canTake(max) ? "taken" : "exhausted");
            if (permit !== null) {
              model.took(permit, nowMs, LIFE_MS);
              permits.push(permit);
            }
          }
          break;
        }
        case "submit": {
          const permit = random.pick([...permits.slice(-4), "prm_unknown"]);
          const outcome = await token.hold({ ...taking(max), permit });
          expect(outcome.kind).toBe(model.canHold(permit, nowMs) ? "held" : "refused");
          if (outcome.kind === "held") {
            model.gotPermit(permit);
            holds.push(permit);
          }
          break;
        }
        case "bare": {
          const outcome = await token.hold({ ...taking(max), permit: null });
          expect(outcome.kind).toBe(model.canTake(max) ? "held" : "exhausted");
          if (outcome.kind === "held") {
            model.gotUnit(outcome.hold, nowMs, LIFE_MS);
            holds.push(outcome.hold);
          }
          break;
        }
        case "settle": {
          const [hold] = holds.splice(random.int(0, Math.max(0, holds.length - 1)), 1);
          if (hold !== undefined) {
            const is_used = random.int(0, 1) === 0;
            await token.settle({ v: 1, hold, is_used });
            await token.settle({ v: 1, hold, is_used });
            model.settled(hold, is_used, nowMs);
          }
          break;
        }
        case "evict":
          await evictDurableObject(stub);
      }
      expect((await token.standing({ v: 1 })).used).toBe(model.used);
    }
    expect(model.used).toBeGreaterThan(0);
  });

  test("of many parallel takes allows exactly as many as its cap, before and after an eviction", async () => {
    const { token, stub } = newToken();
    const burst = async () =>
      (await Promise.all(Array.from({ length: 60 }, () => token.take(taking(25))))).filter(
        ({ kind }) => kind === "taken",
      ).length;
    expect(await burst()).toBe(25);
    await evictDurableObject(stub);
    expect(await burst()).toBe(0);
  });

  test("stores what a call changed before it answers, and nothing for a question", async () => {
    const { token, stub } = newToken();
    expect(await token.standing({ v: 1 })).toEqual({ used: 0, revoked_until_ms: 0 });
    await token.revoke({ v: 1, until_ms: Date.now() - 1 });
    await token.settle({ v: 1, hold: "prm_none", is_used: true });
    expect([...(await rowsOf(stub))]).toEqual([]);
    const taken = await token.take(taking(2));
    const permit = taken.kind === "taken" ? taken.permit : "";
    const rows = await rowsOf(stub);
    expect(rows.get("data")).toEqual({ used: 1, revoked_until_ms: 0, token_ends_at_ms: ENDS });
    expect([...rows.keys()]).toEqual(["data", `permit:${permit}`]);
    await token.hold({ ...taking(2), permit });
    await token.settle({ v: 1, hold: permit ?? "", is_used: true });
    expect([...(await rowsOf(stub)).keys()]).toEqual(["data"]);
  });

  test("keeps the later end of two revocations, also without its memory", async () => {
    const { token, stub } = newToken();
    const later = Date.now() + 900_000;
    await token.revoke({ v: 1, until_ms: later });
    await evictDurableObject(stub);
    await token.revoke({ v: 1, until_ms: later - 100 });
    expect(await token.standing({ v: 1 })).toEqual({ used: 0, revoked_until_ms: later });
  });

  test("deletes itself by its alarm once the token has ended and no revocation lasts, and not before", async () => {
    const { token, stub } = newToken();
    await token.take({ ...taking(2), token_ends_at_ms: Date.now() + 60_000 });
    expect(await alarmOf(stub)).toBeGreaterThan(Date.now() + 50_000);
    const until_ms = Date.now() + 120_000;
    await token.revoke({ v: 1, until_ms });
    expect(await alarmOf(stub)).toBe(until_ms + 1);
    await evictDurableObject(stub);
    // Too early, as after a clock that was set back: it loads the state first, and waits again.
    await runDurableObjectAlarm(stub);
    expect((await token.standing({ v: 1 })).used).toBe(1);
    expect(await alarmOf(stub)).toBe(until_ms + 1);
    await runInDurableObject(stub, async (_object, { storage }) => {
      const data = { used: 1, revoked_until_ms: Date.now() - 2, token_ends_at_ms: Date.now() - 1 };
      await storage.put("data", data);
    });
    await evictDurableObject(stub);
    await runDurableObjectAlarm(stub);
    expect([...(await rowsOf(stub))]).toEqual([]);
    expect(await alarmOf(stub)).toBe(null);
    expect(await token.standing({ v: 1 })).toEqual({ used: 0, revoked_until_ms: 0 });
  });

  test("refuses arguments of another shape or version without effect", async () => {
    const { token, stub } = newToken();
    const call = token as unknown as Record<string, (given: unknown) => Promise<unknown>>;
    const methods = [...entriesOf(EmbedTokenObject.prototype)].filter((name) => name !== "alarm");
    expect(methods.toSorted()).toEqual(["hold", "revoke", "settle", "standing", "take"]);
    for (const method of methods) {
      await expect(call[method]!({ v: 2 })).rejects.toThrow(/version 2/);
      await expect(call[method]!({})).rejects.toThrow(`EmbedTokenObject.${method}`);
    }
    expect([...(await rowsOf(stub))]).toEqual([]);
  });
});

function alarmOf(stub: DurableObjectStub): Promise<number | null> {
  return runInDurableObject(stub, (_object, { storage }) => storage.getAlarm());
}

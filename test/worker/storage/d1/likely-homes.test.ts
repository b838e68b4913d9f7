/** Reads that begin where an organization was last seen (docs/decisions/shards.md). */
import { beforeAll, beforeEach, expect, test } from "vitest";
import { findAccessFacts } from "../../../../src/storage/d1/access-facts-store.ts";
import { findApiKey } from "../../../../src/storage/d1/api-key-store.ts";
import { forgetHomes, homeOf, takeHint } from "../../../../src/storage/d1/databases.ts";
import { clearRows, closeAt } from "../../../../src/storage/d1/moves/move-store.ts";
import { counted } from "../../../support/counted-database.ts";
import { newRecord, runMove, settleTenant } from "../../../support/moves.ts";
import { newShards, type Shards } from "../../../support/shards.ts";
import { ORG, WS } from "../../../support/tenant-rows.ts";

let shards: Shards;

beforeAll(async () => {
  shards = await newShards();
});

beforeEach(async () => {
  await settleTenant(shards);
  await shards.DB.prepare("INSERT OR REPLACE INTO key_organizations VALUES ('key_1', ?)")
    .bind(ORG)
    .run();
  forgetHomes();
});

/** The statements of each database for work that begins on the shard of a hint, in an isolate that knows nothing. */
async function askedFor<T>(work: (bindings: Shards) => Promise<T>): Promise<[T, number[]]> {
  forgetHomes();
  const counts = [counted(shards.DB), counted(shards.DB_1), counted(shards.DB_2)] as const;
  const [DB, DB_1, DB_2] = [counts[0].db, counts[1].db, counts[2].db];
  const found = await work({ DB, DB_1, DB_2 });
  return [found, counts.map(({ texts }) => texts.length)];
}

const facts = (hint: number | undefined) =>
  askedFor((bindings) =>
    findAccessFacts(bindings, { workspaceId: WS, keyId: "key_1", organizationId: ORG, hint }),
  );
const key = (hint: number | undefined) =>
  askedFor((bindings) => findApiKey(bindings, "key_1", hint));

const FOUND = { key: { id: "key_1", workspace_id: WS }, plans: { workspace: expect.any(String) } };

test("take one statement at home, and the directory is asked only without a hint or with a wrong one", async () => {
  expect(await facts(1)).toMatchObject([FOUND, [0, 1, 0]]);
  expect(await facts(undefined)).toMatchObject([FOUND, [1, 1, 0]]);
  expect(await facts(2)).toMatchObject([FOUND, [1, 1, 1]]);
  // A shard that this deployment has not.
  expect(await facts(9)).toMatchObject([FOUND, [1, 1, 0]]);
  expect(await key(1)).toMatchObject([{ id: "key_1", shard: 1 }, [0, 1, 0]]);
  expect(await key(undefined)).toMatchObject([{ id: "key_1", shard: 1 }, [1, 1, 0]]);
  expect(await key(2)).toMatchObject([{ id: "key_1", shard: 1 }, [1, 1, 1]]);
});

test("follow an organization that has moved, while the former home has its rows and after", async () => {
  expect((await runMove(shards, newRecord(2))).phase).toBe("moved");
  // What the former home says no longer counts.
  await shards.DB_2.prepare("UPDATE api_keys SET revoked_at_ms = 1 WHERE id = 'key_1'").run();
  const moved = { key: { is_revoked: true }, plans: FOUND.plans };
  for (const isCleared of [false, true]) {
    if (isCleared) {
      await clearRows(shards.DB_1, ORG, "moved");
      await closeAt(shards.DB_1, ORG);
    }
    expect(await facts(1)).toMatchObject([moved, [1, 1, 1]]);
    expect(await key(1)).toMatchObject([{ revoked_at_ms: 1, shard: 2 }, [1, 1, 1]]);
    expect(await facts(2)).toMatchObject([moved, [0, 0, 1]]);
  }
});

test("at the target of a move that has not ended find the home", async () => {
  let seen: unknown;
  await runMove(shards, newRecord(2), async ({ phase }) => {
    if (phase === "catching_up") {
      seen ??= [await facts(2), await key(2)];
    }
  });
  expect(seen).toMatchObject([
    [FOUND, [1, 1, 1]],
    [{ id: "key_1", shard: 1 }, [1, 1, 1]],
  ]);
});

test("find nothing of an unknown workspace or key, whatever the hint", async () => {
  const [unknown] = await askedFor((bindings) =>
    findAccessFacts(bindings, {
      workspaceId: "ws_unknown",
      keyId: "key_unknown",
      organizationId: "org_unknown",
      hint: 1,
    }),
  );
  expect(unknown).toEqual({ key: null, plans: null });
  expect((await askedFor((bindings) => findApiKey(bindings, "key_unknown", 1)))[0]).toBeUndefined();
});

test("an old token's hint is where to look first, and never believed", async () => {
  const old = { workspaceId: WS, organizationId: ORG, issuedAtMs: Date.now() - 3_600_000 };
  takeHint(shards, { ...old, shard: 2 });
  expect((await homeOf(shards, ORG)).shard).toBe(1);
});

/** Share links in a deployment with several databases (docs/decisions/shards.md). */
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createShareLink } from "../../../../src/domain/templates/share/share-links.ts";
import { enterShareLinks } from "../../../../src/domain/templates/share/enter-share-links.ts";
import { requireShared } from "../../../../src/domain/templates/share/shared-template.ts";
import { sha256Hex } from "../../../../src/lib/sha256.ts";
import type { CallerContext } from "../../../../src/platform/context.ts";
import { createLogger } from "../../../../src/platform/logger.ts";
import { forgetHomes } from "../../../../src/storage/d1/databases.ts";
import { ShareLinkStore } from "../../../../src/storage/d1/share-link-store.ts";
import { counted } from "../../../support/counted-database.ts";
import { newRecord, runMove, settleTenant } from "../../../support/moves.ts";
import { newShards, type Shards } from "../../../support/shards.ts";
import { NOW, ORG, WS } from "../../../support/tenant-rows.ts";

let shards: Shards;

beforeAll(async () => {
  shards = await newShards();
});

beforeEach(async () => {
  forgetHomes();
  await settleTenant(shards);
  await shards.DB_1.prepare("DELETE FROM design_template_share_links").run();
});

/** An isolate of a deployment with these databases: what it asks each of them, and its context. */
function newIsolate(bindings: Partial<Shards> = {}) {
  const logged: string[] = [];
  const [DB, DB_1, DB_2] = [counted(shards.DB), counted(shards.DB_1), counted(shards.DB_2)];
  const own = { ...env, DB: DB.db, DB_1: DB_1.db, DB_2: DB_2.db, ...bindings };
  const ctx = {
    env: own,
    baseUrl: "http://svc.test",
    nowMs: () => Date.now(),
    waitUntil: () => undefined,
    log: { ...createLogger({}), error: (event: string) => logged.push(event) },
    principal: { workspaceId: WS, organizationId: ORG },
  } as unknown as CallerContext;
  /** The statements of each database for some work, in an isolate that knows no home. */
  const asked = async <T>(work: () => Promise<T>): Promise<[T, number[]]> => {
    forgetHomes();
    for (const { texts } of [DB, DB_1, DB_2]) {
      texts.length = 0;
    }
    const result = await work();
    return [result, [DB, DB_1, DB_2].map(({ texts }) => texts.length)];
  };
  return { ctx, asked, logged };
}

const token = (name: string) => name.padEnd(43, "x");

/** The link of a release from before, or of a deployment that had one database. */
async function insertOld(name: string): Promise<void> {
  const link = { id: `sl_${name}`, template_id: "tpl_1", revision: 1, max_imports: null };
  await new ShareLinkStore(shards, WS).insert(
    { ...link, expires_at_ms: null, created_at_ms: NOW, require_sign_in: false, is_entered: false },
    await sha256Hex(token(name)),
    undefined,
  );
}

const open = async (ctx: CallerContext, name: string) => {
  const { link } = await requireShared(ctx, token(name));
  return link.id;
};
const unknown = (ctx: CallerContext, name: string) =>
  open(ctx, name).catch((error: unknown) => (error as { code: string }).code);

test("a token that no link has is asked of no database, but for one statement of each in 30 s", async () => {
  const { ctx, asked } = newIsolate();
  expect(await asked(() => unknown(ctx, "first"))).toEqual(["not_found", [1, 1, 1]]);
  for (let index = 0; index < 100; index += 1) {
    expect(await asked(() => unknown(ctx, `guess${String(index)}`))).toEqual([
      "not_found",
      [0, 0, 0],
    ]);
  }
  const now = vi.spyOn(Date, "now");
  now.mockReturnValue(Date.now() + 30_000);
  expect(await asked(() => unknown(ctx, "later"))).toEqual(["not_found", [1, 1, 1]]);
  now.mockRestore();
});

/** A link of today, whose token this returns. The template's object would need databases of its own: it is not part of this. */
async function share(ctx: CallerContext): Promise<string> {
  const record = { id: "tpl_1", status: "published", latest: { revision: 1 } };
  const TEMPLATE_DRAFT = {
    idFromName: (name: string) => name,
    get: () => ({ read: () => Promise.resolve(record) }),
  };
  const body = { revision: null, max_imports: null, expires_at: null, require_sign_in: false };
  const made = await createShareLink(
    { ...ctx, env: { ...ctx.env, TEMPLATE_DRAFT } } as unknown as CallerContext,
    "tpl_1",
    body as unknown as Parameters<typeof createShareLink>[2],
  );
  if (made.token === null) {
    throw new Error("the link has no token");
  }
  return made.token;
}

const broken = {
  prepare: () => {
    throw new Error("D1 is gone");
  },
} as unknown as D1Database;

test("a link is found at its home alone, also if another database does not respond", async () => {
  const { ctx, asked } = newIsolate();
  const made = await share(ctx);
  const [shared, counts] = await asked(() => requireShared(ctx, made));
  expect(shared).toMatchObject({ link: { template_id: "tpl_1", workspace_id: WS }, version: {} });
  // The directory names the home; the link and its revision take two statements each, the second of which reads the move.
  expect(counts).toEqual([1, 4, 0]);
  const other = newIsolate({ DB_2: broken });
  expect(await requireShared(other.ctx, made)).toMatchObject({ link: { workspace_id: WS } });
  expect(await unknown(other.ctx, "unknown")).toBe("service_unavailable");
});

test("a link whose row was not written is not found, and one of an organization that has moved is", async () => {
  const { ctx, asked } = newIsolate();
  vi.spyOn(ShareLinkStore.prototype, "insert").mockRejectedValueOnce(new Error("D1 is gone"));
  await expect(share(ctx)).rejects.toThrow("D1 is gone");
  const entered = await env.FILES.list({ prefix: "directory/share-links/" });
  expect(entered.objects.length).toBeGreaterThan(0);
  const made = await share(ctx);
  expect((await runMove(shards, newRecord(2))).phase).toBe("moved");
  // The former home has other rows: what is read comes from the new one.
  await shards.DB_2.prepare("UPDATE design_templates SET name = 'moved'").run();
  const [shared, counts] = await asked(() => requireShared(ctx, made));
  expect(shared.link.name).toBe("moved");
  expect(counts).toEqual([1, 0, 4]);
});

test("a link of an older release is looked up on all databases until a sweep has entered it", async () => {
  await insertOld("old");
  const before = newIsolate();
  expect((await before.asked(() => open(before.ctx, "old")))[0]).toBe("sl_old");
  expect(await before.asked(() => unknown(before.ctx, "new"))).toEqual(["not_found", [1, 1, 1]]);
  const sweeper = newIsolate({ DB_2: broken });
  expect(await enterShareLinks(sweeper.ctx)).toBe(1);
  expect(sweeper.logged).toEqual(["share_link.not_entered"]);
  expect(await enterShareLinks(newIsolate().ctx)).toBe(0);
  const after = newIsolate();
  expect(await after.asked(() => open(after.ctx, "old"))).toEqual(["sl_old", [1, 4, 0]]);
  expect((await after.asked(() => unknown(after.ctx, "new")))[1]).toEqual([1, 1, 1]);
  expect((await after.asked(() => unknown(after.ctx, "newer")))[1]).toEqual([0, 0, 0]);
});

test("a link of an organization that moves is entered when the move has ended", async () => {
  await insertOld("moving");
  let during: number | undefined;
  await runMove(shards, newRecord(2), async ({ phase }) => {
    if (phase === "catching_up") {
      during ??= await enterShareLinks(newIsolate().ctx);
    }
  });
  expect(during).toBe(0);
  expect(await enterShareLinks(newIsolate().ctx)).toBe(1);
  const { ctx, asked } = newIsolate();
  expect(await asked(() => open(ctx, "moving"))).toEqual(["sl_moving", [1, 0, 4]]);
});

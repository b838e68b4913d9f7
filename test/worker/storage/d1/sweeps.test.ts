/** Sweeps of a deployment with many shards stay within what D1 takes from one invocation. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { sweepUnfinishedAssets } from "../../../../src/domain/assets/sweep-unfinished-assets.ts";
import { sweepEmbedAssets } from "../../../../src/domain/embeds/sweep-embed-assets.ts";
import { sweepUnfinishedFonts } from "../../../../src/domain/fonts/sweep-unfinished-fonts.ts";
import { enterShareLinks } from "../../../../src/domain/templates/share/enter-share-links.ts";
import { sweepPreviews } from "../../../../src/domain/templates/sweep-previews.ts";
import { repairWorkflowPointers } from "../../../../src/domain/workflows/sync-workflow-pointer.ts";
import type { AppContext } from "../../../../src/platform/context.ts";
import { createLogger } from "../../../../src/platform/logger.ts";
import { bindingOf, type Databases, forgetHomes } from "../../../../src/storage/d1/databases.ts";
import { readAll } from "../../../../src/storage/d1/read-all.ts";
import { newShards, type Shards } from "../../../support/shards.ts";

const ROWS = 300;
const SHARDS_MAX = 64;
const D1_STATEMENTS_MAX = 1_000;

let shards: Shards;

/** Many organizations with one row for each sweep. */
beforeAll(async () => {
  shards = await newShards();
  const n = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${String(ROWS)})`;
  await shards.DB_1.batch(
    [
      `INSERT INTO organizations ${n} SELECT 'org_' || i, 'O', 'dev', 1 FROM n`,
      `INSERT INTO workspaces ${n} SELECT 'ws_' || i, 'org_' || i, 'W', 'dev', 1 FROM n`,
      `INSERT INTO assets (path, workspace_id, key, name, name_folded, content_type, kind, size_bytes, etag, state, created_at_ms)
       ${n} SELECT 'swept/' || i, 'ws_' || i, 'k' || i, 'N', 'n', 'text/plain', 'document', 1, '', 'writing', 1 FROM n`,
      `INSERT INTO font_objects ${n} SELECT 'f/' || i, 'ws_' || i, '', 1, 'writing', 1 FROM n`,
      `INSERT INTO design_template_previews ${n} SELECT 'p/' || i, 'ws_' || i, 1, 1 FROM n`,
      `INSERT INTO embed_assets ${n} SELECT 'swept/' || i, 'ws_' || i, NULL, 't', 'k', 'wf', NULL, 1 FROM n`,
      `INSERT INTO design_template_share_links (id, template_id, workspace_id, revision, token_hash, require_sign_in, created_at_ms)
       ${n} SELECT 'sl_' || i, 'tpl', 'ws_' || i, 1, 'h' || i, 0, 1 FROM n`,
      `INSERT INTO workflows (id, workspace_id, name, name_folded, description, tags, status, definition, content_hash, created_at_ms, updated_at_ms, pointer_seq)
       ${n} SELECT 'wf_' || i, 'ws_' || i, 'N', 'n', '', '[]', 'draft', '{}', 'h', 1, 1, 2 FROM n`,
    ].map((sql) => shards.DB_1.prepare(sql)),
  );
  await shards.DB.prepare(`INSERT INTO organization_homes ${n} SELECT 'org_' || i, 1 FROM n`).run();
});

/** Sixty-four shards, of which all but two are empty, and the number of statements that they were asked. */
function counted(): { readonly bindings: Databases; readonly statements: () => number } {
  let statements = 0;
  const originals = new WeakMap<object, D1PreparedStatement>();
  const count = <T>(number: number, run: () => T): T => {
    statements += number;
    return run();
  };
  const statementOf = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => statementOf(statement.bind(...values)),
      first: (column?: string) =>
        count(1, () => (column === undefined ? statement.first() : statement.first(column))),
      run: () => count(1, () => statement.run()),
      all: () => count(1, () => statement.all()),
    } as unknown as D1PreparedStatement;
    originals.set(wrapped, statement);
    return wrapped;
  };
  const databaseOf = (db: D1Database) =>
    ({
      prepare: (sql: string) => statementOf(db.prepare(sql)),
      batch: (all: D1PreparedStatement[]) =>
        count(all.length, () => db.batch(all.map((each) => originals.get(each) ?? each))),
    }) as unknown as D1Database;
  const entries = Array.from({ length: SHARDS_MAX }, (_shard, index) => [
    bindingOf(index),
    databaseOf(index === 0 ? shards.DB : index === 1 ? shards.DB_1 : shards.DB_2),
  ]);
  return { bindings: Object.fromEntries(entries) as Databases, statements: () => statements };
}

test("all sweeps together ask D1 at most 1,000 statements with 64 shards, and each finds some rows", async () => {
  forgetHomes();
  const { bindings, statements } = counted();
  const ctx = {
    env: { ...env, ...bindings },
    nowMs: () => Date.now() + 100 * 86_400_000,
    waitUntil: () => undefined,
    log: createLogger({}),
  } as unknown as AppContext;
  const swept = await Promise.all([
    repairWorkflowPointers(ctx),
    sweepUnfinishedAssets(ctx),
    sweepUnfinishedFonts(ctx),
    sweepPreviews(ctx),
    sweepEmbedAssets(ctx),
    enterShareLinks({ ...ctx, nowMs: () => 8 * 300_000 }),
  ]);
  expect(Math.min(...swept)).toBeGreaterThan(5);
  expect(statements()).toBeGreaterThan(5 * SHARDS_MAX);
  expect(statements()).toBeLessThanOrEqual(D1_STATEMENTS_MAX);
});

test("share links of 64 shards are entered by a few shards at a time, all in eight sweeps", async () => {
  const { bindings, statements } = counted();
  const turns: number[] = [];
  for (let turn = 0; turn < SHARDS_MAX / 8; turn += 1) {
    await shards.DB_1.prepare("UPDATE design_template_share_links SET is_entered = 0").run();
    const before = statements();
    const ctx = {
      env: { ...env, ...bindings },
      nowMs: () => turn * 300_000,
      log: createLogger({}),
    };
    turns.push(await enterShareLinks(ctx as unknown as AppContext));
    expect(statements() - before).toBeLessThanOrEqual(16);
  }
  // The rows are on shard 1.
  expect(turns).toEqual([100, 0, 0, 0, 0, 0, 0, 0]);
});

test("shards take turns, so that one with many rows holds up no other", async () => {
  const rowsOf = new Map([
    [shards.DB, 100],
    [shards.DB_1, 1],
    [shards.DB_2, 2],
  ]);
  const found = await readAll(
    { env: shards, log: createLogger({}) },
    { limit: 6, calls: 1 },
    (db, limit) =>
      Promise.resolve(
        Array.from({ length: Math.min(limit, rowsOf.get(db) ?? 0) }, (_row, index) => ({
          workspace_id: `ws_none_${String(rowsOf.get(db))}_${String(index)}`,
        })),
      ),
  );
  expect(found.map((row) => row.workspace_id.slice(8))).toEqual([
    "100_0",
    "1_0",
    "2_0",
    "100_1",
    "2_1",
    "100_2",
  ]);
});

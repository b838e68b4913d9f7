/** Moves of an organization between shards, over real databases (docs/decisions/moves.md). */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MOVED_TABLES } from "../../../src/contracts/workspaces/moved-tables.ts";
import { afterFailure, hasEnded, type MoveRecord } from "../../../src/domain/moves/move-record.ts";
import { clearFormerHome } from "../../../src/domain/moves/begin-move.ts";
import { stepMove } from "../../../src/domain/moves/step-move.ts";
import { databaseOf, forgetHomes, homeOf } from "../../../src/storage/d1/databases.ts";
import { refusalOf } from "../../../src/storage/d1/move-refusals.ts";
import { fence, liftFence, openAt, stateAt } from "../../../src/storage/d1/moves/move-store.ts";
import {
  intercepted,
  losing,
  LostError,
  newRecord,
  rowsOn,
  runMove,
  settleTenant,
} from "../../support/moves.ts";
import { newShards, type Shards } from "../../support/shards.ts";
import { sizeOf } from "../../support/sizes.ts";
import { insertRow, ORG, WS } from "../../support/tenant-rows.ts";

let shards: Shards;

beforeAll(async () => {
  shards = await newShards();
});

beforeEach(async () => {
  forgetHomes();
  await settleTenant(shards);
});

const folder = (id: string) => ({ id, workspace_id: WS, name: id, created_at_ms: 1 });
const asset = (path: string) => ({
  path,
  workspace_id: WS,
  key: path,
  name: "N",
  name_folded: "n",
  content_type: "text/plain",
  kind: "document",
  size_bytes: 10,
  etag: "e",
  state: "ready",
  created_at_ms: 1,
});

/** The tenant's database as stores get it. */
const own = () => databaseOf(shards, WS);

async function homeIs(): Promise<number | null> {
  return await shards.DB.prepare("SELECT shard FROM organization_homes WHERE organization_id = ?")
    .bind(ORG)
    .first<number>("shard");
}

describe("the list of tables that move", () => {
  /** Tables that belong to the deployment, or to a move itself. */
  const OTHERS = [
    "idempotency_guard",
    "key_organizations",
    "organization_homes",
    "organization_move_log",
    "organization_moves",
    "plans",
    "shards",
  ];

  const forgotten = (tables: readonly string[], moved: readonly { readonly name: string }[]) =>
    tables.filter((name) => !OTHERS.includes(name) && !moved.some((table) => table.name === name));

  async function tableNames(): Promise<string[]> {
    const { results } = await shards.DB_1.prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
         AND name NOT LIKE '_cf_%' AND name <> 'd1_migrations' ORDER BY name`,
    ).all<{ name: string }>();
    return results.map(({ name }) => name);
  }

  test("has every table of the migrations that has rows of tenants, and misses one that is left out", async () => {
    const tables = await tableNames();
    expect(tables.length).toBeGreaterThan(25);
    expect(forgotten(tables, MOVED_TABLES)).toEqual([]);
    for (const { name } of MOVED_TABLES) {
      expect(tables).toContain(name);
      const without = MOVED_TABLES.filter((table) => table.name !== name);
      expect(forgotten(tables, without)).toEqual([name]);
    }
  });

  test("has the keys of the tables, and every table after those that it refers to", async () => {
    const seen = new Set<string>();
    for (const { name, key, hasSeq } of MOVED_TABLES) {
      const columns = await shards.DB_1.prepare("SELECT name FROM pragma_table_info(?)")
        .bind(name)
        .all<{ name: string }>();
      const names = columns.results.map((column) => column.name);
      expect([name, names.includes("seq")]).toEqual([name, hasSeq === true]);
      const unique = await shards.DB_1.prepare(
        `SELECT group_concat(c.name) AS columns FROM pragma_index_list(?1) i, pragma_index_info(i.name) c
         WHERE i."unique" = 1 AND i.partial = 0 GROUP BY i.name`,
      )
        .bind(name)
        .all<{ columns: string }>();
      expect([name, unique.results.map((index) => index.columns)]).toEqual([
        name,
        expect.arrayContaining([key.join(",")]),
      ]);
      const parents = await shards.DB_1.prepare(
        `SELECT "table" AS parent FROM pragma_foreign_key_list(?)`,
      )
        .bind(name)
        .all<{ parent: string }>();
      for (const { parent } of parents.results) {
        expect([name, parent, parent === "plans" || seen.has(parent)]).toEqual([
          name,
          parent,
          true,
        ]);
      }
      seen.add(name);
    }
  });
});

describe("a move", () => {
  test("brings a row of every table to the new home, flips the directory and leaves the old rows for a while", async () => {
    const before = await rowsOn(shards.DB_1);
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
    const record = await runMove(shards, newRecord(2));
    expect(record).toMatchObject({ phase: "moved", errorMessage: null, rowsTotal: 27 });
    expect(await rowsOn(shards.DB_2)).toEqual(before);
    expect(await rowsOn(shards.DB_1)).toEqual(before);
    expect(await homeIs()).toBe(2);
    expect([await stateAt(shards.DB_1, ORG), await stateAt(shards.DB_2, ORG)]).toEqual([
      "moved",
      null,
    ]);
    await clearFormerHome(shards, ORG, 1);
    expect(Object.values(await rowsOn(shards.DB_1)).flat()).toEqual([]);
    expect(await stateAt(shards.DB_1, ORG)).toBeNull();
    expect(await rowsOn(shards.DB_2)).toEqual(before);
  });

  test("enters keys in the directory that a release from before shards made", async () => {
    const find = () =>
      shards.DB.prepare(
        "SELECT organization_id AS o FROM key_organizations WHERE key_id = 'key_1'",
      ).first("o");
    await shards.DB.prepare("DELETE FROM key_organizations WHERE key_id = 'key_1'").run();
    await runMove(shards, newRecord(2));
    expect(await find()).toBe(ORG);
  });

  test("goes back to a shard that still has rows of before, which are not deleted then", async () => {
    await runMove(shards, newRecord(2));
    await own().prepare("DELETE FROM workflow_folders WHERE workspace_id = ?").bind(WS).run();
    const now = await rowsOn(shards.DB_2);
    expect(await runMove(shards, newRecord(1, 2))).toMatchObject({ phase: "moved" });
    expect(await rowsOn(shards.DB_1)).toEqual(now);
    await clearFormerHome(shards, ORG, 1);
    expect(await rowsOn(shards.DB_1)).toEqual(now);
  });

  test("brings what is written, changed and deleted between any two steps, in the order of lists", async () => {
    let count = 0;
    await own().prepare("DELETE FROM assets WHERE workspace_id = ?").bind(WS).run();
    for (let index = 0; index < 1_200; index += 1) {
      await insertRow(shards.DB_1, "assets", asset(`old/${String(index)}`));
    }
    const record = await runMove(shards, newRecord(2), async ({ phase }) => {
      if (phase === "handing_over") {
        // A write would wait for this very step.
        return;
      }
      count += 1;
      const n = String(count);
      await insertRow(own() as D1Database, "assets", asset(`new/${n}`));
      await insertRow(own() as D1Database, "workflow_folders", folder(`fld_new_${n}`));
      await insertRow(own() as D1Database, "workspaces", {
        id: `ws_new_${n}`,
        organization_id: ORG,
        name: "W",
        plan_code: "dev",
        created_at_ms: 1,
      });
      // Rows that others refer to.
      await own().prepare("UPDATE workspaces SET name = ?2 WHERE id = ?1").bind(WS, n).run();
      await own().prepare("UPDATE organizations SET name = ?2 WHERE id = ?1").bind(ORG, n).run();
      await own()
        .prepare("UPDATE assets SET size_bytes = size_bytes + 1, name = ?2 WHERE path = ?1")
        .bind(`old/${n}`, `changed ${n}`)
        .run();
      await own()
        .prepare("DELETE FROM assets WHERE path = ?")
        .bind(`old/${String(500 + count)}`)
        .run();
      if (count > 2) {
        // A name that another row has just lost.
        await own()
          .prepare("UPDATE workflow_folders SET name = ?2 WHERE id = ?1")
          .bind(`fld_new_${String(count - 2)}`, `free ${n}`)
          .run();
        await own()
          .prepare("UPDATE workflow_folders SET name = ?2 WHERE id = ?1")
          .bind(`fld_new_${n}`, `fld_new_${String(count - 2)}`)
          .run();
      }
    });
    expect(record).toMatchObject({ phase: "moved" });
    expect(count).toBeGreaterThan(MOVED_TABLES.length);
    const moved = await rowsOn(shards.DB_2);
    expect(moved).toEqual(await rowsOn(shards.DB_1));
    expect(moved["assets"]).toHaveLength(1_200);
    const usage = (moved["storage_usage"] as { asset_bytes: number }[])[0]?.asset_bytes;
    // 1,200 files of 10 bytes and a font of 1; each step made some of the first 500 a byte longer.
    expect(usage).toBe(1_200 * 10 + 1 + count);
    await shards.DB_2.prepare("DELETE FROM workspaces WHERE id LIKE 'ws_new_%'").run();
    await shards.DB_1.prepare("DELETE FROM organization_moves").run();
    await shards.DB_1.prepare("DELETE FROM workspaces WHERE id LIKE 'ws_new_%'").run();
  });

  test("is not seen by a caller that believes in the former home: it reads and writes at the new one", async () => {
    await own().prepare("SELECT 1").first();
    expect((await homeOf(shards, ORG)).shard).toBe(1);
    await runMove(shards, newRecord(2));
    expect((await homeOf(shards, ORG)).shard).toBe(1);
    await insertRow(own() as D1Database, "workflow_folders", folder("fld_after"));
    forgetHomes();
    await shards.DB.prepare("UPDATE organization_homes SET shard = 1 WHERE organization_id = ?")
      .bind(ORG)
      .run();
    await homeOf(shards, ORG);
    await shards.DB.prepare("UPDATE organization_homes SET shard = 2 WHERE organization_id = ?")
      .bind(ORG)
      .run();
    const found = await own()
      .prepare("SELECT id FROM workflow_folders WHERE id = 'fld_after'")
      .first("id");
    expect(found).toBe("fld_after");
    forgetHomes();
    // A change of a row that the former home does not have changes the new one's.
    const { meta } = await own()
      .prepare("UPDATE workflow_folders SET name = 'x' WHERE id = 'fld_after'")
      .run();
    expect(meta.changes).toBe(1);
  });
});

describe("the fence", () => {
  test("makes writes wait and lets reads through; an expired one lets writes through and commits nothing", async () => {
    await openAt(shards.DB_1, ORG, "copying");
    await fence(shards.DB_1, ORG, 60_000);
    const write = () =>
      insertRow(shards.DB_1, "workflow_folders", folder(`fld_${String(Math.random())}`));
    await expect(write()).rejects.toThrow("organization_fenced");
    const error: unknown = await write().catch((thrown: unknown) => thrown);
    expect(refusalOf(error)).toBe("fenced");
    expect(await own().prepare("SELECT count(*) AS n FROM workflow_folders").first("n")).toBe(1);
    const waiting = insertRow(own() as D1Database, "workflow_folders", folder("fld_waits"));
    await liftFence(shards.DB_1, ORG);
    await waiting;
    await fence(shards.DB_1, ORG, -1);
    await write();
    const { results } = await shards.DB_1.prepare(
      "SELECT table_name FROM organization_move_log WHERE organization_id = ?",
    )
      .bind(ORG)
      .all();
    expect(results).toEqual([
      { table_name: "workflow_folders" },
      { table_name: "workflow_folders" },
    ]);
  });

  test("undoes the whole transaction of a write", async () => {
    await openAt(shards.DB_1, ORG, "copying");
    await fence(shards.DB_1, ORG, 60_000);
    const other = { id: "org_beside", name: "O", plan_code: "dev", created_at_ms: 1 };
    const insert = shards.DB_1.prepare("INSERT INTO organizations VALUES (?, ?, ?, ?)").bind(
      ...Object.values(other),
    );
    const refused = shards.DB_1.prepare(
      "UPDATE workflows SET name = 'x' WHERE workspace_id = ?",
    ).bind(WS);
    await expect(shards.DB_1.batch([insert, refused])).rejects.toThrow("organization_fenced");
    const left = await shards.DB_1.prepare("SELECT count(*) AS n FROM organizations WHERE id = ?")
      .bind(other.id)
      .first("n");
    expect(left).toBe(0);
  });

  test("is needed: without it the home does not give the organization away", async () => {
    const env = {
      ...shards,
      DB_1: {
        prepare: (sql: string) =>
          shards.DB_1.prepare(sql.replace("SET state = 'fenced'", "SET state = state")),
        batch: (statements: D1PreparedStatement[]) => shards.DB_1.batch(statements),
      } as unknown as D1Database,
    };
    const record = await runMove(env, newRecord(2));
    expect(record).toMatchObject({ phase: "failed", fences: 4 });
    expect(await homeIs()).toBe(1);
  });
});

describe("the comparison", () => {
  const FENCE = "SET state = 'fenced'";
  /** Statements that read a page of a table, and its rows by their names. */
  const PAGE = /SELECT t\.\* FROM (\w+) t WHERE/;
  const NAMED = /json_each\(\?1\) k CROSS JOIN (\w+) t/;

  /** Puts rows at the target as a fault would: without the home's log. */
  async function damage(...statements: readonly string[]): Promise<void> {
    const setState = (state: string) =>
      shards.DB_2.prepare("UPDATE organization_moves SET state = ?1").bind(state);
    await shards.DB_2.batch([
      setState("loading"),
      ...statements.map((statement) => shards.DB_2.prepare(statement)),
      setState("arriving"),
    ]);
  }

  /**
   * Moves the tenant; `between` runs once, after all rows were compared and right before the fence. Returns the tables of which
   * pages and rows are read behind it, and counted.
   */
  async function behindFence(between: () => Promise<unknown>, delayMs = 0) {
    const behind: string[] = [];
    let isDue = true;
    let isFenced = false;
    const DB_1 = intercepted(shards.DB_1, async (texts, run) => {
      if (texts.some((text) => text.includes(FENCE))) {
        if (isDue) {
          isDue = false;
          await between();
        }
        isFenced = true;
      } else if (isFenced) {
        behind.push(...texts);
        if (texts.some((text) => PAGE.test(text))) {
          await new Promise((resolve) => {
            setTimeout(resolve, delayMs);
          });
        }
      }
      return await run();
    });
    const record = await runMove({ ...shards, DB_1 }, newRecord(2));
    const tablesOf = (pattern: RegExp) =>
      new Set(behind.flatMap((sql) => pattern.exec(sql)?.[1] ?? []));
    return {
      record,
      pages: tablesOf(PAGE),
      named: tablesOf(NAMED),
      counted: tablesOf(/SELECT count\(\*\) AS n FROM (\w+) t WHERE/),
    };
  }

  test("counts the rows of all tables behind the fence, and reads none if nothing was written since", async () => {
    const { record, pages, named, counted } = await behindFence(() => Promise.resolve());
    expect(record.phase).toBe("moved");
    expect([pages, named]).toEqual([new Set(), new Set()]);
    expect(counted).toEqual(new Set(MOVED_TABLES.map(({ name }) => name)));
  });

  test("reads behind the fence only the rows that were written since, whatever the size of their table", async () => {
    await shards.DB_1.prepare(
      `INSERT INTO workflow_folders (id, workspace_id, name, created_at_ms)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
       SELECT 'fld_many_' || i, ?1, 'many ' || i, 1 FROM n`,
    )
      .bind(WS)
      .run();
    const write = async () => {
      await insertRow(shards.DB_1, "workflow_folders", folder("fld_late"));
      await shards.DB_1.prepare("DELETE FROM workflow_folders WHERE id = 'fld_many_7'").run();
    };
    // A page takes longer than the fence may.
    const { record, pages, named } = await behindFence(write, 1_000);
    expect(record).toMatchObject({ phase: "moved", fences: 0 });
    expect([pages, named]).toEqual([new Set(), new Set(["workflow_folders"])]);
    const rows = await rowsOn(shards.DB_2);
    expect(rows["workflow_folders"]).toHaveLength(3_001);
    expect(rows).toEqual(await rowsOn(shards.DB_1));
  });

  test("finds a row that is gone where the organization goes, after it was compared", async () => {
    const { record } = await behindFence(() =>
      damage(`DELETE FROM workflow_folders WHERE workspace_id = '${WS}'`),
    );
    expect(record).toMatchObject({
      phase: "failed",
      errorMessage: expect.stringMatching(/workflow_folders has 1 rows on one shard and 0/),
    });
    expect(await homeIs()).toBe(1);
  });

  test("finds a row that was written after it was compared, and that the replay got wrong", async () => {
    let isReplayed = false;
    const DB_2 = intercepted(shards.DB_2, async (texts, run) => {
      const result = await run();
      if (!isReplayed && texts.some((text) => text.startsWith("INSERT INTO schedules"))) {
        const isLate = await shards.DB_1.prepare(
          "SELECT 1 FROM organization_moves WHERE state = 'fenced'",
        ).first();
        if (isLate !== null) {
          isReplayed = true;
          await damage("UPDATE schedules SET status = 'ended' WHERE id = 'sch_late'");
        }
      }
      return result;
    });
    let isDue = true;
    const DB_1 = intercepted(shards.DB_1, async (texts, run) => {
      if (isDue && texts.some((text) => text.includes(FENCE))) {
        isDue = false;
        await insertRow(shards.DB_1, "schedules", {
          id: "sch_late",
          workspace_id: WS,
          workflow: "wf_1",
          status: "active",
          created_at_ms: 1,
        });
      }
      return await run();
    });
    const record = await runMove({ ...shards, DB_1, DB_2 }, newRecord(2));
    expect(isReplayed).toBe(true);
    expect(record).toMatchObject({
      phase: "failed",
      errorMessage: "A row of schedules differs between the shards. Nothing was moved.",
    });
    expect(await homeIs()).toBe(1);
  });

  test("finds rows that are in another order in lists, also of those that came meanwhile", async () => {
    for (const index of [1, 2, 3]) {
      await insertRow(shards.DB_1, "assets", asset(`old/${String(index)}`));
    }
    const swap = (one: string, other: string) =>
      damage(
        `UPDATE assets SET seq = -1 WHERE path = '${one}'`,
        `UPDATE assets SET seq = (SELECT seq FROM assets WHERE path = '${other}') + 100 WHERE path = '${one}'`,
      );
    let isSwapped = false;
    const record = await runMove(shards, newRecord(2), async ({ phase }) => {
      if (phase === "catching_up" && !isSwapped) {
        isSwapped = true;
        await swap("old/1", "old/3");
      }
    });
    expect(record.errorMessage).toBe(
      "A row of assets differs between the shards. Nothing was moved.",
    );
    await settleTenant(shards);
    forgetHomes();
    let count = 0;
    const late = await runMove(shards, newRecord(2), async ({ phase, comparison, replayedTo }) => {
      if (phase !== "catching_up" || comparison === undefined) {
        return;
      }
      if (count === 0 && comparison.table >= MOVED_TABLES.length) {
        count = 1;
        await insertRow(shards.DB_1, "assets", asset("late/1"));
        // More than may be left for the fence: another step compares them.
        for (let index = 2; index <= 260; index += 1) {
          await insertRow(shards.DB_1, "assets", asset(`late/${String(index)}`));
        }
      } else if (count === 1 && replayedTo > comparison.changedSince) {
        count = 2;
        await swap("late/1", "late/120");
      }
    });
    expect(count).toBe(2);
    expect(late.errorMessage).toBe(
      "A row of assets differs between the shards. Nothing was moved.",
    );
  });

  test("goes on where a lost instance has left it, over many pages, while rows are written", async () => {
    await shards.DB_1.prepare(
      `INSERT INTO assets (path, workspace_id, key, name, name_folded, content_type, kind, size_bytes, etag, state, created_at_ms)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5500)
       SELECT 'page/' || i, ?1, 'page/' || i, 'n', 'n', 'text/plain', 'document', 1, 'e', 'ready', 1 FROM n`,
    )
      .bind(WS)
      .run();
    const seen = new Set<string>();
    let count = 0;
    const record = await runMove(shards, newRecord(2), async ({ phase, comparison }) => {
      if (phase === "catching_up" && comparison !== undefined) {
        seen.add(`${String(comparison.table)} ${JSON.stringify(comparison.after)}`);
        count += 1;
        await insertRow(shards.DB_1, "assets", asset(`between/${String(count)}`));
        await shards.DB_1.prepare("DELETE FROM assets WHERE path = ?")
          .bind(`page/${String(count * 900)}`)
          .run();
      }
    });
    expect(record).toMatchObject({ phase: "moved", errorMessage: null });
    // The first tables, three more steps over the pages of assets, and the rest.
    expect(seen.size).toBeGreaterThanOrEqual(4);
    expect(await rowsOn(shards.DB_2)).toEqual(await rowsOn(shards.DB_1));
  });
});

describe("a move that fails", () => {
  async function expectUnmoved(record: MoveRecord, message: RegExp): Promise<void> {
    expect(record.phase).toBe("failed");
    expect(record.errorMessage).toMatch(message);
    expect(await homeIs()).toBe(1);
    expect(Object.values(await rowsOn(shards.DB_2)).flat()).toEqual([]);
    expect(await stateAt(shards.DB_1, ORG)).toBeNull();
    await insertRow(own() as D1Database, "workflow_folders", folder("fld_goes_on"));
    expect(await shards.DB_1.prepare("SELECT count(*) AS n FROM workflow_folders").first("n")).toBe(
      2,
    );
  }

  const inPhase = (phase: MoveRecord["phase"], once: () => Promise<unknown>) => {
    let isDone = false;
    return async (record: MoveRecord) => {
      if (record.phase === phase && !isDone) {
        isDone = true;
        await once();
      }
    };
  };

  test("by a row that differs at the new home", async () => {
    const record = await runMove(
      shards,
      newRecord(2),
      inPhase("catching_up", () =>
        shards.DB_2.batch([
          shards.DB_2.prepare("UPDATE organization_moves SET state = 'loading'"),
          shards.DB_2.prepare("UPDATE workflows SET name = 'other'"),
          shards.DB_2.prepare("UPDATE organization_moves SET state = 'arriving'"),
        ]),
      ),
    );
    await expectUnmoved(record, /A row of workflows differs/);
  });

  test("by a write that the log has lost", async () => {
    const record = await runMove(
      shards,
      newRecord(2),
      inPhase("catching_up", async () => {
        await insertRow(own() as D1Database, "schedules", {
          id: "sch_lost",
          workspace_id: WS,
          workflow: "wf_1",
          status: "active",
          created_at_ms: 1,
        });
        await shards.DB_1.prepare("DELETE FROM organization_move_log").run();
      }),
    );
    await expectUnmoved(record, /A row of schedules differs/);
  });

  test("by a change that no trigger has seen", async () => {
    const record = await runMove(
      shards,
      newRecord(2),
      inPhase("catching_up", async () => {
        await shards.DB_1.prepare("DROP TRIGGER model_defaults_move_update").run();
        await own()
          .prepare("UPDATE model_defaults SET model = 'n' WHERE workspace_id = ?")
          .bind(WS)
          .run();
      }),
    );
    await expectUnmoved(record, /A row of model_defaults differs/);
  });

  test("by a shard that is full", async () => {
    const DB_2 = intercepted(shards.DB_2, async (texts, run) => {
      if (texts.some((text) => text.startsWith("INSERT INTO workflows"))) {
        throw new Error("D1_ERROR: database or disk is full: SQLITE_FULL");
      }
      return await run();
    });
    await expectUnmoved(await runMove({ ...shards, DB_2 }, newRecord(2)), /disk is full/);
  });

  test("by a release that knows other tables", async () => {
    const begun = { ...newRecord(2), tables: "others" };
    await expectUnmoved(await runMove(shards, begun), /Another release/);
  });
});

describe("an instance that is lost", () => {
  /** A whole move in which a write comes with each of the first steps; the instance is lost once. */
  async function moveWith(at: { call: number; isAfter: boolean } | undefined): Promise<{
    record: MoveRecord;
    calls: number;
  }> {
    const first = losing(shards, at);
    let env: Shards = first.env;
    let kept = newRecord(2);
    let steps = 0;
    while (!hasEnded(kept)) {
      steps += 1;
      if (steps % 9 === 1 && kept.phase !== "fenced" && kept.phase !== "handing_over") {
        await insertRow(own() as D1Database, "workflow_folders", folder(`fld_at_${String(steps)}`));
      }
      try {
        kept = {
          ...(await stepMove(env, kept, (record) => (kept = record), Date.now)),
          failures: 0,
        };
      } catch (error) {
        if (error instanceof LostError) {
          // The next instance has what was kept, and other connections.
          env = shards;
        } else {
          kept = afterFailure(kept, String(error));
        }
      }
    }
    return { record: kept, calls: first.calls() };
  }

  test("at any statement leaves a move that the next one ends, with every row at one home", async () => {
    const { calls } = await moveWith(undefined);
    expect(calls).toBeGreaterThan(80);
    const stride = sizeOf("moveStride");
    for (let call = 1; call <= calls; call += stride) {
      for (const isAfter of [false, true]) {
        await settleTenant(shards);
        forgetHomes();
        const { record } = await moveWith({ call, isAfter });
        const where = `statement ${String(call)} ${isAfter ? "took effect" : "did not"}`;
        expect([where, record.phase, record.errorMessage]).toEqual([where, "moved", null]);
        expect([where, await homeIs()]).toEqual([where, 2]);
        expect(await rowsOn(shards.DB_2)).toEqual(await rowsOn(shards.DB_1));
        const states = [await stateAt(shards.DB_1, ORG), await stateAt(shards.DB_2, ORG)];
        expect([where, ...states]).toEqual([where, "moved", null]);
      }
    }
  });
});

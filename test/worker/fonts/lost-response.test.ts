/** A revision of a family that the database commits late, while the upload's cleanup is in progress. */
import { expect, test } from "vitest";
import type { Env } from "../../../src/platform/env.ts";
import { call, newCaller } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";
import { fontForm } from "../../support/fonts/font-form.ts";
import { HAS_SHARDS, HOME_DB, withHome } from "../../support/home-database.ts";

/**
 * The database, which loses the connection during the transaction that creates a family, and commits it
 * once the cleanup has read what is stored.
 */
function committingLate() {
  let held: D1PreparedStatement[] | undefined;
  let wasMade: boolean | undefined;
  const late = async () => {
    if (held !== undefined) {
      const statements = held;
      held = undefined;
      wasMade = await HOME_DB.batch(statements).then(
        () => true,
        () => false,
      );
    }
  };
  const db = {
    prepare(sql: string) {
      const statement = HOME_DB.prepare(sql);
      const isClearing = /^\s*(?:SELECT key|UPDATE) (?:FROM )?font_objects\b.*key IN/s.test(sql);
      return !isClearing
        ? statement
        : {
            bind: (...values: unknown[]) => {
              const bound = statement.bind(...values);
              return Object.assign(bound, {
                all: async () => {
                  const found = await HOME_DB.prepare(sql)
                    .bind(...values)
                    .all();
                  await late();
                  return found;
                },
              });
            },
          };
    },
    batch(statements: D1PreparedStatement[]) {
      if (held === undefined && wasMade === undefined) {
        held = statements;
        return Promise.reject(new Error("D1_ERROR: Network connection lost."));
      }
      return HOME_DB.batch(statements);
    },
  };
  return { db: db as unknown as Env["DB"], wasMade: () => wasMade };
}

// The first batch is the transaction that is lost.
test.skipIf(HAS_SHARDS)("never leaves a family without the bytes of its files", async () => {
  const { token, workspaceId } = await newCaller();
  const { db, wasMade } = committingLate();
  await call("POST", "/api/v1/fonts", { token, body: fontForm(), env: withHome(db) });
  expect(wasMade()).toBeDefined();
  const { json } = await call("GET", "/api/v1/fonts?scope=workspace", { token });
  expect([wasMade(), json.data.length, await keysOf(workspaceId)]).toEqual([false, 0, []]);
  const { count } = (await HOME_DB.prepare(
    "SELECT count(*) AS count FROM font_objects WHERE workspace_id = ?",
  )
    .bind(workspaceId)
    .first<{ count: number }>())!;
  expect(count).toBe(0);
  expect((await call("POST", "/api/v1/fonts", { token, body: fontForm() })).status).toBe(201);
});

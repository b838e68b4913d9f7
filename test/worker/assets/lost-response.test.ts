/** An asset that the database has made visible, although the service did not receive the response. */
import { expect, test } from "vitest";
import type { Env } from "../../../src/platform/env.ts";
import { call, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";
import { HOME_DB, withHome } from "../../support/home-database.ts";

/** The database, which once commits the statement that makes an asset visible and loses the response. */
function losingResponse(): { readonly db: Env["DB"]; readonly lost: () => boolean } {
  let isNext = false;
  let isLost = false;
  const db = {
    prepare(sql: string) {
      isNext ||= sql.includes("UPDATE assets SET state = 'ready'");
      return HOME_DB.prepare(sql);
    },
    async batch(statements: D1PreparedStatement[]) {
      const results = await HOME_DB.batch(statements);
      if (isNext && !isLost) {
        isLost = true;
        throw new Error("D1_ERROR: Network connection lost.");
      }
      return results;
    },
  };
  return { db: db as unknown as Env["DB"], lost: () => isLost };
}

test("returns the asset with its bytes stored", async () => {
  const { token, workspaceId } = await newCaller();
  const { db, lost } = losingResponse();
  const form = new FormData();
  form.set("file", new File(["words"], "a.txt"));
  const response = await call("POST", "/api/v1/assets", {
    token,
    body: form,
    headers: { "idempotency-key": "an answer is lost" },
    env: withHome(db),
  });
  expect([lost(), response.status]).toEqual([true, 201]);
  expect(await keysOf(workspaceId)).toHaveLength(1);
  const path = encodeURIComponent(response.json.path);
  const { url } = (await call("GET", `/api/v1/assets/download-url?path=${path}`, { token })).json;
  expect((await call("GET", url.slice(ORIGIN.length))).text).toBe("words");
});

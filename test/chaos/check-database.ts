import assert from "node:assert/strict";
import { join } from "node:path";
import { AIRPORTS_NAME } from "./chaos-load.ts";
import type { LoadedUpload } from "./chaos-uploads.ts";
import { databasesIn, keysIn } from "./stored-files.ts";

interface AssetRow {
  readonly key: string;
  readonly name: string;
  readonly state: string;
  readonly size_bytes: number;
}

/**
 * Checks D1 for orphans: each file row leads to a file and each uploaded file to a row, no session is left open, the
 * quota counts exactly the existing files, and the workspace's workflow pointers match D1. Reads the database of a
 * stopped service. Returns the number of rows checked.
 */
export async function checkDatabase(
  directory: string,
  uploads: readonly LoadedUpload[],
): Promise<number> {
  const keys = new Set(await keysIn(join(directory, "r2")));
  const [database] = (await databasesIn(join(directory, "d1"))).filter((each) =>
    each.hasTable("assets"),
  );
  assert.ok(database, "the database is where the service keeps it");
  try {
    const rows = database.all<AssetRow>("SELECT key, name, state, size_bytes FROM assets");
    const assets = rows.filter(({ state }) => state !== "deleted");
    const kept = uploads.filter(({ isDeleted }) => isDeleted !== true);
    const deleted = rows.filter(({ state }) => state === "deleted");
    assert.equal(deleted.length, uploads.length - kept.length, "what was deleted is not there");
    assert.deepEqual(
      deleted.filter(({ key }) => keys.has(key)),
      [],
      "nothing that was deleted has bytes",
    );
    assert.deepEqual(
      assets.filter(({ state }) => state !== "ready").map(({ name, state }) => [name, state]),
      [],
      "no asset is half written",
    );
    assert.deepEqual(
      assets.filter(({ key }) => !keys.has(key)).map(({ name }) => name),
      [],
      "every asset has its bytes",
    );
    assert.equal(
      new Set(assets.map(({ key }) => key)).size,
      assets.length,
      "no two assets share their bytes",
    );
    assert.deepEqual(
      assets.map(({ name }) => name).toSorted(),
      [AIRPORTS_NAME, ...kept.map(({ name }) => name)].toSorted(),
      "each upload made one asset, however often sent, and nothing else did",
    );
    assert.deepEqual(database.all("SELECT id FROM upload_sessions"), [], "no session is left open");
    const sessions = database.all<{ key: string; upload_id: string }>(
      "SELECT key, upload_id FROM upload_keys",
    );
    assert.equal(sessions.length, uploads.length, "each key made one session");
    assert.deepEqual(
      database.all("SELECT asset_bytes, session_bytes FROM storage_usage"),
      [{ asset_bytes: assets.reduce((sum, each) => sum + each.size_bytes, 0), session_bytes: 0 }],
      "the quota counts what is there",
    );
    const workflows = database.all<{ id: string; definition_key: string | null }>(
      "SELECT id, definition_key FROM workflows",
    );
    assert.deepEqual(
      workflows.filter(({ definition_key: key }) => key !== null && !keys.has(key)),
      [],
      "every definition that lies in R2 is there",
    );
    assert.deepEqual(
      database.all("SELECT id FROM workflows WHERE pointer_seq <> pointer_synced_seq"),
      [],
      "the workspace object was told of every workflow",
    );
    const versions = database.all<{ workflow_id: string }>(
      "SELECT workflow_id FROM workflow_versions",
    );
    const ids = new Set(workflows.map(({ id }) => id));
    assert.deepEqual(
      versions.filter(({ workflow_id: id }) => !ids.has(id)),
      [],
      "every version is of a workflow that is there",
    );
    return assets.length + sessions.length + workflows.length + versions.length;
  } finally {
    database.close();
  }
}

/** Simulates the passing of days by changing the rows of a stopped service. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";

const DAY_MS = 86_400_000;

/**
 * Makes these runs of one workspace have ended this many days ago, and the workspace's daily expiry pass due. The pass
 * runs at the next wake. Throws if a run is not stored below the folder.
 */
export async function ageRuns(
  directory: string,
  runIds: readonly string[],
  days: number,
): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  const objects = join(directory, "objects", "edgeloom-WorkspaceObject");
  const files = (await readdir(objects)).filter(
    (name) => name.endsWith(".sqlite") && name !== "metadata.sqlite",
  );
  let aged = 0;
  for (const file of files) {
    const database = new DatabaseSync(join(objects, file));
    try {
      const { changes } = database
        .prepare(
          `UPDATE runs SET created_at_ms = created_at_ms - ?1, started_at_ms = started_at_ms - ?1,
             completed_at_ms = completed_at_ms - ?1
           WHERE run_id IN (SELECT value FROM json_each(?2))`,
        )
        .run(BigInt(days * DAY_MS), JSON.stringify(runIds));
      if (Number(changes) > 0) {
        database.prepare("UPDATE retention SET next_at_ms = ?").run(BigInt(Date.now()));
        aged += Number(changes);
      }
    } finally {
      database.close();
    }
  }
  if (aged !== runIds.length) {
    throw new Error(`${aged} of ${runIds.length} runs are stored in ${objects}.`);
  }
}

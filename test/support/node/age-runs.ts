/** Makes the days pass that no test can wait for: in the rows of the service itself, while it is stopped. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";

const DAY_MS = 86_400_000;

/**
 * Has these runs of one workspace have ended so many days ago, and the workspace's daily look at
 * what has expired be due. It looks when something wakes it. Throws when a run is not stored below the folder.
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

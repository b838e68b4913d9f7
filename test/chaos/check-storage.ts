import assert from "node:assert/strict";
import { join } from "node:path";
import { AIRPORTS_NAME, type LoadedRun } from "./chaos-load.ts";
import type { LoadedUpload } from "./chaos-uploads.ts";
import { keysIn } from "./stored-files.ts";

/**
 * Checks R2 for orphans: every file belongs to a known run or upload, and a killed run left no more of them than
 * others. Reads the files of a stopped service. Returns their number.
 */
export async function checkStorage(
  directory: string,
  runs: readonly LoadedRun[],
  uploads: readonly LoadedUpload[],
  exports: number,
): Promise<number> {
  const keys = await keysIn(join(directory, "r2"));
  const perRun = new Map<string, number>();
  const others: string[] = [];
  const archives = keys.filter((key) => key.endsWith(".zip"));
  assert.equal(archives.length, exports, "each export is one archive");
  for (const key of keys.filter((each) => !each.endsWith(".zip"))) {
    const run = /\/runs\/(run_[0-9a-f]{32})\//.exec(key)?.[1];
    if (run === undefined) {
      others.push(key);
    } else {
      perRun.set(run, (perRun.get(run) ?? 0) + 1);
    }
  }
  const known = new Set(runs.map(({ runId }) => runId));
  assert.deepEqual(
    [...perRun.keys()].filter((run) => !known.has(run)),
    [],
    "every file of a run is of a run that is listed",
  );
  for (const { kind, key, runId } of runs) {
    const whole = runs.find((run) => run.kind === kind && run.key.startsWith("whole"))!;
    assert.equal(
      perRun.get(runId!) ?? 0,
      perRun.get(whole.runId!) ?? 0,
      `${key} ${runId} has as many files as a run that nobody killed`,
    );
  }
  const kept = uploads.filter(({ isDeleted }) => isDeleted !== true);
  // Each upload was repeated until it was finished: exactly one file under its name is correct.
  const names = others
    .filter((key) => !key.includes("/definitions/"))
    .map((key) => key.slice(key.lastIndexOf("/") + 1));
  assert.deepEqual(
    names.toSorted(),
    [AIRPORTS_NAME, ...kept.map(({ name }) => name)].toSorted(),
    "every other file is an upload that was finished, once",
  );
  return keys.length;
}

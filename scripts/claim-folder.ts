import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readJsonFile } from "./local-secrets.ts";

interface Owner {
  readonly pid: number;
  /**
   * When the process started, in kernel ticks, because process ids are reused. Null if the system does not report it.
   */
  readonly began: string | null;
}

const ROUNDS_MAX = 3;

/**
 * Locks a data folder for this process: two services would both run the same objects and overwrite the address in
 * `credentials.json`. Takes over the lock of a killed process. Returns a function that releases the lock; throws if a
 * living process holds it.
 */
export async function claimFolder(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, "service.lock");
  const mine: Owner = { pid: process.pid, began: await beganAt(process.pid) };
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    if (await written(path, mine)) {
      return () => rm(path, { force: true });
    }
    // A lock file that is being written, or was only partly written, names no owner.
    const owner = await readJsonFile<Owner>(path).catch(() => undefined);
    if (owner !== undefined && (await isAlive(owner))) {
      throw new Error(
        `${directory} is in use by process ${owner.pid}. Stop it, or choose another folder with --persist.`,
      );
    }
    await rm(path, { force: true });
  }
  throw new Error(
    `${directory} is being locked by another process. Choose another folder with --persist.`,
  );
}

async function written(path: string, owner: Owner): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(owner), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      return false;
    }
    throw error;
  }
}

async function isAlive({ pid, began }: Owner): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") {
      return false;
    }
  }
  return (await beganAt(pid)) === began;
}

/** Null if the process does not exist, is a zombie, or the system has no `/proc`. */
async function beganAt(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name, in parentheses, may contain any character; the state and 18 numbers follow it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? null : (fields[19] ?? null);
}

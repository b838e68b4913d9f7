import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readJsonFile } from "./local-secrets.ts";

interface Owner {
  readonly pid: number;
  /** When the process began, in the kernel's ticks: process ids are given out again. Null where that is not told. */
  readonly began: string | null;
}

const ROUNDS_MAX = 3;

/**
 * Takes a data folder for this process alone: two services would each run the same objects and write
 * their own address into `credentials.json`. What a killed process has left is taken over. Answers
 * what gives it back; throws when a living process has it.
 */
export async function claimFolder(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, "service.lock");
  const mine: Owner = { pid: process.pid, began: await beganAt(process.pid) };
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    if (await written(path, mine)) {
      return () => rm(path, { force: true });
    }
    // One that is being written, or was cut off while it was, names nobody.
    const owner = await readJsonFile<Owner>(path).catch(() => undefined);
    if (owner !== undefined && (await isAlive(owner))) {
      throw new Error(
        `${directory} is in use by process ${owner.pid}: stop it, or choose another folder with --persist.`,
      );
    }
    await rm(path, { force: true });
  }
  throw new Error(
    `${directory} is being taken by another process: choose another folder with --persist.`,
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

/** Null where there is no such process, no longer but for its parent's asking, or no `/proc`. */
async function beganAt(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name, in parentheses, may hold anything; after it come the state and 18 numbers more.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? null : (fields[19] ?? null);
}

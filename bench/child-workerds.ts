import { readFile } from "node:fs/promises";

/** Process ids of the workerds that a process has started (Linux). */
export async function workerdsOf(parentPid: number): Promise<number[]> {
  const text = await readFile(`/proc/${parentPid}/task/${parentPid}/children`, "utf8");
  const pids = text.split(/\s+/).filter(Boolean).map(Number);
  const names = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")),
  );
  return pids.filter((_, i) => names[i]?.trim() === "workerd");
}

import { readdir, readFile } from "node:fs/promises";

/** Processor time of a process so far, summed over its threads, in microseconds (Linux). */
export async function processorTimeUs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map(async (thread) => {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8");
      return Number(text.split(" ")[0]) / 1000;
    }),
  );
  return times.reduce((sum, time) => sum + time, 0);
}

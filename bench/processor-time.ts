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

/** Processor time of this process for some work, all threads and the collection of what it leaves included, in milliseconds. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Miniflare, type ModuleDefinition } from "miniflare";

const EMPTY: ModuleDefinition[] = [
  {
    type: "ESModule",
    path: "index.js",
    contents: "export default { fetch: () => new Response() };",
  },
];
/** The lowest of their times is the least disturbed. */
const STARTS = 2;
/** Linux counts the processor time of a process in hundredths of a second. */
const TICK_MS = 10;

/**
 * Milliseconds of processor time that workerd needs to compile and evaluate a built Worker, beyond an empty one: what the
 * platform limits to a second. Undefined where the processor time of another process cannot be read.
 *
 * @param outdir folder of a dry run of `wrangler deploy`.
 */
export async function measureStart(outdir: string): Promise<number | undefined> {
  const modules = await modulesOf(outdir);
  const times: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const empty = await startMs(EMPTY);
    const whole = await startMs(modules);
    if (empty === undefined || whole === undefined) {
      return undefined;
    }
    times.push(Math.max(0, whole - empty));
  }
  return Math.min(...times);
}

/** The modules of a build, the main module first. */
async function modulesOf(outdir: string): Promise<ModuleDefinition[]> {
  const names = (await readdir(outdir)).filter((name) => /\.(js|wasm|bin)$/.test(name));
  names.sort((a, b) => Number(b.endsWith(".js")) - Number(a.endsWith(".js")));
  return Promise.all(
    names.map(async (path): Promise<ModuleDefinition> => {
      const contents = await readFile(join(outdir, path));
      if (path.endsWith(".js")) {
        return { type: "ESModule", path, contents: contents.toString() };
      }
      return { type: path.endsWith(".wasm") ? "CompiledWasm" : "Data", path, contents };
    }),
  );
}

async function startMs(modules: ModuleDefinition[]): Promise<number | undefined> {
  const before = new Set(await workerds());
  const miniflare = new Miniflare({
    modules,
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
  });
  try {
    await miniflare.ready;
    const [pid] = (await workerds()).filter((one) => !before.has(one));
    return pid === undefined ? undefined : await processorMs(pid);
  } finally {
    await miniflare.dispose();
  }
}

/** Ids of this process's children that are workerds; none on systems other than Linux. */
async function workerds(): Promise<string[]> {
  const tasks = await readdir("/proc/self/task").catch(() => []);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/self/task/${task}/children`, "utf8").catch(() => "")),
  );
  const pids = lists.flatMap((list) => list.split(" ").filter((pid) => pid !== ""));
  const names = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")),
  );
  return pids.filter((_pid, index) => names[index]?.trim() === "workerd");
}

async function processorMs(pid: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // Fields after the name, which may contain spaces: the 12th and 13th are user and system time.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

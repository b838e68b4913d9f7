/** Starts the service as `npm run dev` does, in a child process with its own folder and port. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiClient, type Credentials } from "../../../scripts/api-client.ts";
import { freePort } from "../../../scripts/free-port.ts";
import { startedServices } from "./started-services.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Only a service that does not start reaches it, however busy the machine is. */
const READY_MS = 240_000;

export interface ServiceOptions {
  /** Kept if given; else a temporary folder that `stop` removes. */
  readonly directory?: string;
  readonly port?: number;
  readonly inspectorPort?: number;
  /** The project whose service is started, with its packages installed; this one by default. */
  readonly root?: string;
  /** False starts without the runner: tasks wait. */
  readonly hasRunner?: boolean;
  /** The option `--shards`; none if it is left out. */
  readonly shards?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Receives the service's log lines, in addition to `log()`. */
  readonly onLog?: (text: string) => void;
}

export interface RunningService {
  readonly baseUrl: string;
  readonly port: number;
  readonly directory: string;
  readonly credentials: Credentials;
  readonly client: ApiClient;
  /** From the start of the process to its `ready` line. */
  readonly readyMs: number;
  /** Process id of workerd, for a test that kills it. */
  workerdPid(): Promise<number>;
  /** The log of the service so far. */
  log(): string;
  /** Sends SIGTERM and waits for the end; removes a temporary folder. Returns the exit code. */
  stop(): Promise<number | null>;
  /**
   * SIGKILL to workerd and to its parent process, without cleanup; the folder stays. Immediate if workerd's process id
   * is given.
   */
  kill(workerdPid?: number): Promise<void>;
}

/** Resolves when the service is ready. Throws an error with its log if it ends first or takes more than four minutes. */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), "edgeloom-test-")));
  const port = options.port ?? (await freePort());
  const startedAt = performance.now();
  const child = spawn(nodeBinary(), commandLine(port, directory, options), {
    cwd: options.root ?? ROOT,
    env: {
      ...process.env,
      NODE_NO_WARNINGS: "1",
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    log += chunk;
    options.onLog?.(chunk);
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", resolve);
  });
  await waitForReady(child, () => log);
  const readyMs = performance.now() - startedAt;
  const credentials = JSON.parse(
    await readFile(join(directory, "credentials.json"), "utf8"),
  ) as Credentials;
  startedServices.add(new URL(credentials.base_url).origin);
  return {
    baseUrl: credentials.base_url,
    port,
    directory,
    credentials,
    client: new ApiClient(credentials),
    readyMs,
    workerdPid: () => childNamed(child, "workerd"),
    log: () => log,
    async stop() {
      child.kill("SIGTERM");
      const code = await ended;
      if (options.directory === undefined) {
        await rm(directory, { recursive: true, force: true });
      }
      return code;
    },
    async kill(known) {
      const workerd = known ?? (await childNamed(child, "workerd"));
      // The parent first, because it would replace a killed workerd.
      child.kill("SIGKILL");
      process.kill(workerd, "SIGKILL");
      await ended;
      await gone(workerd);
    },
  };
}

/** Node 22 from node_modules, since the machine's own may be older; else the current one. */
function nodeBinary(): string {
  const local = join(ROOT, "node_modules/.bin/node");
  return existsSync(local) ? local : process.execPath;
}

/** Node's arguments as in `npm run dev` (package.json), relative to a project's root. */
export function commandLine(
  port: number,
  directory: string,
  {
    inspectorPort,
    hasRunner,
    shards,
  }: Pick<ServiceOptions, "inspectorPort" | "hasRunner" | "shards"> = {},
): string[] {
  return [
    "--import",
    "./scripts/keep-compiled.mjs",
    "scripts/dev.ts",
    "--port",
    String(port),
    "--persist",
    directory,
    ...(inspectorPort === undefined ? [] : ["--inspector-port", String(inspectorPort)]),
    ...(hasRunner === false ? ["--without-runner"] : []),
    ...(shards === undefined ? [] : ["--shards", String(shards)]),
  ];
}

function waitForReady(child: ChildProcess, log: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (reason: string) => {
      clearTimeout(timer);
      reject(new Error(`The service ${reason}.\n${output}\n${log()}`));
    };
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      fail(`was not ready within ${READY_MS} ms`);
    }, READY_MS);
    child.once("exit", (code) => fail(`ended with code ${code} before it was ready`));
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      if (/^ready on http:\/\/127\.0\.0\.1:\d+$/m.test(output)) {
        clearTimeout(timer);
        resolve();
      }
    });
  });
}

/** The process id of a direct child with this name, from /proc. */
async function childNamed(parent: ChildProcess, name: string): Promise<number> {
  const children = await readFile(`/proc/${parent.pid}/task/${parent.pid}/children`, "utf8");
  for (const text of children.trim().split(/\s+/)) {
    const comm = await readFile(`/proc/${text}/comm`, "utf8").catch(() => "");
    if (comm.trim() === name) {
      return Number(text);
    }
  }
  throw new Error(`The service has no child process ${name} (children: ${children.trim()}).`);
}

/**
 * Resolves once the process has released everything, especially its port. Its first thread may be a zombie while
 * another thread in a write keeps its sockets open.
 */
export async function gone(pid: number): Promise<void> {
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
    if (stat === "" || (stat.includes(") Z ") && threads.length <= 1)) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

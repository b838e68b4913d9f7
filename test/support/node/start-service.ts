/** Starts the service as `npm run dev` does, in a child process with a folder and a port of its own. */
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
const READY_MS = 60_000;

export interface ServiceOptions {
  /** Kept when given; else a temporary folder that `stop` removes. */
  readonly directory?: string;
  readonly port?: number;
  readonly inspectorPort?: number;
  /** False leaves the runner out: tasks wait. */
  readonly hasRunner?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Hears what the service logs, besides `log()`. */
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
  /** What the service has logged so far. */
  log(): string;
  /** SIGTERM, and waits for the end; removes a temporary folder. Answers the exit code. */
  stop(): Promise<number | null>;
  /**
   * SIGKILL to workerd and to the process that holds it, with no chance to tidy up; the folder stays.
   * At once where workerd's process id is given.
   */
  kill(workerdPid?: number): Promise<void>;
}

/** Resolves when the service says it is ready. Throws with its log when it ends first or takes over a minute. */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), "edgeloom-test-")));
  const port = options.port ?? (await freePort());
  const startedAt = performance.now();
  const child = spawn(nodeBinary(), commandLine(port, directory, options), {
    cwd: ROOT,
    env: {
      ...process.env,
      NODE_NO_WARNINGS: "1",
      // Of the tests that run inside workerd alone (vitest.config.ts).
      MINIFLARE_WORKERD_V8_FLAGS: undefined,
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
      // The holder first: it would start a new workerd in place of a lost one.
      child.kill("SIGKILL");
      process.kill(workerd, "SIGKILL");
      await ended;
      await gone(workerd);
    },
  };
}

/** Node 22 as installed beside the tools, since the machine's own may be older; else the one that runs this. */
function nodeBinary(): string {
  const local = join(ROOT, "node_modules/.bin/node");
  return existsSync(local) ? local : process.execPath;
}

/** What Node is given, as `npm run dev` gives it (package.json), relative to a project's root. */
export function commandLine(
  port: number,
  directory: string,
  { inspectorPort, hasRunner }: Pick<ServiceOptions, "inspectorPort" | "hasRunner"> = {},
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
 * Resolves once the process holds nothing any more, its port least of all. Its first thread may be a
 * zombie while another that is still in a write keeps its sockets open.
 */
async function gone(pid: number): Promise<void> {
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
    if (stat === "" || (stat.includes(") Z ") && threads.length <= 1)) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * The service of `npm run dev` in the process of a test, whose workerd is killed again and again. A start takes about half of the
 * processor time of `startService`: the Workers are read once, and those that take no part are left out.
 */
import { readFile, readdir } from "node:fs/promises";
import { Writable } from "node:stream";
import { ApiClient, type Credentials } from "../../../scripts/api-client.ts";
import type { BundledWorker } from "../../../scripts/bundle-workers.ts";
import { freePort } from "../../../scripts/free-port.ts";
import { loadWorkers } from "../../../scripts/load-workers.ts";
import { type LocalService, startLocalService } from "../../../scripts/local-service.ts";
import { gone } from "./start-service.ts";
import { startedServices } from "./started-services.ts";

type Vars = Readonly<Record<string, string>>;
type Options = BundledWorker["config"]["options"];

/** As `read-worker-config.ts` writes them. */
interface Bindings {
  readonly bindings?: object;
  readonly durableObjects?: Readonly<Record<string, { readonly scriptName?: string }>>;
  readonly serviceBindings?: Readonly<Record<string, { readonly name?: string }>>;
}

/** Without the renderer and the media Worker: no task may need them. */
const TAKEN = ["edgeloom", "edgeloom-runner"];
/** Stands for an object that is never called. */
const UNUSED = { className: "ExecutorObject", useSQLite: true };

let loaded: Promise<readonly BundledWorker[]> | undefined;
/** Services start one after another, so that each knows its workerd. */
let starting: Promise<unknown> = Promise.resolve();

export class KillableService {
  readonly #directory: string;
  readonly #env: Vars;
  #port = 0;
  #service: LocalService | undefined;
  #workerd = 0;
  #log = "";
  #client: ApiClient | undefined;

  /** `env` has variables of the environment, as `npm run dev` takes them. */
  constructor(directory: string, env: Vars) {
    this.#directory = directory;
    this.#env = env;
  }

  /** One for each start, because the service limits how often tokens are requested. */
  get client(): ApiClient {
    if (this.#client === undefined) {
      throw new Error("The service has not been started.");
    }
    return this.#client;
  }

  get baseUrl(): string {
    return this.#running.baseUrl;
  }

  get credentials(): Credentials {
    return this.#running.credentials;
  }

  /** The log of the service since its last start. */
  get log(): string {
    return this.#log;
  }

  async start(): Promise<void> {
    const start = starting.then(() => this.#start());
    starting = start.catch(() => undefined);
    await start;
  }

  /** SIGKILL to workerd, which holds everything that runs. Resolves when it and its port are gone. */
  async kill(): Promise<void> {
    process.kill(this.#workerd, "SIGKILL");
    // At once, because Miniflare would replace a killed workerd.
    const stopped = this.stop();
    await gone(this.#workerd);
    await stopped;
  }

  async stop(): Promise<void> {
    await this.#service?.stop();
    this.#service = undefined;
  }

  get #running(): LocalService {
    if (this.#service === undefined) {
      throw new Error("The service has not been started.");
    }
    return this.#service;
  }

  async #start(): Promise<void> {
    this.#port ||= await freePort();
    this.#log = "";
    const before = await workerds();
    Object.assign(process.env, this.#env);
    try {
      this.#service = await startLocalService({
        port: this.#port,
        directory: this.#directory,
        logTo: new Writable({
          write: (chunk, _encoding, done) => {
            this.#log += String(chunk);
            done();
          },
        }),
        loadWorkers: workersOf,
      });
    } finally {
      for (const name of Object.keys(this.#env)) {
        delete process.env[name];
      }
    }
    const [workerd, ...more] = (await workerds()).filter((pid) => !before.includes(pid));
    if (workerd === undefined || more.length > 0) {
      throw new Error(`The service has ${more.length + (workerd === undefined ? 0 : 1)} workerds.`);
    }
    this.#workerd = workerd;
    this.#client = new ApiClient(this.#service.credentials);
    startedServices.add(new URL(this.#service.baseUrl).origin);
  }
}

async function workersOf(vars: Vars): Promise<readonly BundledWorker[]> {
  loaded ??= loadWorkers(vars);
  return (await loaded)
    .filter(({ config }) => TAKEN.includes(config.name))
    .map(({ config, modules }) => ({
      modules,
      config: { ...config, options: withoutOthers(config.options, vars) },
    }));
}

/** The bindings of a Worker, with the variables of this start, and none to a Worker that is left out. */
function withoutOthers(options: Options, vars: Vars): Options {
  const { bindings, durableObjects = {}, serviceBindings = {} } = options as Bindings;
  const objects = Object.entries(durableObjects).map(([name, object]) => {
    const { scriptName } = object;
    return [name, scriptName === undefined || TAKEN.includes(scriptName) ? object : UNUSED];
  });
  const services = Object.entries(serviceBindings).map(([name, service]) => {
    const to = service.name ?? "";
    return [name, to.startsWith("edgeloom") && !TAKEN.includes(to) ? absent : service];
  });
  return {
    ...options,
    bindings: { ...bindings, ...vars },
    durableObjects: Object.fromEntries(objects),
    serviceBindings: Object.fromEntries(services),
  } as Options;
}

function absent(): never {
  throw new Error("This Worker was left out.");
}

/** Process ids of the workerds that this process has started and that have not ended. */
async function workerds(): Promise<number[]> {
  const threads = await readdir("/proc/self/task");
  const children = await Promise.all(
    threads.map((thread) => readFile(`/proc/self/task/${thread}/children`, "utf8").catch(() => "")),
  );
  const pids = children.flatMap((text) => text.split(/\s+/).filter(Boolean).map(Number));
  const stats = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")),
  );
  return pids.filter((_, at) => /\(workerd\) [^Z]/.test(stats[at] ?? ""));
}

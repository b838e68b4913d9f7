/** The result cache of a simulated world: its objects' own tables and SQL, and the executors' own look-ups and writes. */
import { CacheStore } from "../../../durable-objects/cache/cache-store.ts";
import { ChunkCache } from "../../../durable-objects/executor/chunk-cache.ts";
import type {
  CacheDrop,
  CacheEntry,
  CacheLookUp,
  CacheWrite,
  WantedEntry,
} from "../../../src/contracts/runs/result-cache.ts";
import type {
  Claim,
  LeasedTask,
  TaskOutcome,
  TaskReport,
} from "../../../src/contracts/runs/task.ts";
import { elementDigest } from "../../../src/engine/values/element-digest.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import type { NodeInputs } from "../../../src/nodes/define-ports.ts";
import type { RunnerEnv, TaskEnv } from "../../../src/platform/env.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { doneBy, type Doer } from "../object/object-world.ts";
import { SimulatedStorage } from "../object/simulated-storage.ts";
import type { SeededRandom } from "../seeded-random.ts";

export interface KeptResult extends Pick<CacheEntry, "key" | "execution" | "outputs"> {
  /** The ports that it lacks. */
  readonly unread: readonly string[];
  readonly createdMs: number;
}

/** A text that no value has. */
const DAMAGED = '[{"port":"out","value":"[\\"j\\""}]';

export class SimulatedCache {
  /**
   * One store for all workspaces, which on the platform have objects of their own: only keys keep their results apart here, so
   * that the simulation sees whether they do.
   */
  readonly #storage = new SimulatedStorage();
  readonly #opened = this.#storage.open();
  readonly #store = new CacheStore(this.#opened);
  #nowMs = 1_800_000_000_000;
  /** Keys of entries that were deleted or damaged. */
  readonly removed = new Set<string>();

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Time passes between runs. */
  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** The cache for the tasks of a claim. */
  of(claim: Claim): ChunkCache {
    return new ChunkCache(this.#env(), claim, createLogger({ worker: "simulated" }));
  }

  /** All results that are kept. */
  get kept(): readonly KeptResult[] {
    if (this.#storage.read("SELECT 1 FROM sqlite_master WHERE name = 'entry'").length === 0) {
      return [];
    }
    return this.#storage
      .read<{ key: string; execution: string; unread: string; outputs: string; created: number }>(
        "SELECT key, execution, unread, outputs, created_ms AS created FROM entry JOIN content USING (key)",
      )
      .map(({ unread, outputs, created, ...entry }) => ({
        ...entry,
        createdMs: created,
        unread: JSON.parse(unread) as string[],
        outputs: JSON.parse(outputs) as CacheEntry["outputs"],
      }));
  }

  /** The run whose result a look-up must find now; null if there is none. */
  expected({ key, max_age: age, unread_ports: ports }: WantedEntry): string | null {
    const entry = this.kept.find((one) => one.key === key);
    const isWhole =
      entry !== undefined &&
      JSON.stringify(entry.outputs) !== DAMAGED &&
      entry.unread.every((port) => ports.includes(port)) &&
      (age === null || this.#nowMs - entry.createdMs <= age * 1000);
    return isWhole ? entry.execution : null;
  }

  /** Deletes some entries, for one of the reasons for which they go, or damages one; returns how many that were. */
  disturb(random: SeededRandom): number {
    const before = this.kept;
    if (before.length === 0) {
      return 0;
    }
    const { key, execution } = random.pick(before);
    const all = { node_type: null, workflow: null, execution: null };
    switch (random.below(4)) {
      case 0:
        this.#store.clear({ ...all, execution });
        break;
      case 1:
        this.#store.clear({ ...all, node_type: random.pick(["fake/task", "fake/gather"]) });
        break;
      case 2:
        this.#store.evict(random.int(1, 100), this.#nowMs);
        break;
      default:
        this.#opened.sql.exec("UPDATE content SET outputs = ? WHERE key = ?", DAMAGED, key);
    }
    const left = new Map(this.kept.map((one) => [one.key, one]));
    const gone = before.filter((one) => {
      const now = left.get(one.key);
      return now === undefined || JSON.stringify(now.outputs) !== JSON.stringify(one.outputs);
    });
    gone.forEach((one) => this.removed.add(one.key));
    return gone.length;
  }

  /** The runner's objects and files. `silent`: the first digit of keys whose object does not answer. */
  runnerEnv(silent: string): Pick<RunnerEnv, "CACHE" | "FILES"> {
    const env = this.#env() as unknown as RunnerEnv;
    return {
      FILES: env.FILES,
      CACHE: {
        idFromName: (name: string) => name,
        get: (name: string) =>
          silent !== "" && name.endsWith(silent)
            ? { lookUp: () => Promise.reject(new Error("no answer")) }
            : env.CACHE.get(name as never),
      },
    } as unknown as RunnerEnv;
  }

  close(): void {
    this.#storage.close();
  }

  #env(): TaskEnv {
    const object = {
      lookUp: (request: CacheLookUp) => Promise.resolve(this.#store.lookUp(request, this.#tick())),
      write: ({ entries, bounds }: CacheWrite) => {
        this.#store.write(entries, bounds.ttl, this.#tick());
        return Promise.resolve();
      },
      drop: ({ entries }: CacheDrop) => {
        this.#store.drop(entries, this.#tick());
        return Promise.resolve();
      },
    };
    return {
      FILES: {},
      CACHE: { idFromName: (name: string) => name, get: () => object },
    } as unknown as TaskEnv;
  }

  #tick(): number {
    return this.#nowMs++;
  }
}

/** What a task received, as its executor digests it: text ports get numbers as text. */
export function receivedBy(inputs: NodeInputs): string {
  const values: [string, JsonValue][] = [];
  if (inputs.has("value")) {
    values.push(["value", inputs.get("value") as JsonValue]);
  }
  if (inputs.has("note")) {
    values.push(["note", inputs.text("note")]);
  }
  return elementDigest(values);
}

/** [E28] The digests in the report of a task that was looked up. */
export function digestsOf(
  inputs: string,
  outcome: TaskOutcome,
): NonNullable<TaskReport["digests"]> {
  return outcome.kind === "ok" ? { inputs, outputs: "made" } : { inputs };
}

/**
 * A look-up by a worker, which may die before it has an answer; null if there is no result, and for a task that its run has
 * looked up. `isOld`: a worker of older code, which does not know of that and looks everything up.
 */
export function lookUp(
  worker: Doer,
  cache: ChunkCache,
  task: LeasedTask,
  received: string,
  isOld: boolean,
): Promise<Pick<TaskReport, "outcome" | "digests" | "reused"> | null> {
  return doneBy(worker, async () => {
    const { received: _digest, ...unknown } = task;
    const entry = await cache.find(isOld ? unknown : task, received);
    return (
      entry && {
        outcome: { kind: "ok" as const, outputs: entry.outputs },
        digests: { inputs: received, outputs: entry.digest },
        reused: { execution: entry.execution, milli_credits: entry.milli_credits },
      }
    );
  });
}

/** The result cache of a simulated world: its objects' own tables and SQL, and the executors' own look-ups and writes. */
import { CacheStore } from "../../../durable-objects/cache/cache-store.ts";
import { ChunkCache } from "../../../durable-objects/executor/chunk-cache.ts";
import type {
  CacheEntry,
  CacheLookUp,
  CacheWrite,
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
import type { TaskEnv } from "../../../src/platform/env.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { doneBy, type Doer } from "../object/object-world.ts";
import { SimulatedStorage } from "../object/simulated-storage.ts";

export interface KeptResult extends Pick<CacheEntry, "key" | "execution" | "outputs"> {
  /** The ports that it lacks. */
  readonly unread: readonly string[];
}

export class SimulatedCache {
  /**
   * One store for all workspaces, which on the platform have objects of their own: only keys keep their results apart here, so
   * that the simulation sees whether they do.
   */
  readonly #storage = new SimulatedStorage();
  readonly #store = new CacheStore(this.#storage.open());
  #nowMs = 1_800_000_000_000;
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
      .read<{ key: string; execution: string; unread: string; outputs: string }>(
        "SELECT key, execution, unread, outputs FROM entry JOIN content USING (key)",
      )
      .map(({ unread, outputs, ...entry }) => ({
        ...entry,
        unread: JSON.parse(unread) as string[],
        outputs: JSON.parse(outputs) as CacheEntry["outputs"],
      }));
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
      drop: () => Promise.reject(new Error("An entry without files is never damaged.")),
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
 * A look-up by a worker, which may die before it has an answer; null if there is no result. The runs of these worlds find nothing
 * [E47], because no Worker answers them, and the worker looks everything up as it does what has no digest.
 */
export function lookUp(
  worker: Doer,
  cache: ChunkCache,
  task: LeasedTask,
  received: string,
): Promise<Pick<TaskReport, "outcome" | "digests" | "reused"> | null> {
  return doneBy(worker, async () => {
    const { received: _digest, ...unknown } = task;
    const entry = await cache.find(unknown, received);
    return (
      entry && {
        outcome: { kind: "ok" as const, outputs: entry.outputs },
        digests: { inputs: received, outputs: entry.digest },
        reused: { execution: entry.execution, milli_credits: entry.milli_credits },
      }
    );
  });
}

import { DurableObject } from "cloudflare:workers";
import type { ExecutorApi, NodeTasksMessage } from "../../src/contracts/runs/task.ts";
import type { TaskEnv } from "../../src/platform/env.ts";
import { createLogger, type Logger } from "../../src/platform/logger.ts";
import type { ExecutorParts } from "./executor-parts.ts";
import { ClaimMemory } from "./claim-memory.ts";
import { HintQueue } from "./hint-queue.ts";
import { LeasedTasks } from "./leased-tasks.ts";
import { CHUNK_TASKS_MAX } from "./leased-chunk.ts";
import { runChunk } from "./run-chunk.ts";
import { TaskQueue } from "./task-queue.ts";
import { TaskSlots } from "./task-slots.ts";
import { atLeast, list, object, optional, text, version, whole } from "../../src/lib/json/shape.ts";
import { parseEntries } from "../shared/entries.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";

/** Chunks processed at once; a task that hangs keeps one of these places, not the object. */
const CHUNKS_MAX = 32;

/**
 * Runs the tasks of one workspace. Its knowledge of a run comes from the claim and is kept in memory only: the run
 * object is authoritative, and work lost here is repeated when its lease ends. The entry of its Worker passes the
 * parts, because only it may import wasm.
 */
export abstract class ExecutorObject extends DurableObject<TaskEnv> implements ExecutorApi {
  protected abstract readonly parts: ExecutorParts;
  readonly #hints = new HintQueue();
  readonly #slots = new TaskSlots();
  readonly #claims = new ClaimMemory();
  readonly #leased = new LeasedTasks();
  readonly #queue = new TaskQueue();
  #chunks = 0;
  #log: Logger | undefined;

  /** Accepts hints and works on them after the response. False at a hint's index: no room, send it again later. */
  accept(hints: readonly NodeTasksMessage[]): Promise<readonly boolean[]> {
    if (!this.parts.isEnvUsable(this.env)) {
      return Promise.resolve(hints.map(() => false));
    }
    this.#leased.setQuota(hints.at(-1)?.slot_tasks);
    const accepted = hints.map((hint) => this.#hints.offer(hint));
    this.#startChunks();
    return Promise.resolve(accepted);
  }

  #logger(): Logger {
    return (this.#log ??= createLogger({ worker: this.parts.worker }));
  }

  #startChunks(): void {
    while (this.#hints.size > 0 && this.#chunks < CHUNKS_MAX) {
      const quota = this.#leased.reserve(CHUNK_TASKS_MAX);
      const hint = quota === undefined ? undefined : this.#hints.take();
      if (quota === undefined || hint === undefined) {
        return;
      }
      this.#chunks++;
      const keep = (tasks: number) => {
        quota.keep(tasks);
        this.#startChunks();
      };
      void this.#work(hint, keep).finally(() => {
        this.#chunks--;
        keep(0);
      });
    }
  }

  async #work(hint: NodeTasksMessage, keepLeases: (tasks: number) => void): Promise<void> {
    const { env, ctx } = this;
    try {
      await runChunk(
        {
          env,
          parts: this.parts,
          slots: this.#slots,
          claims: this.#claims,
          queue: this.#queue,
          keepLeases,
          run: env.RUN.get(env.RUN.idFromName(hint.run_id)),
          executor: `${env.BOOT_ID}/${ctx.id.toString()}`,
          log: this.#logger(),
        },
        hint,
      );
    } catch (error) {
      // The leases end and the tasks return to the run; the object must continue for the others.
      this.#logger().error("chunk.failed", {
        run_id: hint.run_id,
        chunk: hint.chunk,
        cause: describeCause(error),
      });
    }
  }
}

/** `accept` checks the environment itself, because a hint that is given back is not lost. */
parseEntries<ExecutorApi>(ExecutorObject, null, {
  accept: [
    list(
      object<NodeTasksMessage>({
        v: version(1),
        workspace_id: text,
        run_id: text,
        slot: whole,
        chunk: whole,
        worker: optional(text),
        slot_tasks: optional(atLeast(1)),
      }),
    ),
  ],
});

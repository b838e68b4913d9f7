import { DurableObject } from "cloudflare:workers";
import type { BatchRunEnd } from "../../src/contracts/runs/run-object-api.ts";
import type {
  KeptRun,
  RunGroupApi,
  StartAllRequest,
} from "../../src/contracts/runs/run-group-api.ts";
import type { RunStart } from "../../src/contracts/runs/run.ts";
import { mayBeGrouped } from "../../src/domain/batches/group-starts.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { isEnvUsable } from "../../src/platform/check-env.ts";
import { watchEffects } from "../../src/platform/effect-log.ts";
import type { Env } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { noteTenant } from "../run/active-tenants.ts";
import { partsOfLongText } from "../run/blocks/long-texts.ts";
import { type EndedRun, runInMemory } from "../run/run-in-memory.ts";
import { parseEntries } from "../shared/entries.ts";
import { RUN_GROUP_ENTRIES } from "./run-group-entries.ts";
import { GroupStore } from "./group-store.ts";

/**
 * Up to 256 runs of a batch, which end within their start: they are carried out here one after the other, and are rows of one
 * database until somebody asks for one, whose own object then takes it over (docs/decisions/run-groups.md).
 */
export class RunGroupObject extends DurableObject<Env> implements RunGroupApi {
  readonly #store: GroupStore;
  /** Runs that calls are carrying out, and the ends of these calls. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    watchEffects(env);
    this.#store = new GroupStore(ctx.storage);
  }

  async startAll(request: StartAllRequest): Promise<readonly (BatchRunEnd | null)[]> {
    const { starts } = request;
    const { promise, resolve } = Promise.withResolvers<void>();
    const isNew = starts.map(({ run_id: id }) => !this.#store.knows(id) && !this.#underWay.has(id));
    const mine = starts.filter((_, at) => isNew[at]);
    for (const { run_id: id } of mine) {
      this.#underWay.set(id, promise);
    }
    try {
      return await this.#carryOut(request, isNew);
    } finally {
      for (const { run_id: id } of mine) {
        this.#underWay.delete(id);
      }
      resolve();
    }
  }

  async take({ run_id: id, begins }: Parameters<RunGroupApi["take"]>[0]): Promise<KeptRun | null> {
    // It ends within this call: callers that read or cancel the run then see it as ended.
    await this.#underWay.get(id);
    if (begins && !this.#store.knows(id)) {
      this.#store.leave(id);
    }
    const found = this.#store.kept(id);
    if (found === null) {
      return null;
    }
    const { version, parts, definition } = found;
    return { version, parts: [...parts, ...partsOfLongText("definition", definition)] };
  }

  async forget({ run_id: id }: { v: 1; run_id: string }): Promise<void> {
    if (this.#store.knows(id)) {
      this.#store.leave(id);
    }
  }

  async #carryOut(
    { starts, definition_json }: StartAllRequest,
    isNew: readonly boolean[],
  ): Promise<readonly (BatchRunEnd | null)[]> {
    const isLocal = this.env.ENVIRONMENT === "local";
    const ends: (BatchRunEnd | null)[] = [];
    const runs: Parameters<GroupStore["keep"]>[0][number][] = [];
    for (const [at, start] of starts.entries()) {
      noteTenant(this.env, start.workspace_id);
      if (isLocal && at > 0) {
        // All objects share one thread there, which answers nothing else while runs follow each other without a pause.
        await scheduler.wait(0);
      }
      const ended =
        isNew[at] === true && mayBeGrouped(start)
          ? await this.#carryOutOne({ ...start, definition_json })
          : null;
      ends.push(ended?.end ?? null);
      if (ended !== null) {
        runs.push({ id: start.run_id, version: start.workflow_version, kept: ended.kept });
      }
    }
    if (runs.length > 0) {
      this.#store.keep(runs, definition_json);
    }
    return ends;
  }

  /** Null also for a run whose start throws, which its own object then repeats: the other runs of the call must not be lost. */
  async #carryOutOne(start: RunStart): Promise<EndedRun | null> {
    try {
      return await runInMemory(this.env, start);
    } catch (error) {
      const { run_id, correlation_id } = start;
      createLogger({ service: "edgeloom", object: "run_group" }).error("run.not_grouped", {
        run_id,
        correlation_id,
        cause: describeCause(error),
      });
      return null;
    }
  }
}

parseEntries<RunGroupApi>(RunGroupObject, isEnvUsable, RUN_GROUP_ENTRIES);

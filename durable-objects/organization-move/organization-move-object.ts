import { DurableObject } from "cloudflare:workers";
import type {
  MoveRefused,
  OrganizationMove,
  OrganizationMovesApi,
} from "../../src/contracts/workspaces/organization-move.ts";
import { beginMove, clearFormerHome, FORMER_ROWS_MS } from "../../src/domain/moves/begin-move.ts";
import {
  afterFailure,
  hasEnded,
  isWaitedFor,
  type MoveRecord,
  noMove,
  retryMs,
  viewOf,
} from "../../src/domain/moves/move-record.ts";
import { BETWEEN_FENCES_MS, stepMove } from "../../src/domain/moves/step-move.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { isRunnerEnvUsable } from "../../src/platform/check-env.ts";
import type { RunnerEnv } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { askHome } from "../../src/storage/d1/databases.ts";
import { parseEntries } from "../shared/entries.ts";
import { ObjectAlarm } from "../shared/object-alarm.ts";
import { MOVE_ENTRIES } from "./move-entries.ts";

/** Rows of the object; each value has the format's version. It needs no list of migrations. */
const MOVE_KEY = "move";
const FORMER_KEY = "former";
const FORMAT = 1;
/** A format of a later release is left alone, and looked at again. */
const LATER_MS = 60_000;
const RETRY_MS = 30_000;
/** After this, the alarm goes on in place of an instance that was lost; sooner where writes may be waiting. */
const LOST_MS = 1_000;
const LOST_WAITING_MS = 50;
/** Steps of one alarm, which is one invocation with its limits; each makes a few dozen calls at most. */
const STEPS_MAX = 20;

/** A shard that has rows of the organization until a time. */
interface FormerHome {
  readonly shard: number;
  readonly untilMs: number;
}

interface StoredFormer {
  readonly format: number;
  readonly homes: readonly FormerHome[];
}

/**
 * Moves one organization from shard to shard; its name is the organization's id. Its alarm takes the steps of
 * `domain/moves`, and keeps the record after each.
 */
export class OrganizationMoveObject
  extends DurableObject<RunnerEnv>
  implements OrganizationMovesApi
{
  readonly #alarm = new ObjectAlarm(this.ctx.storage, {
    object: "organization_move",
    failedEvent: "organization_move.alarm_failed",
    retryMs: RETRY_MS,
  });

  async start(request: {
    readonly v: 1;
    readonly organization_id: string;
    readonly shard: number;
  }): Promise<OrganizationMove | MoveRefused> {
    this.#requireOwn(request.organization_id);
    const last = this.#read();
    const begun = await beginMove(
      this.env,
      last,
      { organization: request.organization_id, to: request.shard },
      Date.now(),
    );
    if ("code" in begun) {
      return begun;
    }
    const isFirst = this.#read()?.startedAtMs === last?.startedAtMs;
    if (!isFirst) {
      return { code: "conflict", message: "Another request has just begun a move." };
    }
    // The move empties the shard that it goes to.
    this.#keepFormer(this.#former().filter(({ shard }) => shard !== begun.to));
    this.#keep(begun);
    this.#alarm.moveTo(Date.now());
    return viewOf(begun);
  }

  async read(request: {
    readonly v: 1;
    readonly organization_id: string;
  }): Promise<OrganizationMove> {
    this.#requireOwn(request.organization_id);
    const record = this.#read();
    return record === undefined
      ? noMove(request.organization_id, (await askHome(this.env, request.organization_id)).shard)
      : viewOf(record);
  }

  override alarm(): Promise<void> {
    return this.#alarm.fire(async () => {
      if (this.#isLater()) {
        this.#alarm.moveTo(Date.now() + LATER_MS);
        return;
      }
      this.#alarm.moveTo(Date.now() + (this.#isWaitedFor() ? LOST_WAITING_MS : LOST_MS));
      const waitMs = await this.#goOn();
      if (waitMs !== null) {
        this.#alarm.moveTo(Date.now() + waitMs);
        return;
      }
      // Once no move is under way: a former home that does not respond must not keep its writes waiting.
      const former = await this.#clearFormer();
      const dueMs = Math.min(Number.POSITIVE_INFINITY, ...former.map(({ untilMs }) => untilMs));
      if (dueMs === Number.POSITIVE_INFINITY) {
        this.#alarm.disarm();
      } else {
        this.#alarm.moveTo(dueMs);
      }
    });
  }

  /** Takes steps. Returns the delay until the next one; null if the move has ended. */
  async #goOn(): Promise<number | null> {
    let record = this.#read();
    for (let steps = 0; record !== undefined && !hasEnded(record) && steps < STEPS_MAX; steps++) {
      const before: MoveRecord = record;
      try {
        const after = await stepMove(
          this.env,
          before,
          (fenced) => {
            this.#keep(fenced);
            this.#alarm.moveTo(Date.now() + LOST_WAITING_MS);
          },
          Date.now,
        );
        record = { ...after, failures: 0 };
        if (hasEnded(record)) {
          const shard = record.phase === "moved" ? record.from : record.to;
          this.#keepFormer([...this.#former(), { shard, untilMs: Date.now() + FORMER_ROWS_MS }]);
        }
        this.#keep(record);
        if (record.fences > before.fences && record.phase === "catching_up") {
          return BETWEEN_FENCES_MS;
        }
      } catch (error) {
        const cause = describeCause(error);
        // The step may have kept a later record before it failed.
        record = afterFailure(this.#read() ?? before, cause);
        this.#keep(record);
        createLogger({ worker: "runner", object: "organization_move" }).error(
          "organization_move.step_failed",
          { organization_id: record.organization, phase: record.phase, cause },
        );
        return retryMs(record);
      }
    }
    return record === undefined || hasEnded(record) ? null : 0;
  }

  /** Deletes the rows at former homes whose time is over. Returns the others. */
  async #clearFormer(): Promise<readonly FormerHome[]> {
    const nowMs = Date.now();
    const { name } = this.ctx.id;
    for (const former of this.#former()) {
      if (former.untilMs <= nowMs && name !== undefined) {
        await clearFormerHome(this.env, name, former.shard);
        this.#keepFormer(this.#former().filter(({ shard }) => shard !== former.shard));
      }
    }
    return this.#former();
  }

  #read(): MoveRecord | undefined {
    return this.ctx.storage.kv.get<MoveRecord>(MOVE_KEY);
  }

  #keep(record: MoveRecord): void {
    this.ctx.storage.kv.put(MOVE_KEY, record);
  }

  #former(): readonly FormerHome[] {
    return this.ctx.storage.kv.get<StoredFormer>(FORMER_KEY)?.homes ?? [];
  }

  #keepFormer(homes: readonly FormerHome[]): void {
    this.ctx.storage.kv.put(FORMER_KEY, { format: FORMAT, homes } satisfies StoredFormer);
  }

  /** Whether writes may be waiting for the next step. */
  #isWaitedFor(): boolean {
    const record = this.#read();
    return record !== undefined && isWaitedFor(record);
  }

  #isLater(): boolean {
    const formats = [
      this.#read()?.format,
      this.ctx.storage.kv.get<StoredFormer>(FORMER_KEY)?.format,
    ];
    return formats.some((format) => format !== undefined && format !== FORMAT);
  }

  /** Throws if the caller means another organization. */
  #requireOwn(organizationId: string): void {
    if (organizationId === "" || this.ctx.id.name !== organizationId) {
      throw new Error("The object of a move was called for another organization.");
    }
  }
}

parseEntries<OrganizationMovesApi>(OrganizationMoveObject, isRunnerEnvUsable, MOVE_ENTRIES);

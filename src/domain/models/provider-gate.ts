/**
 * Who may call a provider now (docs/contract/models.md#concurrency): places up to the configured numbers, a queue for
 * the rest, and the pauses that providers ask for with 429. Pure: it knows no clock and reaches nothing.
 *
 * Workspaces take turns, and so do the runs of a workspace. A place that becomes free is reserved for the next task,
 * which has to claim it soon. The queue has a maximum length: those who find it full are told when to ask again.
 */

import type { GateAnswer, GateLimits } from "../../contracts/models/provider-gate.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** A task at the gate. */
export interface GateVisit {
  readonly workspace: string;
  readonly run: string;
  /** Null for a visitor that asks again by itself and is not to be woken. */
  readonly task: number | null;
  /** The same in every attempt. */
  readonly holder: string;
}

/** A task whose place is reserved. */
export interface Wake {
  readonly workspace: string;
  readonly run: string;
  readonly task: number;
  readonly holder: string;
}

interface Place {
  readonly workspace: string;
  readonly kind: "reserved" | "request" | "job";
  readonly untilMs: number;
}

/** Executors renew the places of their requests three times in this time; that of a killed one ends with it. */
export const REQUEST_LEASE_MS = 30_000;
/** A job renews its place with each poll; polls pause for at most a minute. */
export const JOB_LEASE_MS = 150_000;
/** For the way of a reserved place: a hint, a claim and the call. */
const RESERVED_MS = 15_000;
/** No pause is longer, also after the clock has stepped back. */
const PAUSE_MAX_MS = 60_000;
/** Those who wait are woken. What they do if the gate has lost its memory: ask again, at most four in a second. */
const ASK_AGAIN_MS = 30_000;
const ASK_AGAIN_EACH_MS = 250;
const ASK_AGAIN_MAX_MS = 3_600_000;

/** Holder → its task. An entry has only these, because there may be thousands. */
type RunQueue = Map<string, number | null>;
type WorkspaceQueue = Map<string, RunQueue>;

export class ProviderGate {
  #limits: GateLimits = { all: Infinity, each: Infinity };
  readonly #places = new Map<string, Place>();
  /** Workspace → end of its pause. */
  readonly #pauses = new Map<string, number>();
  /** Workspace → run → holder; the first of each is next. */
  readonly #queue = new Map<string, WorkspaceQueue>();
  #waiting = 0;
  readonly #queueMax: number;
  /** When the last of those who found the queue full asks again. */
  #lastAskMs = 0;

  /** `jobs` are holders of jobs and their workspaces, from before the gate lost its memory. */
  constructor(
    jobs: readonly (readonly [holder: string, workspace: string])[],
    nowMs: number,
    queueMax = LIMITS.provider_queue.value,
  ) {
    this.#queueMax = queueMax;
    for (const [holder, workspace] of jobs) {
      this.#places.set(holder, { workspace, kind: "job", untilMs: nowMs + JOB_LEASE_MS });
    }
  }

  get waiting(): number {
    return this.#waiting;
  }

  get placesHeld(): number {
    return this.#places.size;
  }

  get jobs(): readonly (readonly [holder: string, workspace: string])[] {
    return [...this.#places].flatMap(([holder, { kind, workspace }]) =>
      kind === "job" ? [[holder, workspace] as const] : [],
    );
  }

  /** Admits the visitor, or queues it if there is room. `wakes` receives those for whom places became free before it. */
  enter(visit: GateVisit, limits: GateLimits, nowMs: number, wakes: Wake[]): GateAnswer {
    this.#limits = limits;
    const { workspace, holder } = visit;
    const pausedMs = this.#pausedMs(workspace, nowMs);
    const known = this.#places.get(holder);
    if (known?.kind === "reserved" && pausedMs > 0) {
      this.#places.delete(holder);
    } else if (known !== undefined) {
      this.#hold(holder, workspace, known.kind === "job" ? "job" : "request", nowMs);
      return { admitted: true };
    }
    wakes.push(...this.grant(nowMs));
    const reserved = this.#places.get(holder);
    if (reserved !== undefined || (pausedMs === 0 && this.#hasRoom(workspace))) {
      this.#unqueue(visit);
      this.#hold(holder, workspace, "request", nowMs);
      return { admitted: true };
    }
    const ownMs = this.#enqueue(visit)
      ? Math.min(ASK_AGAIN_MS + this.#waiting * ASK_AGAIN_EACH_MS, ASK_AGAIN_MAX_MS)
      : this.#nextAskMs(nowMs) - nowMs;
    return { admitted: false, wait_ms: Math.max(pausedMs, ownMs) };
  }

  /**
   * The holder is still at work; one that the gate does not know gets its place back, whether or not there is room. `was`
   * is the holder that a job had while it was submitted. Returns the milliseconds for which its workspace may not call.
   */
  renew(
    { workspace, holder }: Pick<GateVisit, "workspace" | "holder">,
    { isJob, was }: { readonly isJob: boolean; readonly was?: string | undefined },
    nowMs: number,
  ): number {
    if (was !== undefined) {
      this.#places.delete(was);
    }
    this.#hold(holder, workspace, isJob ? "job" : "request", nowMs);
    return this.#pausedMs(workspace, nowMs);
  }

  /** Gives the place back, and the place in the queue. */
  leave({ workspace, run, holder }: Omit<GateVisit, "task">): void {
    this.#places.delete(holder);
    this.#unqueue({ workspace, run, holder });
  }

  /** Nobody of this run waits any more. */
  forgetRun(workspace: string, run: string): void {
    const runs = this.#queue.get(workspace);
    this.#waiting -= runs?.get(run)?.size ?? 0;
    runs?.delete(run);
    if (runs?.size === 0) {
      this.#queue.delete(workspace);
    }
  }

  /** Nobody of this workspace is admitted until then. A pause that was asked for before is not cut short. */
  pause(workspace: string, forMs: number, nowMs: number): void {
    this.#pauses.set(workspace, Math.max(this.#pauses.get(workspace) ?? 0, nowMs + forMs));
  }

  /** Ends what has run out, and reserves free places for those who are next. */
  grant(nowMs: number): Wake[] {
    for (const [holder, place] of this.#places) {
      if (place.untilMs <= nowMs) {
        this.#places.delete(holder);
      } else if (place.untilMs > nowMs + JOB_LEASE_MS) {
        // The clock has stepped back.
        this.#places.set(holder, { ...place, untilMs: nowMs + JOB_LEASE_MS });
      }
    }
    for (const [workspace, untilMs] of this.#pauses) {
      if (untilMs <= nowMs) {
        this.#pauses.delete(workspace);
      }
    }
    const wakes: Wake[] = [];
    for (let next = this.#next(nowMs); next !== undefined; next = this.#next(nowMs)) {
      this.#unqueue(next);
      this.#turn(next);
      const { workspace, run, task, holder } = next;
      this.#places.set(holder, { workspace, kind: "reserved", untilMs: nowMs + RESERVED_MS });
      if (task !== null) {
        wakes.push({ workspace, run, task, holder });
      }
    }
    return wakes;
  }

  /** When `grant` may have something to do although nobody enters or leaves; null if nobody waits. */
  nextMs(): number | null {
    if (this.#waiting === 0) {
      return null;
    }
    let next = Infinity;
    for (const { untilMs } of this.#places.values()) {
      next = Math.min(next, untilMs);
    }
    for (const [workspace, untilMs] of this.#pauses) {
      next = this.#queue.has(workspace) ? Math.min(next, untilMs) : next;
    }
    return Number.isFinite(next) ? next : null;
  }

  #hold(holder: string, workspace: string, kind: "request" | "job", nowMs: number): void {
    const leaseMs = kind === "job" ? JOB_LEASE_MS : REQUEST_LEASE_MS;
    this.#places.set(holder, { workspace, kind, untilMs: nowMs + leaseMs });
  }

  #pausedMs(workspace: string, nowMs: number): number {
    return Math.min(Math.max(0, (this.#pauses.get(workspace) ?? 0) - nowMs), PAUSE_MAX_MS);
  }

  #hasRoom(workspace: string): boolean {
    const { all, each } = this.#limits;
    if (this.#places.size >= all) {
      return false;
    }
    let own = 0;
    for (const place of this.#places.values()) {
      own += place.workspace === workspace ? 1 : 0;
    }
    return own < each;
  }

  #next(nowMs: number): GateVisit | undefined {
    for (const [workspace, runs] of this.#queue) {
      if (this.#pausedMs(workspace, nowMs) === 0 && this.#hasRoom(workspace)) {
        for (const [run, waiting] of runs) {
          for (const [holder, task] of waiting) {
            return { workspace, run, task, holder };
          }
        }
      }
    }
    return undefined;
  }

  /** The workspace of an admitted visitor, and its run, come after the others. */
  #turn({ workspace, run }: GateVisit): void {
    const runs = this.#queue.get(workspace);
    if (runs === undefined) {
      return;
    }
    const waiting = runs.get(run);
    if (waiting !== undefined) {
      runs.delete(run);
      runs.set(run, waiting);
    }
    this.#queue.delete(workspace);
    this.#queue.set(workspace, runs);
  }

  /** Returns whether the visitor is in the queue. */
  #enqueue({ workspace, run, holder, task }: GateVisit): boolean {
    const isKnown = this.#queue.get(workspace)?.get(run)?.has(holder) === true;
    if (!isKnown && this.#waiting >= this.#queueMax && !this.#makeRoom(workspace, run)) {
      return false;
    }
    const runs: WorkspaceQueue = this.#queue.get(workspace) ?? new Map<string, RunQueue>();
    this.#queue.set(workspace, runs);
    const waiting: RunQueue = runs.get(run) ?? new Map<string, number | null>();
    runs.set(run, waiting);
    this.#waiting += isKnown ? 0 : 1;
    // One that asks again keeps its position.
    waiting.set(holder, task);
    return true;
  }

  /**
   * In a full queue, the last of those who have most in it makes room for a workspace or a run that has less. It was told
   * when to ask again.
   */
  #makeRoom(workspace: string, run: string): boolean {
    const own = lengthOf(this.#queue.get(workspace));
    const [name, length] = longest(this.#queue, lengthOf);
    const from = own + 1 < length ? name : workspace;
    const runs = this.#queue.get(from);
    const [lastRun, runLength] = longest(runs, (waiting) => waiting.size);
    if (from === workspace && (runs?.get(run)?.size ?? 0) + 1 >= runLength) {
      return false;
    }
    const holder = [...(runs?.get(lastRun)?.keys() ?? [])].at(-1);
    if (holder === undefined) {
      return false;
    }
    this.#unqueue({ workspace: from, run: lastRun, holder });
    return true;
  }

  /** Those who found the queue full come one after the other. */
  #nextAskMs(nowMs: number): number {
    const next = Math.max(this.#lastAskMs + ASK_AGAIN_EACH_MS, nowMs + ASK_AGAIN_MS);
    this.#lastAskMs = Math.min(next, nowMs + ASK_AGAIN_MAX_MS);
    return this.#lastAskMs;
  }

  #unqueue({ workspace, run, holder }: Omit<GateVisit, "task">): void {
    const runs = this.#queue.get(workspace);
    const waiting = runs?.get(run);
    if (waiting?.delete(holder) === true) {
      this.#waiting -= 1;
    }
    if (waiting?.size === 0) {
      runs?.delete(run);
    }
    if (runs?.size === 0) {
      this.#queue.delete(workspace);
    }
  }
}

function lengthOf(runs: WorkspaceQueue = new Map<string, RunQueue>()): number {
  let length = 0;
  for (const waiting of runs.values()) {
    length += waiting.size;
  }
  return length;
}

/** The key whose value is longest, with its length. */
function longest<T>(
  all: ReadonlyMap<string, T> = new Map<string, T>(),
  measure: (value: T) => number,
): readonly [key: string, length: number] {
  let found: readonly [string, number] = ["", 0];
  for (const [key, value] of all) {
    const length = measure(value);
    found = length > found[1] ? [key, length] : found;
  }
  return found;
}

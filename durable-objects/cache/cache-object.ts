import { DurableObject } from "cloudflare:workers";
import type {
  CacheDrop,
  CacheFigures,
  CacheFilter,
  CacheLookUp,
  CacheObjectApi,
  CacheSize,
  CacheWrite,
  KeptEntry,
} from "../../src/contracts/runs/result-cache.ts";
import { storedBytes, usageOf } from "../../src/domain/storage/current-usage.ts";
import {
  bytesOver,
  nextEviction,
  roomyMax,
  untoldMax,
} from "../../src/engine/reuse/cache-eviction.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";
import { isRunnerEnvUsable } from "../../src/platform/check-env.ts";
import type { RunnerEnv } from "../../src/platform/env.ts";
import { AssetStore } from "../../src/storage/d1/asset-store.ts";
import { CACHE_DIGITS, cacheObject } from "../../src/storage/objects/cache-objects.ts";
import { ObjectAlarm } from "../shared/object-alarm.ts";
import { parseEntries } from "../shared/entries.ts";
import { CACHE_ENTRIES } from "./cache-entries.ts";
import { CacheStore } from "./cache-store.ts";

const RETRY_MS = 60_000;

/** The object of this digit counts what all objects of the workspace hold. */
const COUNTING_DIGIT = "0";
/** Evictions after one write; what is left over goes with the next. */
const EVICTIONS_MAX = 10_000;
const STORED_FOR_MS = 60_000;
/** The files of runs are listed to measure them. If that takes longer, their last figure counts, and the next write finds the new one. */
const MEASURED_WITHIN_MS = 2_000;

type Request<M extends keyof CacheObjectApi> = Parameters<CacheObjectApi[M]>[0];

/**
 * The results of one workspace whose keys begin with one hexadecimal digit (docs/decisions/result-cache.md). Its name is
 * the workspace's id, a slash and the digit.
 */
export class CacheObject extends DurableObject<RunnerEnv> implements CacheObjectApi {
  readonly #store = new CacheStore(this.ctx.storage);
  readonly #alarm = new ObjectAlarm(this.ctx.storage, {
    object: "cache",
    failedEvent: "cache.expiry_failed",
    retryMs: RETRY_MS,
  });

  /** What the counting object knows of this one; undefined until it was told since this one began. */
  #told: number | undefined;
  #settling: Promise<void> = Promise.resolve();
  #stored: { readonly atMs: number; readonly bytes: number } | undefined;

  lookUp(request: CacheLookUp): Promise<readonly (KeptEntry | null)[]> {
    this.#requireOwn(request.workspace_id);
    return Promise.resolve(this.#store.lookUp(request, Date.now()));
  }

  async write({ workspace_id, bounds, entries }: CacheWrite): Promise<void> {
    this.#requireOwn(workspace_id);
    // A larger one would evict all others, and then itself.
    const admitted = entries.filter(({ bytes }) => bytes <= bounds.max_bytes);
    if (admitted.length === 0 || (await this.#isStorageFull(workspace_id, bounds.quota_bytes))) {
      return;
    }
    this.#store.write(admitted, bounds.ttl, Date.now());
    const next = this.#store.nextExpiryMs();
    if (next !== null) {
      this.#alarm.arm(next);
    }
    const { max_bytes } = bounds;
    const request = { v: 1, workspace_id, digit: this.#digit, max_bytes } as const;
    const size = this.#store.size();
    if (this.#told !== undefined && size.bytes - this.#told <= untoldMax(max_bytes)) {
      return;
    }
    // Before the call, in which this object may be asked to evict.
    this.#told = size.bytes;
    try {
      await (this.#digit === COUNTING_DIGIT
        ? this.settle({ ...request, size })
        : cacheObject(this.env, workspace_id, COUNTING_DIGIT).settle({ ...request, size }));
    } catch (error) {
      this.#told = undefined;
      throw error;
    }
  }

  evict({ workspace_id, bytes, until_ms }: Request<"evict">): Promise<CacheSize> {
    this.#requireOwn(workspace_id);
    return Promise.resolve(this.#evict(bytes, until_ms));
  }

  async settle({ workspace_id, digit, size, max_bytes }: Request<"settle">): Promise<void> {
    this.#requireOwn(workspace_id);
    this.#store.putPart(digit, size);
    // One after another: two that evict at once would evict twice.
    this.#settling = this.#settling
      .catch(() => undefined)
      .then(() => this.#evictBeyond(workspace_id, max_bytes));
    await this.#settling;
  }

  /** Evicts what was unused for longest in all objects of the workspace until they hold at most this together. */
  async #evictBeyond(workspaceId: string, max: number): Promise<void> {
    const parts = this.#store.parts();
    if (bytesOver(parts, max - untoldMax(max) * CACHE_DIGITS.length) <= 0) {
      return;
    }
    // What they reported last may have expired or been deleted since.
    for (const digit of parts.keys()) {
      this.#store.putPart(digit, await this.#evictIn(workspaceId, digit, 0, 0));
    }
    for (let round = 0; round < EVICTIONS_MAX; round++) {
      const next = nextEviction(this.#store.parts(), roomyMax(max), Date.now());
      if (next === null) {
        return;
      }
      const size = await this.#evictIn(workspaceId, next.digit, next.bytes, next.untilMs);
      this.#store.putPart(next.digit, size);
    }
  }

  async #evictIn(
    workspaceId: string,
    digit: string,
    bytes: number,
    untilMs: number,
  ): Promise<CacheSize> {
    return digit === this.#digit
      ? this.#evict(bytes, untilMs)
      : await cacheObject(this.env, workspaceId, digit).evict({
          v: 1,
          workspace_id: workspaceId,
          bytes,
          until_ms: untilMs,
        });
  }

  /** Only the counting object asks for this, and then knows the size. */
  #evict(bytes: number, untilMs: number): CacheSize {
    const size = this.#store.evict(bytes, untilMs);
    this.#told = size.bytes;
    return size;
  }

  /** Whether the workspace stores as much as its plan allows; known for a minute, of a figure that is at most another one old. */
  async #isStorageFull(workspaceId: string, quota: number | null): Promise<boolean> {
    if (quota === null) {
      return false;
    }
    const nowMs = Date.now();
    if (this.#stored === undefined || nowMs - this.#stored.atMs > STORED_FOR_MS) {
      // Nobody may have asked for the usage since the runs that fill the storage.
      const measuring = usageOf(this.env, workspaceId, nowMs);
      const usage = await withDeadline(measuring, MEASURED_WITHIN_MS).catch(() =>
        new AssetStore(this.env, workspaceId).usage(),
      );
      this.#stored = { atMs: nowMs, bytes: storedBytes(usage) };
    }
    return this.#stored.bytes >= quota;
  }

  drop({ workspace_id, entries }: CacheDrop): Promise<void> {
    this.#requireOwn(workspace_id);
    this.#store.drop(entries, Date.now());
    return Promise.resolve();
  }

  clear(request: CacheFilter): Promise<void> {
    this.#requireOwn(request.workspace_id);
    this.#store.clear(request);
    return Promise.resolve();
  }

  figures({ workspace_id }: Request<"figures">): Promise<CacheFigures> {
    this.#requireOwn(workspace_id);
    return Promise.resolve(this.#store.figures(Date.now()));
  }

  release({ workspace_id, execution }: Request<"release">): Promise<readonly string[]> {
    this.#requireOwn(workspace_id);
    return Promise.resolve(this.#store.release(execution, Date.now()));
  }

  override alarm(): Promise<void> {
    return this.#alarm.fire(() => {
      const next = this.#store.expire(Date.now());
      if (next !== null) {
        this.#alarm.arm(next);
      }
      return Promise.resolve();
    });
  }

  get #digit(): string {
    return this.ctx.id.name?.slice(-1) ?? "";
  }

  /** Throws if the caller means the cache of another workspace. */
  #requireOwn(workspaceId: string): void {
    if (workspaceId === "" || this.ctx.id.name?.startsWith(`${workspaceId}/`) !== true) {
      throw new Error("An object of the result cache was called for another workspace.");
    }
  }
}

parseEntries<CacheObjectApi>(CacheObject, isRunnerEnvUsable, CACHE_ENTRIES);

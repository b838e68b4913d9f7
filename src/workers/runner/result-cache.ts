import { WorkerEntrypoint } from "cloudflare:workers";
import { RESULT_CACHE_ENTRIES } from "../../../durable-objects/cache/cache-entries.ts";
import { findEntries } from "../../../durable-objects/cache/find-entries.ts";
import { parseEntries } from "../../../durable-objects/shared/entries.ts";
import type {
  CacheAnswer,
  CacheDrop,
  CacheFigures,
  CacheFilter,
  CacheLookUp,
  CacheObjectApi,
  CacheWrite,
  KeptEntry,
  ResultCacheApi,
} from "../../contracts/runs/result-cache.ts";
import { isRunnerEnvUsable } from "../../platform/check-env.ts";
import type { RunnerEnv } from "../../platform/env.ts";
import { createLogger } from "../../platform/logger.ts";
import { CACHE_DIGITS, cacheObject } from "../../storage/objects/cache-objects.ts";

/** The result cache of a workspace for the other Workers, through their binding RESULT_CACHE. */
export class ResultCache extends WorkerEntrypoint<RunnerEnv> implements ResultCacheApi {
  async find(request: CacheLookUp): Promise<readonly CacheAnswer[]> {
    const { workspace_id } = request;
    const log = createLogger({ worker: "runner", workspace_id });
    return await findEntries(
      { env: this.env, log, waitUntil: (promise) => this.ctx.waitUntil(promise) },
      request,
    );
  }

  async lookUp(request: CacheLookUp): Promise<readonly (KeptEntry | null)[]> {
    return await this.#of(request.workspace_id, request.wanted).lookUp(request);
  }

  async write(request: CacheWrite): Promise<void> {
    await this.#of(request.workspace_id, request.entries).write(request);
  }

  async drop(request: CacheDrop): Promise<void> {
    await this.#of(request.workspace_id, request.entries).drop(request);
  }

  async clear(request: CacheFilter): Promise<void> {
    await this.#all(request.workspace_id, (object) => object.clear(request));
  }

  async figures(request: { v: 1; workspace_id: string }): Promise<CacheFigures> {
    const parts = await this.#all(request.workspace_id, (object) => object.figures(request));
    const sum = (of: (part: CacheFigures) => number) =>
      parts.reduce((total, part) => total + of(part), 0);
    return {
      entries: sum(({ entries }) => entries),
      bytes: sum(({ bytes }) => bytes),
      stored_bytes: sum(({ stored_bytes: stored }) => stored),
      hits: sum(({ hits }) => hits),
      misses: sum(({ misses }) => misses),
      saved_milli_credits: sum(({ saved_milli_credits: saved }) => saved),
    };
  }

  async release(request: {
    v: 1;
    workspace_id: string;
    execution: string;
  }): Promise<readonly string[]> {
    const takers = await this.#all(request.workspace_id, (object) => object.release(request));
    return [...new Set(takers.flat())];
  }

  #of(workspaceId: string, [first]: readonly { readonly key: string }[]): CacheObjectApi {
    return cacheObject(this.env, workspaceId, first?.key.slice(0, 1) ?? "0");
  }

  #all<T>(workspaceId: string, ask: (object: CacheObjectApi) => Promise<T>): Promise<T[]> {
    return Promise.all(CACHE_DIGITS.map((digit) => ask(cacheObject(this.env, workspaceId, digit))));
  }
}

parseEntries<ResultCacheApi>(ResultCache, isRunnerEnvUsable, RESULT_CACHE_ENTRIES);

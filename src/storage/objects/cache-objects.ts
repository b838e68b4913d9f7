import type { CacheObjectApi, ResultCacheApi } from "../../contracts/runs/result-cache.ts";
import type { RunnerEnv, TaskEnv } from "../../platform/env.ts";

/** First digits of keys: each has an object of its own in each workspace. */
export const CACHE_DIGITS = "0123456789abcdef".split("");

/** The object of a workspace's results whose keys begin with a digit. */
export function cacheObject(
  env: Pick<RunnerEnv, "CACHE">,
  workspaceId: string,
  digit: string,
): CacheObjectApi {
  return env.CACHE.get(env.CACHE.idFromName(`${workspaceId}/${digit}`));
}

/** The same for an executor of any Worker. Throws if the Worker has neither the objects nor the entry point. */
export function cacheOf(
  { CACHE, RESULT_CACHE }: Pick<TaskEnv, "CACHE" | "RESULT_CACHE">,
  workspaceId: string,
  digit: string,
): Pick<ResultCacheApi, "lookUp" | "write" | "drop"> {
  if (CACHE !== undefined) {
    return cacheObject({ CACHE }, workspaceId, digit);
  }
  if (RESULT_CACHE === undefined) {
    throw new Error("This Worker has no binding of the result cache.");
  }
  return RESULT_CACHE;
}

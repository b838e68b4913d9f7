import type { AppContext } from "./context.ts";
import type { Env } from "./env.ts";
import { createLogger } from "./logger.ts";
import { RequestMemory } from "./request-memory.ts";

const rootLog = createLogger({ service: "edgeloom" });

/** Builds the context of one request, alarm or message. `baseUrl` has no trailing slash. */
export function createContext(
  env: Env,
  correlationId: string,
  baseUrl: string,
  waitUntil: (promise: Promise<unknown>) => void,
): AppContext {
  return {
    env,
    log: rootLog.with({ correlation_id: correlationId }),
    correlationId,
    baseUrl,
    nowMs: Date.now,
    memory: new RequestMemory(waitUntil),
    waitUntil,
  };
}

import type { ExecutorObject } from "../../durable-objects/executor/executor-object.ts";
import type { RateLimiterObject } from "../../durable-objects/rate-limiter/rate-limiter-object.ts";
import type { RunObject } from "../../durable-objects/run/run-object.ts";
import type { WorkspaceObject } from "../../durable-objects/workspace/workspace-object.ts";
import type { NodeTasksMessage } from "../contracts/task.ts";

/** Bindings of the API Worker (`wrangler.toml`). */
export interface Env {
  readonly DB: D1Database;
  readonly FILES: R2Bucket;
  readonly RUN: DurableObjectNamespace<RunObject>;
  readonly WORKSPACE: DurableObjectNamespace<WorkspaceObject>;
  readonly RATE_LIMITER: DurableObjectNamespace<RateLimiterObject>;
  readonly NODE_TASKS: Queue<NodeTasksMessage>;
  /** Static docs bundle. */
  readonly ASSETS?: Fetcher;
  /** `local` only under the local boot; anything else is a deployment. */
  readonly ENVIRONMENT: string;
  /** Public address, without a trailing slash; empty means the request's own origin. */
  readonly BASE_URL: string;
  /** Signs access tokens: at least 32 bytes. */
  readonly JWT_SECRET: string;
  /** Operator API; unset means every admin route answers 404. */
  readonly ADMIN_TOKEN?: string;
  /** New at each local boot, constant on Cloudflare: leases of another boot are expired at once. */
  readonly BOOT_ID: string;
  readonly EGRESS_ALLOW_LOOPBACK?: string;
}

/** Bindings of the runner (`queues/wrangler.toml`). */
export interface RunnerEnv {
  readonly FILES: R2Bucket;
  readonly RUN: DurableObjectNamespace<RunObject>;
  readonly EXECUTOR: DurableObjectNamespace<ExecutorObject>;
  readonly ENVIRONMENT: string;
  readonly BOOT_ID: string;
}

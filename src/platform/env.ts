import type { ExecutorObject } from "../../durable-objects/executor/executor-object.ts";
import type { RateLimiterObject } from "../../durable-objects/rate-limiter/rate-limiter-object.ts";
import type { RunObject } from "../../durable-objects/run/run-object.ts";
import type { UploadObject } from "../../durable-objects/upload/upload-object.ts";
import type { WebhookEndpointObject } from "../../durable-objects/webhook-endpoint/webhook-endpoint-object.ts";
import type { WebhookSenderObject } from "../../durable-objects/webhook-sender/webhook-sender-object.ts";
import type { ZipBuilderObject } from "../../durable-objects/zip-builder/zip-builder-object.ts";
import type { ZipExportObject } from "../../durable-objects/zip-export/zip-export-object.ts";
import type { WorkspaceObject } from "../../durable-objects/workspace/workspace-object.ts";
import type { NodeTasksMessage } from "../contracts/task.ts";
import type { WebhookDeliveriesMessage } from "../contracts/webhook-object-api.ts";
import type { ZipBuildersApi } from "../contracts/zip-export.ts";
import type { FontCheckerApi } from "../formats/font/font-check.ts";

/** Bindings of the API Worker (`wrangler.toml`). */
export interface Env {
  readonly DB: D1Database;
  readonly FILES: R2Bucket;
  readonly RUN: DurableObjectNamespace<RunObject>;
  readonly WORKSPACE: DurableObjectNamespace<WorkspaceObject>;
  readonly RATE_LIMITER: DurableObjectNamespace<RateLimiterObject>;
  readonly WEBHOOK_ENDPOINT: DurableObjectNamespace<WebhookEndpointObject>;
  readonly UPLOAD: DurableObjectNamespace<UploadObject>;
  readonly NODE_TASKS: Queue<NodeTasksMessage>;
  readonly WEBHOOK_DELIVERIES: Queue<WebhookDeliveriesMessage>;
  readonly ZIP_EXPORT: DurableObjectNamespace<ZipExportObject>;
  /** Judges fonts; an entry point of the runner. */
  readonly FONT_CHECKER: FontCheckerApi;
  /** Wakes the builders of archives; an entry point of the runner. */
  readonly ZIP_BUILDERS: ZipBuildersApi;
  /** Swagger UI's files and the system fonts. */
  readonly ASSETS?: Fetcher;
  /** The local service's folder that says whether its disk has room (`storage-state.ts`). */
  readonly RESERVE?: Fetcher;
  /** In the local service, the machine's own resolver, for the egress guard. */
  readonly RESOLVER?: Fetcher;
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
  readonly PROVIDERS_ALLOW_LOOPBACK?: string;
  /** `1` in local mode logs each durable step of runs (`effect-log.ts`). */
  readonly EFFECT_LOG?: string;
  /** `private` signs every file address for an hour; `public`, the default, leaves it to the path. */
  readonly FILE_ACCESS?: string;
  /** `off` answers 501 on every presigned upload route. */
  readonly PRESIGNED_UPLOADS?: string;
  /** Bytes of a multipart session at most, digits; 250 MB when unset. */
  readonly MULTIPART_MAX_BYTES?: string;
  /** With all four set, clients put to the store itself: the S3 address of the account, its bucket, and a key. */
  readonly S3_ENDPOINT?: string;
  readonly S3_BUCKET?: string;
  readonly S3_ACCESS_KEY_ID?: string;
  readonly S3_SECRET_ACCESS_KEY?: string;
}

/** Bindings of the runner (`queues/wrangler.toml`). */
export interface RunnerEnv {
  readonly DB: D1Database;
  readonly FILES: R2Bucket;
  readonly RUN: DurableObjectNamespace<RunObject>;
  readonly EXECUTOR: DurableObjectNamespace<ExecutorObject>;
  readonly WEBHOOK_ENDPOINT: DurableObjectNamespace<WebhookEndpointObject>;
  readonly WEBHOOK_SENDER: DurableObjectNamespace<WebhookSenderObject>;
  readonly ZIP_EXPORT: DurableObjectNamespace<ZipExportObject>;
  readonly ZIP_BUILDER: DurableObjectNamespace<ZipBuilderObject>;
  readonly RESOLVER?: Fetcher;
  readonly ENVIRONMENT: string;
  readonly BOOT_ID: string;
  readonly EGRESS_ALLOW_LOOPBACK?: string;
  readonly PROVIDERS_ALLOW_LOOPBACK?: string;
}

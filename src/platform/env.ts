import type { WorkspaceObjectApi } from "../contracts/admission.ts";
import type { RateLimiterApi } from "../contracts/rate-limit.ts";
import type { RunObjectApi } from "../contracts/run-object-api.ts";
import type { ExecutorApi, NodeTasksMessage, RunTasksApi } from "../contracts/task.ts";
import type { UploadObjectApi } from "../contracts/upload.ts";
import type {
  WebhookAttemptsApi,
  WebhookDeliveriesMessage,
  WebhookEndpointObjectApi,
  WebhookSenderApi,
} from "../contracts/webhook-object-api.ts";
import type {
  RunExportApi,
  ZipBuildApi,
  ZipBuilderApi,
  ZipBuildersApi,
  ZipExportObjectApi,
} from "../contracts/zip-export.ts";
import type { FontCheckerApi } from "../formats/font/font-check.ts";
import type { ObjectNamespace } from "./object-namespace.ts";

/** The run object answers its events by `fetch`; `openRunEvents` speaks that language. */
type RunEventsApi = { fetch(url: string): Promise<Response> };

/** Bindings of the API Worker (`wrangler.toml`). */
export interface Env {
  readonly DB: D1Database;
  readonly FILES: R2Bucket;
  readonly RUN: ObjectNamespace<RunObjectApi & RunExportApi & RunEventsApi>;
  readonly WORKSPACE: ObjectNamespace<WorkspaceObjectApi>;
  readonly RATE_LIMITER: ObjectNamespace<RateLimiterApi>;
  readonly WEBHOOK_ENDPOINT: ObjectNamespace<WebhookEndpointObjectApi>;
  readonly UPLOAD: ObjectNamespace<UploadObjectApi>;
  readonly NODE_TASKS: Queue<NodeTasksMessage>;
  readonly WEBHOOK_DELIVERIES: Queue<WebhookDeliveriesMessage>;
  readonly ZIP_EXPORT: ObjectNamespace<ZipExportObjectApi>;
  /** Judges fonts; an entry point of the runner. */
  readonly FONT_CHECKER: FontCheckerApi;
  /** Wakes the builders of archives; an entry point of the runner. */
  readonly ZIP_BUILDERS: ZipBuildersApi;
  /** Styles and scripts of the pages, and the system fonts. */
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
  readonly RUN: ObjectNamespace<RunTasksApi & RunExportApi>;
  readonly EXECUTOR: ObjectNamespace<ExecutorApi>;
  readonly WEBHOOK_ENDPOINT: ObjectNamespace<WebhookAttemptsApi>;
  readonly WEBHOOK_SENDER: ObjectNamespace<WebhookSenderApi>;
  readonly ZIP_EXPORT: ObjectNamespace<ZipBuildApi>;
  readonly ZIP_BUILDER: ObjectNamespace<ZipBuilderApi>;
  readonly RESOLVER?: Fetcher;
  readonly ENVIRONMENT: string;
  readonly BOOT_ID: string;
  readonly EGRESS_ALLOW_LOOPBACK?: string;
  readonly PROVIDERS_ALLOW_LOOPBACK?: string;
}

import type { CacheObjectApi, ResultCacheApi } from "../contracts/runs/result-cache.ts";
import type { RunComparisonApi } from "../contracts/runs/run-comparison-api.ts";
import type { FileTypesApi } from "../contracts/files/file-types.ts";
import type { SoundDecoderApi } from "../contracts/media/decoded-sound.ts";
import type { ThumbnailsApi } from "../contracts/media/thumbnails.ts";
import type { AiBinding } from "./ai-binding.ts";
import type { WorkspaceObjectApi } from "../contracts/workspaces/admission.ts";
import type { ProviderGateApi } from "../contracts/models/provider-gate.ts";
import type { OrganizationMovesApi } from "../contracts/workspaces/organization-move.ts";
import type { OrganizationAccessApi } from "../contracts/workspaces/organization-access.ts";
import type { RateLimiterApi } from "../contracts/workspaces/rate-limit.ts";
import type { RunGroupApi } from "../contracts/runs/run-group-api.ts";
import type { RunObjectApi } from "../contracts/runs/run-object-api.ts";
import type { ExecutorApi, NodeTasksMessage, RunTasksApi } from "../contracts/runs/task.ts";
import type { TemplateDraftApi } from "../contracts/templates/template-object-api.ts";
import type { UploadObjectApi } from "../contracts/files/upload.ts";
import type {
  WebhookAttemptsApi,
  WebhookDeliveriesMessage,
  WebhookEndpointObjectApi,
  WebhookSenderApi,
} from "../contracts/webhooks/webhook-object-api.ts";
import type {
  RunExportApi,
  ZipBuildApi,
  ZipBuilderApi,
  ZipBuildersApi,
  ZipExportObjectApi,
} from "../contracts/runs/zip-export.ts";
import type { BatchExportsApi } from "../contracts/batches/batch-export.ts";
import type { BatchObjectApi } from "../contracts/batches/batch-object-api.ts";
import type { ModelProvidersApi } from "../contracts/models/model-providers.ts";
import type { FontCheckerApi } from "../formats/font/font-check.ts";
import type { ScheduleObjectApi } from "../contracts/schedules/schedule-object-api.ts";
import type { RendererApi } from "../contracts/templates/renderer.ts";
import type { ObjectNamespace } from "./object-namespace.ts";

/** Runs and batches serve their events by `fetch`; `openRunEvents` and `openBatchEvents` are the clients. */
type RunEventsApi = { fetch(url: string): Promise<Response> };

/** Bindings of the API Worker (`wrangler.toml`). */
export interface Env {
  readonly DB: D1Database;
  /** Further shards, `DB_1` to `DB_63` (`storage/d1/databases.ts`). */
  readonly [shard: `DB_${number}`]: D1Database | undefined;
  readonly FILES: R2Bucket;
  readonly RUN: ObjectNamespace<RunObjectApi & RunExportApi & RunEventsApi & RunComparisonApi>;
  readonly RUN_GROUP: ObjectNamespace<RunGroupApi>;
  readonly WORKSPACE: ObjectNamespace<WorkspaceObjectApi>;
  readonly RATE_LIMITER: ObjectNamespace<RateLimiterApi>;
  readonly ORGANIZATION_ACCESS: ObjectNamespace<OrganizationAccessApi>;
  readonly WEBHOOK_ENDPOINT: ObjectNamespace<WebhookEndpointObjectApi>;
  readonly UPLOAD: ObjectNamespace<UploadObjectApi>;
  readonly TEMPLATE_DRAFT: ObjectNamespace<TemplateDraftApi>;
  readonly SCHEDULE: ObjectNamespace<ScheduleObjectApi>;
  readonly BATCH: ObjectNamespace<BatchObjectApi & RunEventsApi>;
  /** Objects of embed tokens, called by `fetch` (`storage/objects/embed-token-object.ts`). */
  readonly EMBED_TOKEN: ObjectNamespace<Pick<Fetcher, "fetch">>;
  readonly NODE_TASKS: Queue<NodeTasksMessage>;
  readonly WEBHOOK_DELIVERIES: Queue<WebhookDeliveriesMessage>;
  readonly ZIP_EXPORT: ObjectNamespace<ZipExportObjectApi>;
  /** Checks fonts; an entry point of the runner. */
  readonly FONT_CHECKER: FontCheckerApi;
  /** Wakes the builders of archives; an entry point of the runner. */
  readonly ZIP_BUILDERS: ZipBuildersApi;
  /** The results that runs take from other runs; an entry point of the runner. */
  readonly RESULT_CACHE: ResultCacheApi;
  /** Moves organizations between shards; an entry point of the runner. */
  readonly ORGANIZATION_MOVES: OrganizationMovesApi;
  /** The exports of batches; an entry point of the runner. */
  readonly BATCH_EXPORTS: BatchExportsApi;
  /** Detects types of files; an entry point of the runner. */
  readonly FILE_TYPES: FileTypesApi;
  /** Makes thumbnails of pictures; an entry point of the runner. */
  readonly THUMBNAILS: ThumbnailsApi;
  /** Asks providers of models what costs nothing; an entry point of the runner. */
  readonly MODEL_PROVIDERS: ModelProvidersApi;
  /** Renders design templates; an entry point of the renderer. */
  readonly RENDERER: RendererApi;
  /** Styles and scripts of the pages, and the system fonts. */
  readonly ASSETS?: Fetcher;
  /** The local service's folder that reports whether its disk has room (`storage-state.ts`). */
  readonly RESERVE?: Fetcher;
  /** In the local service, the machine's own resolver, for the egress guard. */
  readonly RESOLVER?: Fetcher;
  /** `local` only in the local service; any other value is a deployment. */
  readonly ENVIRONMENT: string;
  /** Public address, without a trailing slash; if empty, the request's own origin is used. */
  readonly BASE_URL: string;
  /** Signs access tokens; at least 32 bytes. */
  readonly JWT_SECRET: string;
  /** Token of the operator API; if unset, all admin routes return 404. */
  readonly ADMIN_TOKEN?: string;
  /** New at each start of the local service, constant on Cloudflare. Leases of an earlier start expire at once. */
  readonly BOOT_ID: string;
  readonly EGRESS_ALLOW_LOOPBACK?: string;
  readonly PROVIDERS_ALLOW_LOOPBACK?: string;
  /** Workers AI. With this binding, the provider `workers_ai` is available. */
  readonly AI?: AiBinding;
  /** Encrypts providers' keys: base64 of 32 bytes; of a list separated by commas the first encrypts. */
  readonly PROVIDER_KEYS_SECRET?: string;
  /** Providers of models of the whole deployment: a JSON array (`environment-providers.ts`). */
  readonly AI_PROVIDERS?: string;
  /** `off` leaves the models of the provider `sample` out of the catalog. */
  readonly SAMPLE_PROVIDER?: string;
  /** `1` in local mode logs each durable step of runs (`effect-log.ts`). */
  readonly EFFECT_LOG?: string;
  /** `private` signs every file address for an hour; with `public`, the default, the path alone grants access. */
  readonly FILE_ACCESS?: string;
  /** `off` makes every route of presigned uploads return 501. */
  readonly PRESIGNED_UPLOADS?: string;
  /** Most bytes of a multipart session, in digits; 250 MB if unset. */
  readonly MULTIPART_MAX_BYTES?: string;
  /**
   * If all four are set, clients upload directly to the store: the S3 address of the account, its bucket, and a key.
   */
  readonly S3_ENDPOINT?: string;
  readonly S3_BUCKET?: string;
  readonly S3_ACCESS_KEY_ID?: string;
  readonly S3_SECRET_ACCESS_KEY?: string;
}

/** Bindings of every Worker that runs tasks. */
export interface TaskEnv {
  readonly DB: D1Database;
  /** Further shards, `DB_1` to `DB_63` (`storage/d1/databases.ts`). */
  readonly [shard: `DB_${number}`]: D1Database | undefined;
  readonly FILES: R2Bucket;
  readonly RUN: ObjectNamespace<RunTasksApi & RunExportApi & Pick<RunObjectApi, "readFile">>;
  /** The Worker's own executor objects. */
  readonly EXECUTOR: ObjectNamespace<ExecutorApi>;
  /** The results that runs take from other runs; the runner has their objects. */
  readonly CACHE?: ObjectNamespace<CacheObjectApi>;
  /** The runner's entry point to them, in the other Workers. */
  readonly RESULT_CACHE?: ResultCacheApi;
  readonly RESOLVER?: Fetcher;
  readonly ENVIRONMENT: string;
  readonly BOOT_ID: string;
  readonly EGRESS_ALLOW_LOOPBACK?: string;
  readonly PROVIDERS_ALLOW_LOOPBACK?: string;
  /** Workers AI; the API Worker has it, too, where the catalog lists its models. */
  readonly AI?: AiBinding;
  /** The gates of the providers; the runner has them. */
  readonly PROVIDER_GATE?: ObjectNamespace<ProviderGateApi>;
  /** Decodes sounds for the embedded models; an entry point of the media Worker, which the runner calls. */
  readonly SOUND_DECODER?: SoundDecoderApi;
  /** Decrypts providers' keys; the same as in the API Worker. */
  readonly PROVIDER_KEYS_SECRET?: string;
  /** The same as in the API Worker. */
  readonly AI_PROVIDERS?: string;
}

/** Bindings of the runner (`queues/wrangler.toml`). */
export interface RunnerEnv extends TaskEnv {
  /** Executor objects of the renderer, which get the tasks that need its tools. */
  readonly RENDERER_EXECUTOR: ObjectNamespace<ExecutorApi>;
  /** Executor objects of the media Worker, the same way. */
  readonly MEDIA_EXECUTOR: ObjectNamespace<ExecutorApi>;
  readonly WEBHOOK_ENDPOINT: ObjectNamespace<WebhookAttemptsApi>;
  readonly WEBHOOK_SENDER: ObjectNamespace<WebhookSenderApi>;
  readonly ZIP_EXPORT: ObjectNamespace<ZipBuildApi>;
  readonly ZIP_BUILDER: ObjectNamespace<ZipBuilderApi>;
  readonly BATCH: ObjectNamespace<Pick<BatchObjectApi, "read" | "items" | "inputs">>;
  readonly BATCH_EXPORT: ObjectNamespace<BatchExportsApi>;
  readonly PROVIDER_GATE: ObjectNamespace<ProviderGateApi>;
  readonly SOUND_DECODER: SoundDecoderApi;
  readonly CACHE: ObjectNamespace<CacheObjectApi>;
  readonly ORGANIZATION_MOVE: ObjectNamespace<OrganizationMovesApi>;
}

/** Bindings of the renderer (`src/workers/renderer/wrangler.toml`). */
export interface RendererEnv extends TaskEnv {
  /** The system fonts. */
  readonly ASSETS: Fetcher;
}

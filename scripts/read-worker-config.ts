/** Converts a wrangler file to Miniflare's options, so that bindings are defined once. */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { WorkerOptions } from "miniflare";
import { parse } from "smol-toml";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The wrangler file of each Worker; the API Worker's is the first. */
export const WRANGLER_FILES = [
  "wrangler.toml",
  "queues/wrangler.toml",
  "src/workers/renderer/wrangler.toml",
  "src/workers/media/wrangler.toml",
] as const;

/** Entry of the API Worker. */
export const API_ENTRY = "src/worker.ts";
/** Its bundle for wrangler, which scripts/build-worker.ts writes: `main` in wrangler.toml. */
export const BUILT_API_ENTRY = "dist/worker/worker.js";

interface WranglerFile {
  readonly name: string;
  readonly main: string;
  readonly compatibility_date: string;
  readonly compatibility_flags?: readonly string[];
  readonly vars?: Readonly<Record<string, string>>;
  readonly d1_databases?: readonly {
    binding: string;
    database_name: string;
    database_id: string;
    migrations_dir?: string;
  }[];
  readonly r2_buckets?: readonly { binding: string; bucket_name: string }[];
  readonly queues?: {
    readonly producers?: readonly { binding: string; queue: string }[];
    readonly consumers?: readonly {
      queue: string;
      max_batch_size?: number;
      max_batch_timeout?: number;
      max_retries?: number;
      retry_delay?: number;
      dead_letter_queue?: string;
    }[];
  };
  readonly durable_objects?: {
    readonly bindings: readonly { name: string; class_name: string; script_name?: string }[];
  };
  readonly migrations?: readonly { tag: string; new_sqlite_classes?: readonly string[] }[];
  readonly services?: readonly { binding: string; service: string; entrypoint?: string }[];
  readonly assets?: { directory: string; binding: string; run_worker_first?: boolean };
}

/**
 * Keys that the local service supports or may ignore; any other is an error, so that no binding is dropped silently.
 */
const KNOWN_KEYS = new Set([
  "name",
  "main",
  "compatibility_date",
  "compatibility_flags",
  "send_metrics",
  "minify",
  "no_bundle",
  "keep_names",
  "upload_source_maps",
  "observability",
  "placement",
  "limits",
  "triggers",
  "workers_dev",
  "rules",
  "vars",
  "d1_databases",
  "r2_buckets",
  "queues",
  "durable_objects",
  "migrations",
  "services",
  "assets",
  // Used by wrangler only; the local service calls scripts/build-assets.ts itself.
  "build",
]);

export interface WorkerConfig {
  readonly name: string;
  /** Entry file, relative to the project's root. */
  readonly entry: string;
  readonly migrationsDir: string | undefined;
  /** Bindings and compatibility settings; the caller adds the modules. */
  readonly options: Omit<WorkerOptions, "modules" | "script" | "scriptPath">;
}

/** Reads a wrangler file (path relative to the project's root). Throws on unknown keys. */
export async function readWorkerConfig(
  path: string,
  vars: Readonly<Record<string, string>>,
): Promise<WorkerConfig> {
  // The parser types each value as any TOML; unknown keys are refused below.
  const file = parse(await readFile(join(ROOT, path), "utf8")) as unknown as WranglerFile;
  const unknown = Object.keys(file).filter((key) => !KNOWN_KEYS.has(key));
  if (unknown.length > 0) {
    throw new Error(
      `${path} has keys that scripts/read-worker-config.ts does not support: ${unknown.join(", ")}. Add support for them, or remove them.`,
    );
  }
  const [database] = file.d1_databases ?? [];
  const sqlite = new Set(file.migrations?.flatMap((step) => step.new_sqlite_classes ?? []));
  const options: WorkerConfig["options"] = {
    name: file.name,
    compatibilityDate: file.compatibility_date,
    compatibilityFlags: [...(file.compatibility_flags ?? [])],
    bindings: { ...file.vars, ...vars },
    d1Databases: Object.fromEntries(
      (file.d1_databases ?? []).map((db) => [db.binding, db.database_id]),
    ),
    r2Buckets: Object.fromEntries(
      (file.r2_buckets ?? []).map((bucket) => [bucket.binding, bucket.bucket_name]),
    ),
    queueProducers: Object.fromEntries(
      (file.queues?.producers ?? []).map((producer) => [
        producer.binding,
        { queueName: producer.queue },
      ]),
    ),
    queueConsumers: Object.fromEntries(
      (file.queues?.consumers ?? []).map((consumer) => [
        consumer.queue,
        definedOnly({
          maxBatchSize: consumer.max_batch_size,
          maxBatchTimeout: consumer.max_batch_timeout,
          maxRetries: consumer.max_retries,
          retryDelay: consumer.retry_delay,
          deadLetterQueue: consumer.dead_letter_queue,
        }),
      ]),
    ),
    durableObjects: Object.fromEntries(
      (file.durable_objects?.bindings ?? []).map((binding) => [
        binding.name,
        binding.script_name === undefined
          ? { className: binding.class_name, useSQLite: sqlite.has(binding.class_name) }
          : { className: binding.class_name, scriptName: binding.script_name, useSQLite: true },
      ]),
    ),
    serviceBindings: {
      ...Object.fromEntries(
        (file.services ?? []).map(({ binding, service, entrypoint }) => [
          binding,
          definedOnly({ name: service, entrypoint }),
        ]),
      ),
      // The Worker only needs a folder to read from; Miniflare's assets option would put another Worker in front of
      // every request.
      ...(file.assets === undefined
        ? {}
        : {
            [file.assets.binding]: {
              disk: { path: join(ROOT, dirname(path), file.assets.directory), writable: false },
            },
          }),
    },
  };
  const main = join(dirname(path), file.main);
  return {
    name: file.name,
    entry: main === BUILT_API_ENTRY ? API_ENTRY : main,
    migrationsDir:
      database?.migrations_dir === undefined
        ? undefined
        : join(ROOT, dirname(path), database.migrations_dir),
    options,
  };
}

function definedOnly<T extends Record<string, unknown>>(
  values: T,
): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}

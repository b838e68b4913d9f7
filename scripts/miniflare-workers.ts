import type { WorkerOptions } from "miniflare";
import type { BundledWorker } from "./bundle-workers.ts";

const withoutUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

/**
 * Miniflare's options for bundled Workers, with every binding as the wrangler files say.
 * `vars` override the files' own for every Worker (`ENVIRONMENT`, `BOOT_ID`, secrets).
 */
export function miniflareWorkers(
  workers: readonly BundledWorker[],
  vars: Readonly<Record<string, string>>,
): WorkerOptions[] {
  const sqliteClasses = new Map(
    workers.map(({ settings }) => [
      settings.name,
      new Set(settings.migrations.flatMap((migration) => migration.new_sqlite_classes)),
    ]),
  );
  return workers.map(({ settings, modules }) => ({
    name: settings.name,
    compatibilityDate: settings.compatibility_date,
    compatibilityFlags: settings.compatibility_flags,
    modules: [...modules],
    bindings: { ...settings.vars, ...vars },
    d1Databases: Object.fromEntries(
      settings.d1_databases.map((database) => [database.binding, database.database_id]),
    ),
    r2Buckets: Object.fromEntries(
      settings.r2_buckets.map((bucket) => [bucket.binding, bucket.bucket_name]),
    ),
    queueProducers: Object.fromEntries(
      settings.queues.producers.map(({ binding, queue }) => [binding, { queueName: queue }]),
    ),
    queueConsumers: Object.fromEntries(
      settings.queues.consumers.map((consumer) => [
        consumer.queue,
        withoutUndefined({
          maxBatchSize: consumer.max_batch_size,
          maxBatchTimeout: consumer.max_batch_timeout,
          maxRetries: consumer.max_retries,
          retryDelay: consumer.retry_delay,
          deadLetterQueue: consumer.dead_letter_queue,
        }),
      ]),
    ),
    durableObjects: Object.fromEntries(
      settings.durable_objects.bindings.map((binding) => {
        const owner = binding.script_name ?? settings.name;
        return [
          binding.name,
          {
            className: binding.class_name,
            useSQLite: sqliteClasses.get(owner)?.has(binding.class_name) ?? false,
            ...(binding.script_name === undefined ? {} : { scriptName: binding.script_name }),
          },
        ];
      }),
    ),
  }));
}

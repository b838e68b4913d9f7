import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { z } from "zod";
import { bundleWorker, type WorkerModule } from "./bundle-worker.ts";

/** What of a wrangler file matters to a local boot; both files are the only place where settings are written. */
const WranglerFile = z.object({
  name: z.string(),
  main: z.string(),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()).default([]),
  vars: z.record(z.string(), z.string()).default({}),
  d1_databases: z
    .array(
      z.object({
        binding: z.string(),
        database_id: z.string(),
        migrations_dir: z.string().optional(),
      }),
    )
    .default([]),
  r2_buckets: z.array(z.object({ binding: z.string(), bucket_name: z.string() })).default([]),
  queues: z
    .object({
      producers: z.array(z.object({ binding: z.string(), queue: z.string() })).default([]),
      consumers: z
        .array(
          z.object({
            queue: z.string(),
            max_batch_size: z.int().optional(),
            max_batch_timeout: z.number().optional(),
            max_retries: z.int().optional(),
            retry_delay: z.int().optional(),
            dead_letter_queue: z.string().optional(),
          }),
        )
        .default([]),
    })
    .default({ producers: [], consumers: [] }),
  durable_objects: z
    .object({
      bindings: z
        .array(
          z.object({
            name: z.string(),
            class_name: z.string(),
            script_name: z.string().optional(),
          }),
        )
        .default([]),
    })
    .default({ bindings: [] }),
  migrations: z
    .array(z.object({ new_sqlite_classes: z.array(z.string()).default([]) }))
    .default([]),
});
export type WranglerFile = z.output<typeof WranglerFile>;

export interface BundledWorker {
  readonly settings: WranglerFile;
  readonly modules: readonly WorkerModule[];
}

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const FILES = ["wrangler.toml", "queues/wrangler.toml"] as const;

/** Both Workers, bundled: the API Worker first, then the runner, each with the settings of its wrangler file. */
export function bundleWorkers(): Promise<readonly BundledWorker[]> {
  return Promise.all(
    FILES.map(async (file) => {
      const path = join(ROOT, file);
      const settings = WranglerFile.parse(parse(await readFile(path, "utf8")));
      return { settings, modules: await bundleWorker(join(dirname(path), settings.main)) };
    }),
  );
}

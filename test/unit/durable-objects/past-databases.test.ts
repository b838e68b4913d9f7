/** Every past version of an object's database is kept as a file, which a test opens with the code of today. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BATCH_SCHEMA } from "../../../durable-objects/batch/batch-schema.ts";
import { EXPORT_SCHEMA } from "../../../durable-objects/batch-export/export-schema.ts";
import { CACHE_SCHEMA } from "../../../durable-objects/cache/cache-schema.ts";
import { ACCESS_SCHEMA } from "../../../durable-objects/organization-access/facts-store.ts";
import { LIMITER_SCHEMA } from "../../../durable-objects/rate-limiter/window-store.ts";
import { GROUP_SCHEMA } from "../../../durable-objects/run-group/group-store.ts";
import { RUN_SCHEMA } from "../../../durable-objects/run/state/run-schema.ts";
import { SCHEDULE_SCHEMA } from "../../../durable-objects/schedule/schedule-store.ts";
import type { DatabaseSchema } from "../../../durable-objects/shared/migrations.ts";
import { TEMPLATE_SCHEMA } from "../../../durable-objects/template-draft/template-schema.ts";
import { UPLOAD_SCHEMA } from "../../../durable-objects/upload/upload-store.ts";
import { ENDPOINT_SCHEMA } from "../../../durable-objects/webhook-endpoint/endpoint-schema.ts";
import { WORKSPACE_SCHEMA } from "../../../durable-objects/workspace/workspace-schema.ts";
import { ZIP_SCHEMA } from "../../../durable-objects/zip-export/zip-schema.ts";

const KEPT = "test/golden/databases";
const OPENED_BY = [
  "test/worker/durable-objects/batch-export.test.ts",
  "test/worker/durable-objects/databases.test.ts",
  "test/worker/durable-objects/result-cache.test.ts",
  "test/worker/workspace/migration.test.ts",
].map((path) => readFileSync(path, "utf8"));

const SCHEMAS: readonly DatabaseSchema[] = [
  BATCH_SCHEMA,
  EXPORT_SCHEMA,
  CACHE_SCHEMA,
  ACCESS_SCHEMA,
  LIMITER_SCHEMA,
  GROUP_SCHEMA,
  RUN_SCHEMA,
  SCHEDULE_SCHEMA,
  TEMPLATE_SCHEMA,
  UPLOAD_SCHEMA,
  ENDPOINT_SCHEMA,
  WORKSPACE_SCHEMA,
  ZIP_SCHEMA,
];

/** Versions before the present one, which is kept too as long as it is the first, without a file that a test opens. */
function unopened({ object, migrations }: DatabaseSchema, opened: readonly string[]): string[] {
  const past = Array.from({ length: Math.max(1, migrations.length) }, (_, at) => at + 1);
  return past
    .map((version) => `${object}-${String(version)}`)
    .filter((version) => !opened.some((name) => new RegExp(`^${version}[.-]`).test(name)));
}

describe("the databases of objects", () => {
  const opened = readdirSync(KEPT).filter((name) =>
    OPENED_BY.some((text) => text.includes(`golden/databases/${name}?raw`)),
  );

  test("of each past version are opened by a test", () => {
    expect(SCHEMAS.flatMap((schema) => unopened(schema, opened))).toEqual([]);
    // A further migration makes the present version a past one.
    const later = { ...RUN_SCHEMA, migrations: [...RUN_SCHEMA.migrations, () => {}] };
    expect(unopened(later, opened)).toEqual([`run-${String(later.migrations.length)}`]);
  });

  test("are those of all schemas", () => {
    const declared = readdirSync("durable-objects", { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => [
        ...readFileSync(join("durable-objects", name), "utf8").matchAll(
          /: DatabaseSchema = \{\s+object: "([\w-]+)"/g,
        ),
      ])
      .map(([, object]) => object);
    expect(new Set(declared)).toEqual(new Set(SCHEMAS.map(({ object }) => object)));
  });
});

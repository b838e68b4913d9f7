/** Runs before each worker test file: the real schema in the file's own D1. */
import { applyD1Migrations, reset, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expectFreeMemory } from "./expect-free-memory.ts";
import { reportResponses } from "./openapi/report-responses.ts";
import { migrateShards } from "./migrate-shards.ts";
import { repairPool } from "./repair-pool.ts";
import type { Env as AppBindings } from "../../src/platform/env.ts";
import type { OrganizationAccessObject } from "../../durable-objects/organization-access/organization-access-object.ts";
import type { RateLimiterObject } from "../../durable-objects/rate-limiter/rate-limiter-object.ts";
import type { RunObject } from "../../durable-objects/run/run-object.ts";
import type { TemplateDraftObject } from "../../durable-objects/template-draft/template-draft-object.ts";
import type { UploadObject } from "../../durable-objects/upload/upload-object.ts";
import type { WebhookEndpointObject } from "../../durable-objects/webhook-endpoint/webhook-endpoint-object.ts";
import type { WorkspaceObject } from "../../durable-objects/workspace/workspace-object.ts";
import type { ZipExportObject } from "../../durable-objects/zip-export/zip-export-object.ts";

/** A binding as the service sees it, and as tests use it, which access the objects directly. */
type Both<
  Name extends keyof AppBindings,
  Class extends Rpc.DurableObjectBranded,
> = DurableObjectNamespace<Class> & AppBindings[Name];

declare global {
  namespace Cloudflare {
    interface Env extends AppBindings {
      readonly TEST_MIGRATIONS: D1Migration[];
      /** Databases of shards 1 and 2, for test/support/shards.ts. */
      readonly SHARD_1?: D1Database;
      readonly SHARD_2?: D1Database;
      /** `1` if every test has shards. */
      readonly WORKER_SHARDS?: string;
      readonly RUN: Both<"RUN", RunObject>;
      readonly WORKSPACE: Both<"WORKSPACE", WorkspaceObject>;
      readonly RATE_LIMITER: Both<"RATE_LIMITER", RateLimiterObject>;
      readonly ORGANIZATION_ACCESS: Both<"ORGANIZATION_ACCESS", OrganizationAccessObject>;
      readonly WEBHOOK_ENDPOINT: Both<"WEBHOOK_ENDPOINT", WebhookEndpointObject>;
      readonly TEMPLATE_DRAFT: Both<"TEMPLATE_DRAFT", TemplateDraftObject>;
      readonly UPLOAD: Both<"UPLOAD", UploadObject>;
      readonly ZIP_EXPORT: Both<"ZIP_EXPORT", ZipExportObject>;
    }
    interface GlobalProps {
      mainModule: typeof import("../../src/worker.ts");
    }
  }
}

repairPool();
reportResponses();
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
if (env.WORKER_SHARDS === "1") {
  await migrateShards(env.TEST_MIGRATIONS, [env["DB_1"], env["DB_2"]]);
}
await expectFreeMemory();

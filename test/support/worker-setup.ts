/** Runs before each worker test file: the real schema in the file's own D1. */
import { applyD1Migrations, reset, type D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
import "./repair-pool.ts";
import { reportAnswers } from "./openapi/report-answers.ts";
import type { Env as AppBindings } from "../../src/platform/env.ts";

declare global {
  namespace Cloudflare {
    interface Env extends AppBindings {
      readonly TEST_MIGRATIONS: D1Migration[];
    }
    interface GlobalProps {
      mainModule: typeof import("../../src/worker.ts");
    }
  }
}

reportAnswers();
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

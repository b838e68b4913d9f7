import { createApp } from "./api/app.ts";
import { ENDPOINTS } from "./api/routes.ts";
import { sweepUnfinishedAssets } from "./domain/assets/sweep-unfinished-assets.ts";
import { sweepUnfinishedFonts } from "./domain/fonts/sweep-unfinished-fonts.ts";
import { sweepEmbedAssets } from "./domain/embeds/sweep-embed-assets.ts";
import { enterShareLinks } from "./domain/templates/share/enter-share-links.ts";
import { sweepPreviews } from "./domain/templates/sweep-previews.ts";
import { repairWorkflowPointers } from "./domain/workflows/sync-workflow-pointer.ts";
import { PAGES } from "./pages/pages.ts";
import { createContext } from "./platform/create-context.ts";
import { isEnvUsable } from "./platform/check-env.ts";
import type { Env } from "./platform/env.ts";
import { limitInvocation } from "./platform/limits.ts";

export { BatchObject } from "../durable-objects/batch/batch-object.ts";
export { EmbedTokenObject } from "../durable-objects/embed-token/embed-token-object.ts";
export { OrganizationAccessObject } from "../durable-objects/organization-access/organization-access-object.ts";
export { RateLimiterObject } from "../durable-objects/rate-limiter/rate-limiter-object.ts";
export { RunGroupObject } from "../durable-objects/run-group/run-group-object.ts";
export { RunObject } from "../durable-objects/run/run-object.ts";
export { ScheduleObject } from "../durable-objects/schedule/schedule-object.ts";
export { TemplateDraftObject } from "../durable-objects/template-draft/template-draft-object.ts";
export { UploadObject } from "../durable-objects/upload/upload-object.ts";
export { WebhookEndpointObject } from "../durable-objects/webhook-endpoint/webhook-endpoint-object.ts";
export { WorkspaceObject } from "../durable-objects/workspace/workspace-object.ts";
export { ZipExportObject } from "../durable-objects/zip-export/zip-export-object.ts";

const app = createApp(ENDPOINTS, PAGES);

export default {
  fetch: (request, env, execution) =>
    app.fetch(request, env.ENVIRONMENT === "local" ? limitInvocation(env) : env, execution),
  /** Runs every five minutes (`wrangler.toml`) and repairs inconsistencies that a crash between two stores left. */
  async scheduled(_event, env, execution) {
    if (!isEnvUsable(env)) {
      return;
    }
    const waitUntil = (promise: Promise<unknown>) => execution.waitUntil(promise);
    const ctx = createContext(env, crypto.randomUUID(), env.BASE_URL, waitUntil);
    await Promise.all([
      repairWorkflowPointers(ctx),
      sweepUnfinishedAssets(ctx),
      sweepUnfinishedFonts(ctx),
      sweepPreviews(ctx),
      sweepEmbedAssets(ctx),
      enterShareLinks(ctx),
    ]);
  },
} satisfies ExportedHandler<Env>;

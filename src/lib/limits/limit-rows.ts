import { DATASET_LIMITS } from "./dataset-limits.ts";
import { TEMPLATE_LIMITS } from "./template-limits.ts";
import { EMBED_LIMITS } from "./embed-limits.ts";
import { EXPRESSION_LIMITS } from "./expression-limits.ts";
import { FILE_LIMITS } from "./file-limits.ts";
import { FONT_LIMITS } from "./font-limits.ts";
import { PICTURE_LIMITS } from "./picture-limits.ts";
import { PROVIDER_LIMITS } from "./provider-limits.ts";
import { MEDIA_LIMITS } from "./media-limits.ts";
import { MODEL_LIMITS } from "./model-limits.ts";
import { REQUEST_LIMITS } from "./request-limits.ts";
import { RUN_LIMITS } from "./run-limits.ts";
import { SCHEDULE_LIMITS } from "./schedule-limits.ts";
import { RENDER_LIMITS } from "./render-limits.ts";
import { WEBHOOK_LIMITS } from "./webhook-limits.ts";
import { WORKFLOW_LIMITS } from "./workflow-limits.ts";
import type { Limit, Limits } from "./limit.ts";

/** The topics of the table of limits in their order, each with the heading of its part. */
const TOPICS: readonly (readonly [string, Limits])[] = [
  ["Requests", REQUEST_LIMITS],
  ["Files and uploads", FILE_LIMITS],
  ["Pictures and codes", PICTURE_LIMITS],
  ["Sound and video", MEDIA_LIMITS],
  ["Fonts", FONT_LIMITS],
  ["Rendering", RENDER_LIMITS],
  ["Datasets and bundles", DATASET_LIMITS],
  ["Workflows", WORKFLOW_LIMITS],
  ["Expressions", EXPRESSION_LIMITS],
  ["Design templates", TEMPLATE_LIMITS],
  ["Runs", RUN_LIMITS],
  ["Schedules", SCHEDULE_LIMITS],
  ["Models", MODEL_LIMITS],
  ["Webhooks", WEBHOOK_LIMITS],
  ["Embeds", EMBED_LIMITS],
  ["Providers of models", PROVIDER_LIMITS],
];

/**
 * Every limit that a caller can meet, once. `/docs/limits` and `docs/limits.md` are written from it, and so is
 * `limit-values.ts`, from which code takes the values: the texts are in no Worker (docs/decisions/bundle-size.md). To
 * add a limit, add its entry to the file of its topic in this folder, run `npm run docs`, and use `LIMITS.<name>.value`
 * in the code that enforces it. Limits of plans are not here: each plan has its own (`contracts/billing-plan.ts`).
 */
export const LIMIT_ROWS: readonly Limit[] = TOPICS.flatMap(([group, limits]) =>
  Object.entries(limits).map(([key, limit]) => ({ key, ...limit, group })),
);

import { DATASET_LIMITS } from "./limits/dataset-limits.ts";
import { TEMPLATE_LIMITS } from "./limits/template-limits.ts";
import { EXPRESSION_LIMITS } from "./limits/expression-limits.ts";
import { FILE_LIMITS } from "./limits/file-limits.ts";
import { FONT_LIMITS } from "./limits/font-limits.ts";
import { PICTURE_LIMITS } from "./limits/picture-limits.ts";
import { PROVIDER_LIMITS } from "./limits/provider-limits.ts";
import { MODEL_LIMITS } from "./limits/model-limits.ts";
import { REQUEST_LIMITS } from "./limits/request-limits.ts";
import { RUN_LIMITS } from "./limits/run-limits.ts";
import { RENDER_LIMITS } from "./limits/render-limits.ts";
import { WEBHOOK_LIMITS } from "./limits/webhook-limits.ts";
import { WORKFLOW_LIMITS } from "./limits/workflow-limits.ts";
import type { Limit, Limits } from "./limits/limit.ts";

/**
 * Every limit that a caller can meet, once: code takes the value from here, and `/docs/limits` and
 * `docs/limits.md` are written from it. To add one, add its entry to the file of its topic in `limits/`, and use
 * `LIMITS.<name>.value` in the code that enforces it. Limits of plans are not here: each plan has its own
 * (`contracts/billing-plan.ts`).
 */
const TABLE = {
  ...REQUEST_LIMITS,
  ...FILE_LIMITS,
  ...PICTURE_LIMITS,
  ...FONT_LIMITS,
  ...RENDER_LIMITS,
  ...DATASET_LIMITS,
  ...WORKFLOW_LIMITS,
  ...EXPRESSION_LIMITS,
  ...TEMPLATE_LIMITS,
  ...RUN_LIMITS,
  ...MODEL_LIMITS,
  ...WEBHOOK_LIMITS,
  ...PROVIDER_LIMITS,
} as const;

const TOPICS: readonly (readonly [string, Limits])[] = [
  ["Requests", REQUEST_LIMITS],
  ["Files and uploads", FILE_LIMITS],
  ["Pictures and codes", PICTURE_LIMITS],
  ["Fonts", FONT_LIMITS],
  ["Rendering", RENDER_LIMITS],
  ["Datasets and bundles", DATASET_LIMITS],
  ["Workflows", WORKFLOW_LIMITS],
  ["Expressions", EXPRESSION_LIMITS],
  ["Design templates", TEMPLATE_LIMITS],
  ["Runs", RUN_LIMITS],
  ["Models", MODEL_LIMITS],
  ["Webhooks", WEBHOOK_LIMITS],
  ["Providers of models", PROVIDER_LIMITS],
];

export type LimitName = keyof typeof TABLE;

export const LIMITS: Readonly<Record<LimitName, Limits[string]>> = TABLE;

/** The whole table in its order. */
export const LIMIT_ROWS: readonly Limit[] = TOPICS.flatMap(([group, limits]) =>
  Object.values(limits).map((limit) => ({ ...limit, group })),
);

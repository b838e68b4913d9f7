/** Bodies of `/api/v1/embed` and `/api/embed`, and the answers that are not executions (docs/contract/embeds.md). */
import * as z from "zod";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { plainLine } from "../plain-line.ts";
import { SubmitExecution } from "../runs/execution-requests.ts";
import { timestampField } from "../timestamp.ts";
import { allowedOriginsField } from "./allowed-origin.ts";

const MINUTES_MAX = LIMITS.embed_lifetime.value / 60_000;
const PREFILLED_MAX_BYTES = LIMITS.embed_prefilled.value;

export const endUserIdField = plainLine(LIMITS.embed_end_user.value);

const common = {
  allowed_origins: allowedOriginsField.describe(
    "Origins of the pages that may show the frame, 1 to 20: `https://host[:port]`, or `http://` on a loopback name.",
  ),
  expires_in_minutes: z
    .int()
    .min(1)
    .max(MINUTES_MAX)
    .nullish()
    .describe("Lifetime of the token; null or omitted: 36,525 days."),
  end_user_id: endUserIdField
    .nullish()
    .describe(
      "Your id of the person: on the executions, in their events, and a filter of lists. Tokens of one person see each other's runs.",
    ),
};

/** Body of `POST /api/v1/embed/tokens`. The route replaces `workflow` by the field that parses ids. */
export const MintRuntimeToken = z
  .strictObject({
    workflow: z.string().describe("`wf_` and 32 hex digits, or the bare UUID. Published."),
    ...common,
    interface: z
      .string()
      .max(LIMITS.identifier.value)
      .nullish()
      .describe("Id of a custom interface, which the token then fixes; else any of them."),
    max_executions: z
      .int()
      .min(1)
      .max(LIMITS.embed_executions.value)
      .nullish()
      .describe("Most runs that the token can start; null or omitted: any number."),
    prefilled_inputs: z
      .record(z.string(), z.unknown())
      .refine(
        (value) => new TextEncoder().encode(JSON.stringify(value)).length <= PREFILLED_MAX_BYTES,
        `Must be at most ${String(PREFILLED_MAX_BYTES)} bytes of JSON`,
      )
      .nullish()
      .describe("Reserved: accepted and not used."),
  })
  .meta({ id: "MintRuntimeToken" });
export type MintRuntimeToken = z.output<typeof MintRuntimeToken>;

/** Body of `POST /api/v1/embed/editor/tokens`. */
export const MintEditorToken = z.strictObject(common).meta({ id: "MintEditorToken" });
export type MintEditorToken = z.output<typeof MintEditorToken>;

export const MintedToken = z
  .object({
    token: z.string().describe("The JWT. Shown once; nothing of it is stored."),
    jti: z.string().describe("`emb_` and 32 hex digits; revokes the token."),
    expires_at: timestampField.describe("The claim `exp`. Pass it when you revoke the token."),
  })
  .meta({ id: "MintedEmbedToken" });
export type MintedToken = z.infer<typeof MintedToken>;

/** Runs that a token has started, of those that it may start. */
export const EmbedExecutions = z
  .object({
    max: z.int().nullable().describe("Most runs of the token; null without a cap."),
    used: z.int().describe("Permits taken so far, each for one run."),
    remaining: z.int().nullable().describe("Permits left; null without a cap."),
  })
  .meta({ id: "EmbedExecutions" });
export type EmbedExecutions = z.infer<typeof EmbedExecutions>;

/** Body of `POST /api/embed/check-execution`: optional, and empty. */
export const CheckExecutionBody = z.strictObject({}).meta({ id: "CheckExecution" });

/** Answer of `POST /api/embed/check-execution`. */
export const CheckedExecution = z
  .object({
    allowed: z.literal(true).describe("True: a refusal is a problem with a code."),
    permit: z
      .string()
      .nullable()
      .describe(
        "`prm_` and 32 hex digits: good for one submit within 10 minutes. Null without a cap.",
      ),
    executions: EmbedExecutions.describe("Runs of the token, this one counted."),
  })
  .meta({ id: "CheckedExecution" });
export type CheckedExecution = z.infer<typeof CheckedExecution>;

/** Body of `POST /api/embed/executions`: the workflow and its version are the token's. */
export const EmbedSubmit = z
  .strictObject({
    inputs: SubmitExecution.shape.inputs,
    interface: SubmitExecution.shape.interface.describe(
      "Id of a custom interface; only where the token does not fix another one.",
    ),
    permit: z
      .string()
      .max(LIMITS.identifier.value)
      .optional()
      .describe("The permit of `check-execution`. Without it the submit takes one itself."),
  })
  .meta({ id: "EmbedSubmit" });
export type EmbedSubmit = z.output<typeof EmbedSubmit>;

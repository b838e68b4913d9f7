import * as z from "zod";
import { timestampField } from "../timestamp.ts";
import { listOf } from "../list.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** Milli-credits of one grant: a million million credits, more than any account needs. */
export const GrantMilliCredits = z
  .int()
  .positive()
  .max(LIMITS.grant.value)
  .describe("In milli-credits; 1,000 are one credit.");

/** An operator's grant. */
export const CreditGrant = z
  .object({
    workspace_id: z.string().describe("The workspace that received the credits."),
    milli_credits: GrantMilliCredits,
    idempotency_key: z.string().describe("The key of the grant: the same key grants once."),
    balance_milli_credits: z.int().describe("What the workspace may reserve now."),
  })
  .meta({ id: "CreditGrant" });
export type CreditGrant = z.infer<typeof CreditGrant>;

const LedgerItem = z
  .object({
    id: z.string().describe("Id of the entry."),
    kind: z
      .enum(["grant", "reserve", "settle", "release"])
      .describe(
        "`reserve` holds credits for a run, `settle` charges them, `release` gives the rest back.",
      ),
    run: z.string().optional().describe("The run that the entry belongs to."),
    node_id: z.string().optional().describe("The node whose plan was reserved."),
    milli_credits: z
      .int()
      .describe("Positive, but for a grant that takes back what has lapsed of a month."),
    balance_after: z.int().describe("What might still be reserved after it, in milli-credits."),
    created_at: timestampField.describe("When the entry was made."),
  })
  .meta({ id: "LedgerEntry" });

export const LedgerList = listOf(LedgerItem).meta({ id: "LedgerList" });
export type LedgerList = z.infer<typeof LedgerList>;

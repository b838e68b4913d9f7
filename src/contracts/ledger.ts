import * as z from "zod";
import { timestampField } from "./timestamp.ts";
import { listOf } from "./list.ts";

/** Milli-credits of one grant: a million million credits are more than anybody has. */
export const GrantMilliCredits = z
  .int()
  .positive()
  .max(1_000_000_000_000_000)
  .describe("In milli-credits; 1,000 are one credit.");

/** An operator's grant (details, "Operator bodies"). */
export const CreditGrant = z
  .object({
    workspace_id: z.string(),
    milli_credits: GrantMilliCredits,
    idempotency_key: z.string(),
    balance_milli_credits: z.int().describe("What the workspace may reserve now."),
  })
  .meta({ id: "CreditGrant" });
export type CreditGrant = z.infer<typeof CreditGrant>;

const LedgerItem = z
  .object({
    id: z.string(),
    kind: z.enum(["grant", "reserve", "settle", "release"]),
    run: z.string().optional(),
    node_id: z.string().optional(),
    milli_credits: z
      .int()
      .describe("Positive, but for a grant that takes back what has lapsed of a month."),
    balance_after: z.int().describe("What might still be reserved after it, in milli-credits."),
    created_at: timestampField,
  })
  .meta({ id: "LedgerEntry" });

export const LedgerList = listOf(LedgerItem).meta({ id: "LedgerList" });
export type LedgerList = z.infer<typeof LedgerList>;

import { z } from "zod";
import { CreditGrant, GrantMilliCredits } from "../../contracts/ledger.ts";
import { grantCredits } from "../../domain/admin/grant-credits.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import { idField } from "../id-field.ts";

export const createCreditGrant = defineEndpoint({
  method: "post",
  path: "/admin/v1/credit-grants",
  operationId: "createCreditGrant",
  summary: "Grant credits to a workspace",
  description:
    "They add to the balance and do not lapse. A repeat of the key grants nothing more and answers with `Idempotency-Replayed: true`.",
  tag: "Operator",
  access: "operator",
  request: {
    body: z.strictObject({
      workspace_id: idField("workspace"),
      milli_credits: GrantMilliCredits,
      idempotency_key: z
        .string()
        .regex(/^[^\p{Cc}]{8,255}$/u, "Must be 8 to 255 characters without control characters"),
    }),
  },
  responses: {
    201: {
      description: "The grant, and the balance as it is now",
      body: CreditGrant,
      headers: { "Idempotency-Replayed": "`true` when the key had been granted before" },
    },
  },
  errors: ["invalid_id", "not_found", "idempotency_conflict"],
  handle: async (ctx, { body }) => {
    const { grant, isReplay } = await grantCredits(ctx, {
      workspaceId: body.workspace_id,
      milliCredits: body.milli_credits,
      idempotencyKey: body.idempotency_key,
    });
    return {
      status: 201,
      body: grant,
      headers: replayHeaders(isReplay),
    };
  },
});

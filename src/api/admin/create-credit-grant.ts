import * as z from "zod";
import { CreditGrant, GrantMilliCredits } from "../../contracts/workspaces/ledger.ts";
import { grantCredits } from "../../domain/admin/grant-credits.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import { idField } from "../id-field.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";

export const createCreditGrant = defineEndpoint({
  method: "post",
  path: "/admin/v1/credit-grants",
  operationId: "createCreditGrant",
  summary: "Grant credits to a workspace",
  description:
    "The credits are added to the balance and do not expire. A request that repeats the key grants nothing more and returns `Idempotency-Replayed: true`.",
  tag: "Operator",
  access: "operator",
  createsOnce: true,
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
      description: "The grant and the current balance",
      body: CreditGrant,
      headers: {
        "Idempotency-Replayed": "`true` when an earlier request with this key made the grant",
      },
    },
  },
  errors: ["invalid_id", "not_found", "idempotency_conflict"],
  handle: async (ctx, { body, creation }) => {
    const given = {
      workspaceId: body.workspace_id,
      milliCredits: body.milli_credits,
      idempotencyKey: body.idempotency_key,
    };
    // The key in the body makes the grant itself repeatable; the record for the header's key is written after it.
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: async (claim) => {
        const granted = await grantCredits(ctx, given);
        await claim?.settle(body.idempotency_key, 201);
        return granted;
      },
      replay: () => grantCredits(ctx, given),
    });
    return {
      status: 201,
      body: value.grant,
      headers: replayHeaders(isReplay || value.isReplay),
    };
  },
});

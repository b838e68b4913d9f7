import * as z from "zod";
import { LedgerList } from "../../contracts/workspaces/ledger.ts";
import { listLedger as list } from "../../domain/admin/list-ledger.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { cursorField, limitField } from "../query-fields.ts";

export const listLedger = defineEndpoint({
  method: "get",
  path: "/admin/v1/workspaces/{id}/ledger",
  operationId: "listLedger",
  summary: "List a workspace's ledger entries",
  description:
    "Newest first. The balance is the sum of grants and releases minus reservations. For a finished run, settlements and releases add up to its reservations.",
  tag: "Operator",
  access: "operator",
  request: {
    params: z.object({ id: idField("workspace") }),
    query: z.object({ limit: limitField(), starting_after: cursorField }),
  },
  responses: { 200: { description: "A page of entries", body: LedgerList } },
  errors: ["invalid_id", "invalid_request", "validation_error", "not_found"],
  handle: async (ctx, { params, query }) => ({
    status: 200,
    body: await list(ctx, params.id, {
      limit: query.limit,
      startingAfter: query.starting_after ?? null,
    }),
  }),
});
